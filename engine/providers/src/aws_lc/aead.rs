//! Authenticated encryption other than GCM.

use std::ptr;

use aws_lc_sys::*;

use super::answers::{called, failed, own, refused};
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
    /// A context is made with its key, so there is none between a renewal and the next key.
    context: Option<Owned<EVP_AEAD_CTX>>,
    aead: *const EVP_AEAD,
    key_bytes: usize,
    nonce_bytes: usize,
}

// SAFETY: the pointer is to constant data of the library.
unsafe impl Send for AeadContext {}

impl AeadContext {
    /// A context with the key zero, so that there is no state without one.
    fn new(aead: NewAead) -> Result<Self, CreateError> {
        // SAFETY: the AEAD lives as long as the program.
        let mut new = unsafe {
            let aead = aead();
            let (key_bytes, nonce_bytes) = (EVP_AEAD_key_length(aead), EVP_AEAD_nonce_length(aead));
            Self { context: None, aead, key_bytes, nonce_bytes }
        };
        new.set_key(&vec![0; new.key_bytes]).map_err(failed)?;
        Ok(new)
    }

    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), self.key_bytes)?;
        let Some(context) = &self.context else {
            self.context = Some(self.new_context(key)?);
            return Ok(());
        };
        let context = context.as_ptr();
        // SAFETY: the context is alive and initialised, the key has the length given; null for no
        // engine.
        called(unsafe {
            EVP_AEAD_CTX_cleanup(context);
            let (bytes, engine) = (key.len(), ptr::null_mut());
            EVP_AEAD_CTX_init(context, self.aead, key.as_ptr(), bytes, TAG_BYTES, engine)
        })
    }

    fn new_context(&self, key: &[u8]) -> Result<Owned<EVP_AEAD_CTX>, CallError> {
        // SAFETY: the AEAD is alive, the key has the length given, and the new context is ours.
        unsafe {
            let context = EVP_AEAD_CTX_new(self.aead, key.as_ptr(), key.len(), TAG_BYTES);
            own(context, EVP_AEAD_CTX_free)
        }
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        match what {
            Renewed::Context => self.context = None,
            Renewed::Algorithm => return Err(CallError::Unsupported),
        }
        Ok(())
    }

    fn keyed(&self) -> Result<*mut EVP_AEAD_CTX, CallError> {
        self.context.as_ref().map(Owned::as_ptr).ok_or(CallError::Unsupported)
    }
}

struct Seal(AeadContext);

impl Function for Seal {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0.set_key(key)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        let Message { nonce, aad, input, .. } = message;
        let context = self.0.keyed()?;
        checks::check_length(nonce.len(), self.0.nonce_bytes)?;
        checks::check_length(output.len(), input.len() + TAG_BYTES)?;
        let mut written = 0;
        // SAFETY: the context is alive, and all lengths are those of the slices.
        called(unsafe {
            EVP_AEAD_CTX_seal(
                context,
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

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.0.renew(what)
    }
}

struct Open(AeadContext);

impl Function for Open {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0.set_key(key)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        let Message { nonce, aad, input, .. } = message;
        let context = self.0.keyed()?;
        checks::check_length(nonce.len(), self.0.nonce_bytes)?;
        let (ciphertext, _) = checks::split_tag(input, TAG_BYTES)?;
        checks::check_length(output.len(), ciphertext.len())?;
        let mut written = 0;
        // SAFETY: the context is alive, and all lengths are those of the slices.
        let status = unsafe {
            EVP_AEAD_CTX_open(
                context,
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

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.0.renew(what)
    }
}
