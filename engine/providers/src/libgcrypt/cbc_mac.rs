//! CBC-MAC: the last block of CBC encryption with a zero IV.

use std::ffi::c_int;

use ciphermark_algorithms::Algorithm;

use super::cipher::{CipherHandle, Flags, Mode};
use super::functions::{Libgcrypt, called};
use crate::api::*;
use crate::checks;
use crate::pieces::{Chunks, Cut, Whole};
use crate::tag::{self, ComputeTag};

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

impl CbcMac {
    fn compute_pieces(
        &mut self,
        input: &[u8],
        cut: impl Cut,
        tag: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_blocks(input.len(), self.zero.len())?;
        if input.is_empty() {
            return Err(CallError::Length);
        }
        self.handle.check_key()?;
        called(self.handle.give(self.handle.libgcrypt.gcry_cipher_setiv, &self.zero))?;
        for piece in cut.pieces(input.len(), 1) {
            self.handle.last_block(&input[piece], tag)?;
        }
        Ok(())
    }
}

impl ComputeTag for CbcMac {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.handle.set_key(key)
    }

    fn tag_bytes(&self) -> usize {
        self.zero.len()
    }

    fn compute(&mut self, message: &Message<'_>, tag: &mut [u8]) -> Result<(), CallError> {
        self.compute_pieces(message.input, Whole, tag)
    }

    fn compute_chunks(
        &mut self,
        message: &Message<'_>,
        chunk_bytes: usize,
        tag: &mut [u8],
    ) -> Result<(), CallError> {
        self.compute_pieces(message.input, Chunks::of(chunk_bytes, self.zero.len())?, tag)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.handle.renew(what)
    }
}
