//! Authenticated encryption other than GCM.

use std::ptr;

use aws_lc_sys::*;

use super::answers::{called, own, refused};
use crate::api::*;
use crate::checks;
use crate::shared_library::Owned;

/// `EVP_aead_chacha20_poly1305`, …
pub type NewAead = unsafe extern "C" fn() -> *const EVP_AEAD;

/// Full tags, of all AEADs here.
const TAG_BYTES: usize = 16;

pub fn create(aead: NewAead, operation: Operation) -> Result<Box<dyn Function>, CreateError> {
    let context = AeadContext::new(aead)?;
    Ok(match operation {
        Operation::Open => Box::new(Open(context)),
        _ => Box::new(Seal(context)),
    })
}

struct AeadContext {
    context: Owned<EVP_AEAD_CTX>,
    aead: *const EVP_AEAD,
    key_bytes: usize,
    nonce_bytes: usize,
}

// SAFETY: the pointer is to constant data of the library.
unsafe impl Send for AeadContext {}

impl AeadContext {
    /// A context with the key zero, so that there is no state without one.
    fn new(aead: NewAead) -> Result<Self, CreateError> {
        // SAFETY: the AEAD lives as long as the program, the key has the length given, and the new
        // context is ours.
        unsafe {
            let aead = aead();
            let key = vec![0; EVP_AEAD_key_length(aead)];
            let context = EVP_AEAD_CTX_new(aead, key.as_ptr(), key.len(), TAG_BYTES);
            Ok(Self {
                context: own(context, EVP_AEAD_CTX_free)?,
                aead,
                key_bytes: key.len(),
                nonce_bytes: EVP_AEAD_nonce_length(aead),
            })
        }
    }

    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), self.key_bytes)?;
        let context = self.context.as_ptr();
        // SAFETY: the context is alive and initialised, the key has the length given; null for no
        // engine.
        called(unsafe {
            EVP_AEAD_CTX_cleanup(context);
            let (bytes, engine) = (key.len(), ptr::null_mut());
            EVP_AEAD_CTX_init(context, self.aead, key.as_ptr(), bytes, TAG_BYTES, engine)
        })
    }
}

struct Seal(AeadContext);

impl Function for Seal {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0.set_key(key)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        let Message { nonce, aad, input } = message;
        checks::check_length(nonce.len(), self.0.nonce_bytes)?;
        checks::check_length(output.len(), input.len() + TAG_BYTES)?;
        let mut written = 0;
        // SAFETY: the context is alive, and all lengths are those of the slices.
        called(unsafe {
            EVP_AEAD_CTX_seal(
                self.0.context.as_ptr(),
                output.as_mut_ptr(),
                &mut written,
                output.len(),
                nonce.as_ptr(),
                nonce.len(),
                input.as_ptr(),
                input.len(),
                aad.as_ptr(),
                aad.len(),
            )
        })?;
        checks::check_length(written, output.len())
    }
}

struct Open(AeadContext);

impl Function for Open {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0.set_key(key)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        let Message { nonce, aad, input } = message;
        checks::check_length(nonce.len(), self.0.nonce_bytes)?;
        let (ciphertext, _) = checks::split_tag(input, TAG_BYTES)?;
        checks::check_length(output.len(), ciphertext.len())?;
        let mut written = 0;
        // SAFETY: the context is alive, and all lengths are those of the slices.
        let status = unsafe {
            EVP_AEAD_CTX_open(
                self.0.context.as_ptr(),
                output.as_mut_ptr(),
                &mut written,
                output.len(),
                nonce.as_ptr(),
                nonce.len(),
                input.as_ptr(),
                input.len(),
                aad.as_ptr(),
                aad.len(),
            )
        };
        if status == 1 { Ok(()) } else { Err(refused()) }
    }
}
