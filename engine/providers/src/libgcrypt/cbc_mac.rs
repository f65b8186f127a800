//! CBC-MAC: the last block of CBC encryption with a zero IV.

use std::ffi::c_int;

use ciphermark_algorithms::Algorithm;

use super::cipher::{CipherHandle, Flags, Mode};
use super::functions::{Libgcrypt, called};
use crate::api::*;
use crate::checks;
use crate::pieces::{Chunks, Cut};
use crate::tag::{self, TagInPieces};

/// Makes the function of `request.operation`.
pub fn create(
    libgcrypt: &'static Libgcrypt,
    algorithm: c_int,
    facts: &Algorithm,
    request: &Request<'_>,
) -> Result<Box<dyn Function>, CreateError> {
    checks::check_nonce(request, 0)?;
    let mode = Mode::Cbc as c_int;
    let handle = CipherHandle::new(libgcrypt, algorithm, mode, Flags::CbcMac, facts, request)?;
    let block_bytes = facts.block_bytes as usize;
    Ok(tag::function(CbcMac { handle, zero: vec![0; block_bytes].into() }, request.operation))
}

struct CbcMac {
    handle: CipherHandle,
    /// The IV, one block.
    zero: Box<[u8]>,
}

impl TagInPieces for CbcMac {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.handle.set_key(key)
    }

    fn tag_bytes(&self) -> usize {
        self.zero.len()
    }

    fn chunks(&self, chunk_bytes: usize) -> Result<Chunks, CallError> {
        Chunks::of(chunk_bytes, self.zero.len())
    }

    fn compute_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        tag: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_blocks(message.input.len(), self.zero.len())?;
        if message.input.is_empty() {
            return Err(CallError::Length);
        }
        self.handle.check_key()?;
        called(self.handle.give(self.handle.libgcrypt.gcry_cipher_setiv, &self.zero))?;
        for piece in cut.pieces(message.input.len(), 1) {
            self.handle.last_block(&message.input[piece], tag)?;
        }
        Ok(())
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.handle.renew(what)
    }
}
