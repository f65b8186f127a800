//! Ciphers without authentication (CBC without padding, CTR), and the context that authenticated
//! encryption shares with them.

use std::ffi::{CStr, c_int, c_uint};
use std::ptr;

use super::libcrypto::{
    CipherFinal, CipherInit, CipherUpdate, EVP_CIPHER, EVP_CIPHER_CTX, Libcrypto,
};
use super::params::Parameter;
use crate::api::*;
use crate::checks;
use crate::shared_library::Owned;

/// `EVP_MAX_BLOCK_LENGTH`: the most that a final call writes.
const MAX_BLOCK_BYTES: usize = 32;

/// A cipher's context, for one direction.
pub struct CipherContext {
    pub libcrypto: &'static Libcrypto,
    pub context: Owned<EVP_CIPHER_CTX>,
    direction: Direction,
    key_bytes: usize,
    pub nonce_bytes: usize,
    pub block_bytes: usize,
}

/// The functions of one direction.
struct Direction {
    init: CipherInit,
    update: CipherUpdate,
    finish: CipherFinal,
}

impl Direction {
    fn of(operation: Operation, libcrypto: &Libcrypto) -> Self {
        match operation {
            Operation::Open | Operation::Decrypt => Self {
                init: libcrypto.EVP_DecryptInit_ex2,
                update: libcrypto.EVP_DecryptUpdate,
                finish: libcrypto.EVP_DecryptFinal_ex,
            },
            _ => Self {
                init: libcrypto.EVP_EncryptInit_ex2,
                update: libcrypto.EVP_EncryptUpdate,
                finish: libcrypto.EVP_EncryptFinal_ex,
            },
        }
    }
}

impl CipherContext {
    /// A context with the cipher and its parameter set; it has no key yet.
    pub fn new(
        libcrypto: &'static Libcrypto,
        name: &CStr,
        operation: Operation,
        parameter: Option<&Parameter<'_>>,
    ) -> Result<Self, CreateError> {
        let cipher = fetch(libcrypto, name)?;
        // SAFETY: the new context is ours, and the cipher is alive.
        let mut new = unsafe {
            let context = (libcrypto.EVP_CIPHER_CTX_new)();
            Self {
                libcrypto,
                context: libcrypto.own(context, libcrypto.EVP_CIPHER_CTX_free)?,
                direction: Direction::of(operation, libcrypto),
                key_bytes: (libcrypto.EVP_CIPHER_get_key_length)(cipher.as_ptr()) as usize,
                nonce_bytes: (libcrypto.EVP_CIPHER_get_iv_length)(cipher.as_ptr()) as usize,
                block_bytes: (libcrypto.EVP_CIPHER_get_block_size)(cipher.as_ptr()) as usize,
            }
        };
        // The context keeps a reference to the cipher, so ours may end here.
        libcrypto.created(new.init(cipher.as_ptr(), None, None, parameter))?;
        Ok(new)
    }

    /// Sets the key zero, so that there is no state without one.
    pub fn set_zero_key(&mut self) -> Result<(), CreateError> {
        let key = vec![0; self.key_bytes];
        let status = self.init(ptr::null(), Some(&key), None, None);
        self.libcrypto.created(status)
    }

