//! Ciphers without authentication: ECB, CBC without padding, CTR.

use std::ffi::CStr;

use super::context::{CipherContext, Settings};
use super::libcrypto::Libcrypto;
use crate::api::*;
use crate::checks;
use crate::pieces::{Chunks, Cut, FunctionInPieces};

/// Encryption or decryption.
pub struct Cipher(CipherContext);

impl Cipher {
    pub fn new(
        libcrypto: &'static Libcrypto,
        name: &'static CStr,
        request: &Request<'_>,
    ) -> Result<Self, CreateError> {
        let mut context =
            CipherContext::new(libcrypto, name, request.operation, Settings::Unpadded)?;
        checks::check_nonce(request, context.nonce_bytes)?;
        context.set_zero_key().map_err(|error| libcrypto.failed(error))?;
        Ok(Self(context))
    }
}

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
        checks::check_blocks(message.input.len(), context.block_bytes)?;
        checks::check_length(output.len(), message.input.len())?;
        context.start(message.nonce, None)?;
        let rest = context.transform(message.input, cut, output)?;
        context.finish_unchecked(rest)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.0.renew(what)
    }
}
