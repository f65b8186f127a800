//! Block ciphers without a mode: each block by itself.

use std::ffi::{CStr, c_int};

use ciphermark_algorithms::Algorithm;

use super::functions::{Blocks, Botan, Object, botan_block_cipher_struct, called, give, remake};
use crate::api::*;
use crate::checks;
use crate::pieces::{Chunks, Cut, FunctionInPieces};

pub struct BlockCipher {
    botan: &'static Botan,
    name: &'static CStr,
    object: Object<botan_block_cipher_struct>,
    transform: Blocks,
    key_bytes: usize,
    block_bytes: usize,
}

impl BlockCipher {
    /// A cipher with the key zero, so that there is no state without one.
    pub fn new(
        botan: &'static Botan,
        name: &'static CStr,
        facts: &Algorithm,
        request: &Request<'_>,
    ) -> Result<Self, CreateError> {
        checks::check_nonce(request, 0)?;
        let object = botan.made(name, make(botan, name))?;
        let transform = match request.operation {
            Operation::Decrypt => botan.botan_block_cipher_decrypt_blocks,
            _ => botan.botan_block_cipher_encrypt_blocks,
        };
        let (key_bytes, block_bytes) = (facts.key_bytes as usize, facts.block_bytes as usize);
        botan.created(give(&object, botan.botan_block_cipher_set_key, &vec![0; key_bytes]))?;
        Ok(Self { botan, name, object, transform, key_bytes, block_bytes })
    }

    /// Both have as many whole blocks.
    fn process_blocks(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), CallError> {
        let blocks = output.len() / self.block_bytes;
        // SAFETY: the object is alive, and both buffers have so many blocks.
        called(unsafe {
            (self.transform)(self.object.as_ptr(), input.as_ptr(), output.as_mut_ptr(), blocks)
        })
    }
}

fn make(botan: &Botan, name: &CStr) -> Result<Object<botan_block_cipher_struct>, c_int> {
    // SAFETY: there is room for the object.
    let init = |object: *mut _, name| unsafe { (botan.botan_block_cipher_init)(object, name) };
    // SAFETY: these two make and destroy block ciphers.
    unsafe { Botan::make(name, init, botan.botan_block_cipher_destroy) }
}

impl FunctionInPieces for BlockCipher {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), self.key_bytes)?;
        called(give(&self.object, self.botan.botan_block_cipher_set_key, key))
    }

    fn chunks(&self, chunk_bytes: usize) -> Result<Chunks, CallError> {
        Chunks::of(chunk_bytes, self.block_bytes)
    }

    fn process_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_blocks(message.input.len(), self.block_bytes)?;
        checks::check_length(output.len(), message.input.len())?;
        for piece in cut.pieces(message.input.len(), 1) {
            self.process_blocks(&message.input[piece.clone()], &mut output[piece])?;
        }
        Ok(())
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        remake(what, &mut self.object, || make(self.botan, self.name))
    }
}
