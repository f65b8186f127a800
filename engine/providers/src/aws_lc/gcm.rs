//! GCM, and GMAC, which is GCM of a message that is all associated data.

use std::ffi::c_int;

use aws_lc_sys::{EVP_CTRL_AEAD_GET_TAG, EVP_CTRL_AEAD_SET_TAG};

use super::answers::{called, refused};
use super::cipher::{CipherContext, NewCipher};
use crate::api::*;
use crate::checks;
use crate::pieces::{Cut, FunctionInPieces};
use crate::tag::{self, TagInPieces};

/// Full tags.
const TAG_BYTES: usize = 16;

/// Makes the function of `request.operation`, for nonces of the length it asks for.
pub fn create(cipher: NewCipher, request: &Request<'_>) -> Result<Box<dyn Function>, CreateError> {
    let mut context = CipherContext::new(cipher, request.operation)?;
    if let Some(bytes) = request.nonce_bytes {
        context.set_nonce_bytes(bytes).map_err(|_| checks::unsupported_nonce(bytes))?;
    }
    Ok(match request.operation {
        Operation::Open => Box::new(Open(context)),
        _ => Box::new(Seal(context)),
    })
}

pub fn gmac(cipher: NewCipher, operation: Operation) -> Result<Box<dyn Function>, CreateError> {
    Ok(tag::function(Gmac(CipherContext::new(cipher, Operation::Seal)?), operation))
}

/// Ends a message that was encrypted, with its tag.
fn finish(context: &mut CipherContext, tag: &mut [u8]) -> Result<(), CallError> {
    checks::check_length(tag.len(), TAG_BYTES)?;
    called(context.finish())?;
    // SAFETY: the tag has the length given.
    called(unsafe { context.control(EVP_CTRL_AEAD_GET_TAG, TAG_BYTES as c_int, tag.as_mut_ptr()) })
}

struct Seal(CipherContext);

impl FunctionInPieces for Seal {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0.set_key(key)
    }

    fn process_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        let context = &mut self.0;
        let (ciphertext, tag) =
            output.split_at_mut_checked(message.input.len()).ok_or(CallError::Length)?;
        checks::check_length(tag.len(), TAG_BYTES)?;
        context.start(message.nonce)?;
        context.authenticate(message.aad)?;
        context.update(message.input, cut, ciphertext)?;
        finish(context, tag)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.0.renew(what)
    }
}

struct Open(CipherContext);

impl FunctionInPieces for Open {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0.set_key(key)
    }

    fn process_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        let context = &mut self.0;
        let (ciphertext, tag) = checks::split_tag(message.input, TAG_BYTES)?;
        context.start(message.nonce)?;
        context.authenticate(message.aad)?;
        context.update(ciphertext, cut, output)?;
        // SAFETY: the tag has the length given, and this command only reads it.
        called(unsafe {
            context.control(EVP_CTRL_AEAD_SET_TAG, TAG_BYTES as c_int, tag.as_ptr().cast_mut())
        })?;
        if context.finish() == 1 { Ok(()) } else { Err(refused()) }
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.0.renew(what)
    }
}

struct Gmac(CipherContext);

impl TagInPieces for Gmac {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0.set_key(key)
    }

    fn tag_bytes(&self) -> usize {
        TAG_BYTES
    }

    fn compute_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        tag: &mut [u8],
    ) -> Result<(), CallError> {
        self.0.start(message.nonce)?;
        for piece in cut.pieces(message.input.len(), 1) {
            self.0.authenticate(&message.input[piece])?;
        }
        finish(&mut self.0, tag)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.0.renew(what)
    }

    fn equal(&self, one: &[u8], other: &[u8]) -> bool {
        super::mac::equal(one, other)
    }
}
