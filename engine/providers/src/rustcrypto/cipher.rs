//! Block ciphers: block by block (ECB), in CBC mode without padding and in CTR mode.
//!
//! A mode object borrows the kept block cipher, so it costs no copy of the key schedule.

use ::cbc::{Decryptor, Encryptor};
use ::ctr::{Ctr128BE, CtrCore};
use aes::cipher::consts::U16;
use aes::cipher::typenum::Unsigned;
use aes::cipher::{
    Block, BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt,
    BlockSizeUser, InnerIvInit, KeyInit, StreamCipher,
};

use super::Recipe;
use super::keyed::{self, Pieces, ProcessPieces};
use crate::api::*;
use crate::checks;
use crate::pieces::Cut;

pub(super) const fn ecb<C>() -> Recipe
where
    C: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + Send + 'static,
{
    Recipe::new(|keys, operation| match operation {
        Operation::Decrypt => keyed::function::<C, Pieces<EcbDecrypt>>(keys),
        _ => keyed::function::<C, Pieces<EcbEncrypt>>(keys),
    })
}

pub(super) const fn cbc<C>() -> Recipe
where
    C: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + Send + 'static,
{
    Recipe::new(|keys, operation| match operation {
        Operation::Decrypt => keyed::function::<C, Pieces<CbcDecrypt>>(keys),
        _ => keyed::function::<C, Pieces<CbcEncrypt>>(keys),
    })
}

/// CTR with a 128-bit big-endian counter that starts at the IV; both directions are the same.
pub(super) const fn ctr<C>() -> Recipe
where
    C: BlockCipherEncrypt<BlockSize = U16> + KeyInit + Send + 'static,
{
    Recipe::new(|keys, _| keyed::function::<C, Pieces<Ctr>>(keys))
}

fn iv<'a, C: BlockSizeUser>(message: &Message<'a>) -> Result<&'a Block<C>, CallError> {
    message.nonce.try_into().map_err(|_| CallError::Length)
}

/// Turns the pieces of the input into those of the output by `run`.
fn each_piece(
    message: &Message<'_>,
    cut: impl Cut,
    output: &mut [u8],
    mut run: impl FnMut(&[u8], &mut [u8]) -> Result<(), CallError>,
) -> Result<(), CallError> {
    checks::check_length(output.len(), message.input.len())?;
    for piece in cut.pieces(output.len(), 1) {
        run(&message.input[piece.clone()], &mut output[piece])?;
    }
    Ok(())
}

/// The same for modes that take blocks.
fn each_piece_of_blocks<C: BlockSizeUser, E>(
    message: &Message<'_>,
    cut: impl Cut,
    output: &mut [u8],
    mut run: impl FnMut(&[Block<C>], &mut [Block<C>]) -> Result<(), E>,
) -> Result<(), CallError> {
    each_piece(message, cut, output, |input, output| {
        run(blocks::<C>(input)?, blocks_mut::<C>(output)?).map_err(|_| CallError::Length)
    })
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

impl<C: BlockCipherEncrypt> ProcessPieces<C> for EcbEncrypt {
    const BLOCK_BYTES: usize = C::BlockSize::USIZE;

    fn process(
        cipher: &mut C,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        each_piece_of_blocks::<C, _>(message, cut, output, |input, output| {
            cipher.encrypt_blocks_b2b(input, output)
        })
    }
}

struct EcbDecrypt;

impl<C: BlockCipherDecrypt> ProcessPieces<C> for EcbDecrypt {
    const BLOCK_BYTES: usize = C::BlockSize::USIZE;

    fn process(
        cipher: &mut C,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        each_piece_of_blocks::<C, _>(message, cut, output, |input, output| {
            cipher.decrypt_blocks_b2b(input, output)
        })
    }
}

struct CbcEncrypt;

impl<C: BlockCipherEncrypt> ProcessPieces<C> for CbcEncrypt {
    const BLOCK_BYTES: usize = C::BlockSize::USIZE;

    fn process(
        cipher: &mut C,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        let mut cbc = Encryptor::inner_iv_init(&*cipher, iv::<C>(message)?);
        each_piece_of_blocks::<C, _>(message, cut, output, |input, output| {
            cbc.encrypt_blocks_b2b(input, output)
        })
    }
}

struct CbcDecrypt;

impl<C: BlockCipherDecrypt> ProcessPieces<C> for CbcDecrypt {
    const BLOCK_BYTES: usize = C::BlockSize::USIZE;

    fn process(
        cipher: &mut C,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        let mut cbc = Decryptor::inner_iv_init(&*cipher, iv::<C>(message)?);
        each_piece_of_blocks::<C, _>(message, cut, output, |input, output| {
            cbc.decrypt_blocks_b2b(input, output)
        })
    }
}

struct Ctr;

impl<C: BlockCipherEncrypt<BlockSize = U16>> ProcessPieces<C> for Ctr {
    fn process(
        cipher: &mut C,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        let core = CtrCore::inner_iv_init(&*cipher, iv::<C>(message)?);
        let mut ctr = Ctr128BE::from_core(core);
        each_piece(message, cut, output, |input, output| {
            ctr.try_apply_keystream_b2b(input, output).map_err(|_| CallError::Length)
        })
    }
}
