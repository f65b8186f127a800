//! CBC-MAC: the last block of CBC encryption with a zero IV.

use std::ffi::c_int;

use ciphermark_algorithms::Algorithm;

use super::cipher::{CipherHandle, Flags, Mode};
use super::functions::{Libgcrypt, called};
use crate::api::*;
use crate::checks;
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

impl ComputeTag for CbcMac {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.handle.set_key(key)
    }

    fn tag_bytes(&self) -> usize {
        self.zero.len()
    }

    fn compute(&mut self, message: &Message<'_>, tag: &mut [u8]) -> Result<(), CallError> {
        let input = message.input;
        checks::check_blocks(input.len(), self.zero.len())?;
        if input.is_empty() {
            return Err(CallError::Length);
        }
        called(self.handle.give(self.handle.libgcrypt.gcry_cipher_setiv, &self.zero))?;
        self.handle.last_block(input, tag)
    }
}
