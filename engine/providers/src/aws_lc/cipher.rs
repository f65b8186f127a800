//! AES without authentication (ECB, CBC without padding, CTR), and the context that GCM and RC4
//! share with it.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr;

use aws_lc_sys::*;

use super::answers::{called, failed, own, renew};
use crate::api::*;
use crate::checks;
use crate::pieces::{Chunks, Cut, FunctionInPieces};
use crate::shared_library::Owned;

/// `EVP_aes_128_cbc`, …
pub type NewCipher = unsafe extern "C" fn() -> *const EVP_CIPHER;

/// `EVP_MAX_BLOCK_LENGTH`: the most that a final call writes.
const MAX_BLOCK_BYTES: usize = 32;

/// A cipher's context, for one direction.
pub struct CipherContext {
    cipher: *const EVP_CIPHER,
    context: Owned<EVP_CIPHER_CTX>,
    /// The context has neither cipher nor key.
    is_new: bool,
    encrypts: bool,
    key_bytes: usize,
    nonce_bytes: usize,
    /// Of GCM, which is told a length of nonces other than the cipher's own.
    unusual_nonce_bytes: Option<c_int>,
    block_bytes: usize,
}

// SAFETY: the pointer is to constant data of the library.
unsafe impl Send for CipherContext {}

impl CipherContext {
    /// A context with the key zero, so that there is no state without one.
    pub fn new(cipher: NewCipher, operation: Operation) -> Result<Self, CreateError> {
        // SAFETY: the cipher lives as long as the program.
        let mut new = unsafe {
            let cipher = cipher();
            Self {
                cipher,
                context: new_context().map_err(failed)?,
                is_new: true,
                encrypts: !matches!(operation, Operation::Open | Operation::Decrypt),
                key_bytes: EVP_CIPHER_key_length(cipher) as usize,
                nonce_bytes: EVP_CIPHER_iv_length(cipher) as usize,
                unusual_nonce_bytes: None,
                block_bytes: EVP_CIPHER_block_size(cipher) as usize,
            }
        };
        new.set_zero_key().map_err(failed)?;
        Ok(new)
    }

    fn set_zero_key(&mut self) -> Result<(), CallError> {
        self.set_key(&vec![0; self.key_bytes])
    }

    /// Tells GCM how long nonces are.
    pub fn set_nonce_bytes(&mut self, bytes: usize) -> Result<(), CallError> {
        self.unusual_nonce_bytes = Some(c_int::try_from(bytes).map_err(|_| CallError::Length)?);
        self.nonce_bytes = bytes;
        self.is_new = true;
        self.set_zero_key()
    }

    /// As [`Function::renew`]; when nothing new can be had the old stays.
    pub fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        renew(&mut self.context, what, new_context)?;
        self.is_new = true;
        Ok(())
    }

    pub fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), self.key_bytes)?;
        if !self.is_new {
            return self.init(ptr::null(), Some(key), None);
        }
        self.init(self.cipher, Some(key), None)?;
        // SAFETY: the context is alive.
        called(unsafe { EVP_CIPHER_CTX_set_padding(self.context.as_ptr(), 0) })?;
        if let Some(bytes) = self.unusual_nonce_bytes {
            // SAFETY: this command takes a number and no buffer.
            called(unsafe { self.control(EVP_CTRL_AEAD_SET_IVLEN, bytes, ptr::null_mut()) })?;
        }
        self.is_new = false;
        Ok(())
    }

    /// Starts a message under the kept key.
    pub fn start(&mut self, nonce: &[u8]) -> Result<(), CallError> {
        checks::check_length(nonce.len(), self.nonce_bytes)?;
        if self.is_new {
            return Err(CallError::Unsupported);
        }
        self.init(ptr::null(), None, Some(nonce))
    }

    /// The one initialising call; what is `None` or null stays as it is. Key and nonce must have
    /// the cipher's lengths.
    fn init(
        &mut self,
        cipher: *const EVP_CIPHER,
        key: Option<&[u8]>,
        nonce: Option<&[u8]>,
    ) -> Result<(), CallError> {
        // SAFETY: AWS-LC reads as many bytes of key and nonce as the cipher has, which is what all
        // callers pass; null for no engine.
        called(unsafe {
            EVP_CipherInit_ex(
                self.context.as_ptr(),
                cipher,
                ptr::null_mut(),
                key.map_or(ptr::null(), <[u8]>::as_ptr),
                nonce.map_or(ptr::null(), <[u8]>::as_ptr),
                c_int::from(self.encrypts),
            )
        })
    }

    /// Takes the state of another context of the same cipher.
    pub fn copy_from(&mut self, other: &Self) -> Result<(), CallError> {
        if other.is_new {
            return Err(CallError::Unsupported);
        }
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
    pub fn update(
        &mut self,
        input: &[u8],
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_length(output.len(), input.len())?;
        checks::check_blocks(input.len(), self.block_bytes)?;
        for piece in cut.pieces(input.len(), 1) {
            let (input, output) = (&input[piece.clone()], &mut output[piece]);
            // SAFETY: both have this length.
            unsafe { self.update_raw(output.as_mut_ptr(), input.as_ptr(), input.len()) }?;
        }
        Ok(())
    }

    /// Turns `text` in place.
    pub fn update_in_place(&mut self, text: &mut [u8], cut: impl Cut) -> Result<(), CallError> {
        for piece in cut.pieces(text.len(), 1) {
            let piece = &mut text[piece];
            // SAFETY: input and output may be the same.
            unsafe { self.update_raw(piece.as_mut_ptr(), piece.as_ptr(), piece.len()) }?;
        }
        Ok(())
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
        let mut rest = [const { MaybeUninit::<u8>::uninit() }; MAX_BLOCK_BYTES];
        let mut written = 0;
        // SAFETY: a final call writes at most one block.
        unsafe { EVP_CipherFinal_ex(self.context.as_ptr(), rest.as_mut_ptr().cast(), &mut written) }
    }
}

pub fn create(cipher: NewCipher, operation: Operation) -> Result<Box<dyn Function>, CreateError> {
    Ok(Box::new(Cipher(CipherContext::new(cipher, operation)?)))
}

fn new_context() -> Result<Owned<EVP_CIPHER_CTX>, CallError> {
    // SAFETY: the new context is ours.
    unsafe { own(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free) }
}

/// Encryption or decryption, without authentication.
struct Cipher(CipherContext);

impl FunctionInPieces for Cipher {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0.set_key(key)
    }

    fn chunks(&self, chunk_bytes: usize) -> Result<Chunks, CallError> {
        Chunks::of(chunk_bytes, self.0.block_bytes)
    }

    fn process_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        let context = &mut self.0;
        context.start(message.nonce)?;
        context.update(message.input, cut, output)?;
        called(context.finish())
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.0.renew(what)
    }
}
