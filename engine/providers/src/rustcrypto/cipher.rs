//! Block ciphers in CBC mode without padding and in CTR mode.
//!
//! A mode object borrows the kept block cipher, so it costs no copy of the key schedule.

use ::cbc::{Decryptor, Encryptor};
use ::ctr::{Ctr128BE, CtrCore};
use aes::cipher::consts::U16;
use aes::cipher::{
    Block, BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt,
    BlockSizeUser, InnerIvInit, KeyInit, StreamCipher,
};
use ciphermark_record::description::Kind;

use super::Entry;
use super::keyed::{self, Process};
use crate::api::*;

/// Bytes of a block, and so of an IV, of the ciphers here.
const BLOCK_BYTES: usize = 16;

pub(super) const fn cbc<C>(algorithm: &'static str) -> Entry
where
    C: BlockCipherEncrypt<BlockSize = U16> + BlockCipherDecrypt + KeyInit + Send + 'static,
{
    entry(algorithm, |operation| match operation {
        Operation::Decrypt => keyed::function::<C, CbcDecrypt>(),
        _ => keyed::function::<C, CbcEncrypt>(),
    })
}

/// CTR with a 128-bit big-endian counter that starts at the IV; both directions are the same.
pub(super) const fn ctr<C>(algorithm: &'static str) -> Entry
where
    C: BlockCipherEncrypt<BlockSize = U16> + KeyInit + Send + 'static,
{
    entry(algorithm, |_| keyed::function::<C, Ctr>())
}

const fn entry(algorithm: &'static str, create: fn(Operation) -> Box<dyn Function>) -> Entry {
    Entry { algorithm, kind: Kind::Cipher, nonce_bytes: BLOCK_BYTES, constant_time: None, create }
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