    pub fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), self.key_bytes)?;
        let status = self.init(ptr::null(), Some(key), None, None);
        self.libcrypto.called(status)
    }

    /// Starts a message under the kept key.
    pub fn start(
        &mut self,
        nonce: &[u8],
        parameter: Option<&Parameter<'_>>,
    ) -> Result<(), CallError> {
        checks::check_length(nonce.len(), self.nonce_bytes)?;
        let status = self.init(ptr::null(), None, Some(nonce), parameter);
        self.libcrypto.called(status)
    }

    /// The one initialising call; what is `None` or null stays as it is. Key and nonce must have
    /// the cipher's lengths.
    fn init(
        &mut self,
        cipher: *const EVP_CIPHER,
        key: Option<&[u8]>,
        nonce: Option<&[u8]>,
        parameter: Option<&Parameter<'_>>,
    ) -> c_int {
        // SAFETY: libcrypto reads as many bytes of key and nonce as the cipher has, which is what
        // all callers pass, and the parameter's value is alive.
        unsafe {
            (self.direction.init)(
                self.context.as_ptr(),
                cipher,
                key.map_or(ptr::null(), <[u8]>::as_ptr),
                nonce.map_or(ptr::null(), <[u8]>::as_ptr),
                parameter.map_or(ptr::null(), Parameter::as_ptr),
            )
        }
    }

    /// Takes associated data.
    pub fn authenticate(&mut self, data: &[u8]) -> Result<(), CallError> {
        self.update_to(ptr::null_mut(), data)
    }

    /// Turns `input`, which is whole blocks, into as many bytes of `output`.
    pub fn update(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), CallError> {
        checks::check_length(output.len(), input.len())?;
        self.update_to(output.as_mut_ptr(), input)
    }

    /// `output` is null for associated data, or has room for as many bytes as `input` has.
    fn update_to(&mut self, output: *mut u8, input: &[u8]) -> Result<(), CallError> {
        if input.is_empty() {
            return Ok(());
        }
        let bytes = c_int::try_from(input.len()).map_err(|_| CallError::Length)?;
        let mut written = 0;
        // SAFETY: without padding, and with no partial block held back from before, libcrypto
        // writes exactly `bytes` bytes for whole blocks, and nothing to null.
        let status = unsafe {
            (self.direction.update)(
                self.context.as_ptr(),
                output,
                &mut written,
                input.as_ptr(),
                bytes,
            )
        };
        self.libcrypto.called(status)?;
        checks::check_length(written as usize, input.len())
    }

    /// Ends the message; the status is 0 when an opened tag is wrong.
    pub fn finish(&mut self) -> c_int {
        // No cipher here has anything left to write; libcrypto is given room all the same.
        let mut rest = [0; MAX_BLOCK_BYTES];
        let mut written = 0;
        // SAFETY: a final call writes at most one block.
        unsafe { (self.direction.finish)(self.context.as_ptr(), rest.as_mut_ptr(), &mut written) }
    }
}

fn fetch(libcrypto: &Libcrypto, name: &CStr) -> Result<Owned<EVP_CIPHER>, CreateError> {
    // SAFETY: the two functions belong to this type.
    unsafe { libcrypto.fetch(libcrypto.EVP_CIPHER_fetch, libcrypto.EVP_CIPHER_free, name) }
}

/// Bytes of a key of the cipher of that name.
pub fn key_bytes(libcrypto: &Libcrypto, name: &CStr) -> Result<usize, CreateError> {
    let cipher = fetch(libcrypto, name)?;
    // SAFETY: the cipher is alive.
    Ok(unsafe { (libcrypto.EVP_CIPHER_get_key_length)(cipher.as_ptr()) } as usize)
}

/// Encryption or decryption, without authentication.
pub struct Cipher(CipherContext);

impl Cipher {
    pub fn new(
        libcrypto: &'static Libcrypto,
        name: &CStr,
        request: &Request<'_>,
    ) -> Result<Self, CreateError> {
        // As a parameter, padding stays off for good. `EVP_CIPHER_CTX_set_padding` sets a flag
        // besides, for which every later initialising call sets the parameter again: 40 % of the
        // time of a 16-byte message in AES-128-CBC.
        let off: c_uint = 0;
        let padding = Parameter::unsigned(c"padding", &off);
        let mut context = CipherContext::new(libcrypto, name, request.operation, Some(&padding))?;
        checks::check_nonce(request, context.nonce_bytes)?;
        context.set_zero_key()?;
        Ok(Self(context))
    }
}

impl Function for Cipher {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0.set_key(key)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        let context = &mut self.0;
        checks::check_blocks(message.input.len(), context.block_bytes)?;
        context.start(message.nonce, None)?;
        context.update(message.input, output)?;
        let status = context.finish();
        context.libcrypto.called(status)
    }
}
