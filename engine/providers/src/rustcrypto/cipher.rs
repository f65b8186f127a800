//! Block ciphers: block by block (ECB), in CBC mode without padding and in CTR mode.
//!
//! A mode object borrows the kept block cipher, so it costs no copy of the key schedule.

use ::cbc::{Decryptor, Encryptor};
use ::ctr::{Ctr128BE, CtrCore};
use aes::cipher::consts::U16;
use aes::cipher::{
    Block, BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt,
    BlockSizeUser, InnerIvInit, KeyInit, StreamCipher,
};

use super::Recipe;
use super::keyed::{self, Process};
use crate::api::*;

pub(super) const fn ecb<C>() -> Recipe
where
    C: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + Send + 'static,
{
    Recipe::new(|keys, operation| match operation {
        Operation::Decrypt => keyed::function::<C, EcbDecrypt>(keys),
        _ => keyed::function::<C, EcbEncrypt>(keys),
    })
}

pub(super) const fn cbc<C>() -> Recipe
where
    C: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + Send + 'static,
{
    Recipe::new(|keys, operation| match operation {
        Operation::Decrypt => keyed::function::<C, CbcDecrypt>(keys),
        _ => keyed::function::<C, CbcEncrypt>(keys),
    })
}

/// CTR with a 128-bit big-endian counter that starts at the IV; both directions are the same.
pub(super) const fn ctr<C>() -> Recipe
where
    C: BlockCipherEncrypt<BlockSize = U16> + KeyInit + Send + 'static,
{
    Recipe::new(|keys, _| keyed::function::<C, Ctr>(keys))
}

fn iv<'a, C: BlockSizeUser>(message: &Message<'a>) -> Result<&'a Block<C>, CallError> {
    message.nonce.try_into().map_err(|_| CallError::Length)
}

fn blocks<C: BlockSizeUser>(bytes: &[u8]) -> Result<&[Block<C>], CallError> {
    match Block::<C>::slice_as_chunks(bytes) {
        (blocks, []) => Ok(blocks),
        _ => Err(CallError::Length),
    }
}

fn blocks_mut<C: BlockSizeUser>(bytes: &mut [u8]) -> Result<&mut [Block<C>], CallError> {
    match Block::<C>::slice_as_chunks_mut(bytes) {
        (blocks, []) => Ok(blocks),
        _ => Err(CallError::Length),
    }
}

struct EcbEncrypt;

impl<C: BlockCipherEncrypt> Process<C> for EcbEncrypt {
    fn process(cipher: &mut C, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        cipher
            .encrypt_blocks_b2b(blocks::<C>(message.input)?, blocks_mut::<C>(output)?)
            .map_err(|_| CallError::Length)
    }
}

struct EcbDecrypt;

impl<C: BlockCipherDecrypt> Process<C> for EcbDecrypt {
    fn process(cipher: &mut C, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        cipher
            .decrypt_blocks_b2b(blocks::<C>(message.input)?, blocks_mut::<C>(output)?)
            .map_err(|_| CallError::Length)
    }
}

struct CbcEncrypt;

impl<C: BlockCipherEncrypt> Process<C> for CbcEncrypt {
    fn process(cipher: &mut C, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        Encryptor::inner_iv_init(&*cipher, iv::<C>(message)?)
            .encrypt_blocks_b2b(blocks::<C>(message.input)?, blocks_mut::<C>(output)?)
            .map_err(|_| CallError::Length)
    }
}

struct CbcDecrypt;

impl<C: BlockCipherDecrypt> Process<C> for CbcDecrypt {
    fn process(cipher: &mut C, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        Decryptor::inner_iv_init(&*cipher, iv::<C>(message)?)
            .decrypt_blocks_b2b(blocks::<C>(message.input)?, blocks_mut::<C>(output)?)
            .map_err(|_| CallError::Length)
    }
}

struct Ctr;

impl<C: BlockCipherEncrypt<BlockSize = U16>> Process<C> for Ctr {
    fn process(cipher: &mut C, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        Ctr128BE::from_core(CtrCore::inner_iv_init(&*cipher, iv::<C>(message)?))
            .try_apply_keystream_b2b(message.input, output)
            .map_err(|_| CallError::Length)
    }
}
