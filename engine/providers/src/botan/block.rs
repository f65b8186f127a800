//! Block ciphers without a mode: each block by itself.

use std::ffi::CStr;

use ciphermark_algorithms::Algorithm;

use super::functions::{Blocks, Botan, Object, botan_block_cipher_struct, called, give};
use crate::api::*;
use crate::checks;

pub struct BlockCipher {
    botan: &'static Botan,
    object: Object<botan_block_cipher_struct>,
    transform: Blocks,
    key_bytes: usize,
    block_bytes: usize,
}

impl BlockCipher {
    /// A cipher with the key zero, so that there is no state without one.
    pub fn new(
        botan: &'static Botan,
        name: &CStr,
        facts: &Algorithm,
        request: &Request<'_>,
    ) -> Result<Self, CreateError> {
        checks::check_nonce(request, 0)?;
        // SAFETY: these two make and destroy block ciphers.
        let object = unsafe {
            let init = |object: *mut _, name| (botan.botan_block_cipher_init)(object, name);
            botan.make(name, init, botan.botan_block_cipher_destroy)?
        };
        let transform = match request.operation {
            Operation::Decrypt => botan.botan_block_cipher_decrypt_blocks,
            _ => botan.botan_block_cipher_encrypt_blocks,
        };
        let (key_bytes, block_bytes) = (facts.key_bytes as usize, facts.block_bytes as usize);
        botan.created(give(&object, botan.botan_block_cipher_set_key, &vec![0; key_bytes]))?;
        Ok(Self { botan, object, transform, key_bytes, block_bytes })
    }
}

impl Function for BlockCipher {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), self.key_bytes)?;
        called(give(&self.object, self.botan.botan_block_cipher_set_key, key))
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        let input = message.input;
        checks::check_blocks(input.len(), self.block_bytes)?;
        checks::check_length(output.len(), input.len())?;
        let blocks = input.len() / self.block_bytes;
        // SAFETY: the object is alive, and both buffers have so many blocks.
        called(unsafe {
            (self.transform)(self.object.as_ptr(), input.as_ptr(), output.as_mut_ptr(), blocks)
        })
    }
}
