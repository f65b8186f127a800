//! AES without authentication (ECB, CBC without padding, CTR), and the context that GCM and RC4
//! share with it.

use std::ffi::c_int;
use std::ptr;

use aws_lc_sys::*;

use super::answers::{called, created, own};
use crate::api::*;
use crate::checks;
use crate::shared_library::Owned;

/// `EVP_aes_128_cbc`, …
pub type NewCipher = unsafe extern "C" fn() -> *const EVP_CIPHER;

/// `EVP_MAX_BLOCK_LENGTH`: the most that a final call writes.
const MAX_BLOCK_BYTES: usize = 32;

/// In place of a direction: the one that the context has.
const SAME_DIRECTION: c_int = -1;

/// A cipher's context, for one direction.
pub struct CipherContext {
    context: Owned<EVP_CIPHER_CTX>,
    key_bytes: usize,
    pub nonce_bytes: usize,
    block_bytes: usize,
}

impl CipherContext {
    /// A context with the key zero, so that there is no state without one.
    pub fn new(cipher: NewCipher, operation: Operation) -> Result<Self, CreateError> {
        let encrypts = !matches!(operation, Operation::Open | Operation::Decrypt);
        // SAFETY: the new context is ours, and the cipher lives as long as the program.
        unsafe {
            let cipher = cipher();
            let mut new = Self {
                context: own(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free)?,
                key_bytes: EVP_CIPHER_key_length(cipher) as usize,
                nonce_bytes: EVP_CIPHER_iv_length(cipher) as usize,
                block_bytes: EVP_CIPHER_block_size(cipher) as usize,
            };
            let key = vec![0; new.key_bytes];
            created(new.init(cipher, Some(&key), None, c_int::from(encrypts)))?;
            created(EVP_CIPHER_CTX_set_padding(new.context.as_ptr(), 0))?;
            Ok(new)
        }
    }

    pub fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), self.key_bytes)?;
        called(self.init(ptr::null(), Some(key), None, SAME_DIRECTION))
    }

    /// Starts a message under the kept key.
    pub fn start(&mut self, nonce: &[u8]) -> Result<(), CallError> {
        checks::check_length(nonce.len(), self.nonce_bytes)?;
        called(self.init(ptr::null(), None, Some(nonce), SAME_DIRECTION))
    }

    /// The one initialising call; what is `None` or null stays as it is. Key and nonce must have
    /// the cipher's lengths.
    fn init(
        &mut self,
        cipher: *const EVP_CIPHER,
        key: Option<&[u8]>,
        nonce: Option<&[u8]>,
        direction: c_int,
    ) -> c_int {
        // SAFETY: AWS-LC reads as many bytes of key and nonce as the cipher has, which is what all
        // callers pass; null for no engine.
        unsafe {
            EVP_CipherInit_ex(
                self.context.as_ptr(),
                cipher,
                ptr::null_mut(),
                key.map_or(ptr::null(), <[u8]>::as_ptr),
                nonce.map_or(ptr::null(), <[u8]>::as_ptr),
                direction,
            )
        }
    }

    /// Takes the state of another context of the same cipher.
    pub fn copy_from(&mut self, other: &Self) -> Result<(), CallError> {
        // SAFETY: both contexts are alive, and are two.
        called(unsafe { EVP_CIPHER_CTX_copy(self.context.as_ptr(), other.context.as_ptr()) })
    }

    /// A command of GCM with a number and a buffer that it is the length of, or null.
    ///
    /// # Safety
    ///
    /// `buffer` is what the command asks for.
    pub unsafe fn control(&mut self, command: c_int, number: c_int, buffer: *mut u8) -> c_int {
        // SAFETY: the context is alive, and the caller vouches for the buffer.
        unsafe { EVP_CIPHER_CTX_ctrl(self.context.as_ptr(), command, number, buffer.cast()) }
    }

    /// Takes associated data.
    pub fn authenticate(&mut self, data: &[u8]) -> Result<(), CallError> {
        // SAFETY: without an output nothing is written.
        unsafe { self.update_raw(ptr::null_mut(), data.as_ptr(), data.len()) }
    }

    /// Turns `input`, which is whole blocks, into as many bytes of `output`.
    pub fn update(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), CallError> {
        checks::check_length(output.len(), input.len())?;
        checks::check_blocks(input.len(), self.block_bytes)?;
        // SAFETY: both have this length.
        unsafe { self.update_raw(output.as_mut_ptr(), input.as_ptr(), input.len()) }
    }

    /// Turns `text` in place.
    pub fn update_in_place(&mut self, text: &mut [u8]) -> Result<(), CallError> {
        // SAFETY: input and output may be the same.
        unsafe { self.update_raw(text.as_mut_ptr(), text.as_ptr(), text.len()) }
    }

    /// # Safety
    ///
    /// `input` has `bytes` bytes, which are whole blocks, and `output` has room for as many or is
    /// null.
    unsafe fn update_raw(
        &mut self,
        output: *mut u8,
        input: *const u8,
        bytes: usize,
    ) -> Result<(), CallError> {
        if bytes == 0 {
            return Ok(());
        }
        let count = c_int::try_from(bytes).map_err(|_| CallError::Length)?;
        let mut written = 0;
        // SAFETY: without padding, and with no partial block held back from before, AWS-LC writes
        // exactly `bytes` bytes for whole blocks, and nothing to null.
        let status =
            unsafe { EVP_CipherUpdate(self.context.as_ptr(), output, &mut written, input, count) };
        called(status)?;
        checks::check_length(written as usize, bytes)
    }

    /// Ends the message; the status is 0 when an opened tag is wrong.
    pub fn finish(&mut self) -> c_int {
        // No cipher here has anything left to write; AWS-LC is given room all the same.
        let mut rest = [0; MAX_BLOCK_BYTES];
        let mut written = 0;
        // SAFETY: a final call writes at most one block.
        unsafe { EVP_CipherFinal_ex(self.context.as_ptr(), rest.as_mut_ptr(), &mut written) }
    }
}

pub fn create(cipher: NewCipher, operation: Operation) -> Result<Box<dyn Function>, CreateError> {
    Ok(Box::new(Cipher(CipherContext::new(cipher, operation)?)))
}

/// Encryption or decryption, without authentication.
struct Cipher(CipherContext);

impl Function for Cipher {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0.set_key(key)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        let context = &mut self.0;
        context.start(message.nonce)?;
        context.update(message.input, output)?;
        called(context.finish())
    }
}
