//! Authenticated encryption.

use std::ffi::{CStr, c_int};
use std::ptr;

use super::cipher::CipherContext;
use super::libcrypto::Libcrypto;
use super::params::{Answer, Parameter};
use crate::api::*;
use crate::checks;

/// Full tags, of GCM and of ChaCha20-Poly1305.
const TAG_BYTES: usize = 16;

const TAG: &CStr = c"tag";

/// `EVP_CTRL_AEAD_SET_IVLEN`
const SET_NONCE_BYTES: c_int = 0x9;

/// Which nonces a cipher takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Nonces {
    /// One length only. OpenSSL pads shorter ones of ChaCha20-Poly1305 with zeros, which RFC 8439
    /// does not have.
    OneLength,
    /// What the library accepts.
    AnyLength,
}

/// Makes the function of `request.operation`.
pub fn create(
    libcrypto: &'static Libcrypto,
    name: &CStr,
    nonces: Nonces,
    request: &Request<'_>,
) -> Result<Box<dyn Function>, CreateError> {
    let mut context = CipherContext::new(libcrypto, name, request.operation, None)?;
    match nonces {
        Nonces::OneLength => checks::check_nonce(request, context.nonce_bytes)?,
        Nonces::AnyLength => set_nonce_bytes(&mut context, request)?,
    }
    context.set_zero_key()?;
    Ok(match request.operation {
        Operation::Open => Box::new(Open(context)),
        _ => Box::new(Seal(context)),
    })
}

fn set_nonce_bytes(context: &mut CipherContext, request: &Request<'_>) -> Result<(), CreateError> {
    let usual = context.nonce_bytes;
    let Some(bytes) = request.nonce_bytes.filter(|bytes| *bytes != usual) else {
        return Ok(());
    };
    let unsupported = || checks::unsupported_nonce(bytes);
    let length = c_int::try_from(bytes).map_err(|_| unsupported())?;
    // SAFETY: this control takes a number and no pointer.
    let status = unsafe {
        (context.libcrypto.EVP_CIPHER_CTX_ctrl)(
            context.context.as_ptr(),
            SET_NONCE_BYTES,
            length,
            ptr::null_mut(),
        )
    };
    context.libcrypto.created(status).map_err(|_| unsupported())?;
    context.nonce_bytes = bytes;
    Ok(())
}

struct Seal(CipherContext);

impl Function for Seal {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0.set_key(key)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        let context = &mut self.0;
        checks::check_length(output.len(), message.input.len() + TAG_BYTES)?;
        let (ciphertext, tag) = output.split_at_mut(message.input.len());
        context.start(message.nonce, None)?;
        context.authenticate(message.aad)?;
        context.update(message.input, ciphertext)?;
        let status = context.finish();
        context.libcrypto.called(status)?;
        let mut tag = Answer::bytes(TAG, tag);
        // SAFETY: the parameter's value is alive, and says how long it is.
        let status = unsafe {
            (context.libcrypto.EVP_CIPHER_CTX_get_params)(
                context.context.as_ptr(),
                tag.as_mut_ptr(),
            )
        };
        context.libcrypto.called(status)
    }
}

struct Open(CipherContext);

impl Function for Open {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0.set_key(key)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        let context = &mut self.0;
        let (ciphertext, tag) = checks::split_tag(message.input, TAG_BYTES)?;
        checks::check_length(output.len(), ciphertext.len())?;
        context.start(message.nonce, Some(&Parameter::bytes(TAG, tag)))?;
        context.authenticate(message.aad)?;
        context.update(ciphertext, output)?;
        if context.finish() > 0 { Ok(()) } else { Err(context.libcrypto.refused()) }
    }
}
