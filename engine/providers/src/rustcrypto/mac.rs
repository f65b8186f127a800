//! Message authentication codes that have one key for all messages and take no nonce.

use ::cbc_mac::CbcMac;
use ::cmac::Cmac;
use ::cmac::block_api::CmacCipher;
use ::hmac::digest::block_api::SmallBlockSizeUser;
use ::hmac::digest::typenum::Unsigned;
use ::hmac::digest::{FixedOutputReset, Output};
use ::hmac::{KeyInit, Mac};
use aes::cipher::BlockCipherEncrypt;

use super::Recipe;
use super::keyed::{self, Pieces, ProcessPieces};
use crate::api::*;
use crate::checks;
use crate::pieces::Cut;

pub(super) const fn recipe<M>() -> Recipe
where
    M: Mac + FixedOutputReset + KeyInit + Send + 'static,
{
    Recipe::new(|keys, operation| match operation {
        Operation::Verify => keyed::function::<M, Pieces<Verify>>(keys),
        _ => keyed::function::<M, Pieces<Tag>>(keys),
    })
}

/// HMAC hashes a key that is longer than a block first.
pub(super) const fn hmac<M>() -> Recipe
where
    M: Mac + FixedOutputReset + KeyInit + Send + 'static,
{
    recipe::<M>().with_keys_of_any_length()
}

pub(super) const fn cmac<C>() -> Recipe
where
    C: CmacCipher + KeyInit + Send + 'static,
    Cmac<C>: Mac + FixedOutputReset + KeyInit + Send + 'static,
{
    recipe::<Cmac<C>>()
}

/// CBC-MAC of whole blocks. The crate pads a part of one with zeros, which the function that is
/// named does not.
pub(super) const fn cbc_mac<C>() -> Recipe
where
    C: BlockCipherEncrypt + SmallBlockSizeUser + KeyInit + Send + 'static,
    CbcMac<C>: Mac + FixedOutputReset + KeyInit + Send + 'static,
{
    Recipe::new(|keys, operation| match operation {
        Operation::Verify => keyed::function::<CbcMac<C>, Pieces<WholeBlocks<Verify>>>(keys),
        _ => keyed::function::<CbcMac<C>, Pieces<WholeBlocks<Tag>>>(keys),
    })
}

fn update<M: Mac>(mac: &mut M, input: &[u8], cut: impl Cut) {
    for piece in cut.pieces(input.len(), 1) {
        Mac::update(mac, &input[piece]);
    }
}

struct Tag;

impl<M: Mac + FixedOutputReset> ProcessPieces<M> for Tag {
    const REPEATS: bool = true;

    fn process(
        mac: &mut M,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        let tag: &mut Output<M> = output.try_into().map_err(|_| CallError::Length)?;
        update(mac, message.input, cut);
        mac.finalize_into_reset(tag);
        Ok(())
    }
}

struct Verify;

impl<M: Mac + FixedOutputReset> ProcessPieces<M> for Verify {
    const REPEATS: bool = true;

    fn process(
        mac: &mut M,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_length(output.len(), 0)?;
        let (text, tag) = checks::split_tag(message.input, M::OutputSize::USIZE)?;
        let tag: &Output<M> = tag.try_into().map_err(|_| CallError::Length)?;
        update(mac, text, cut);
        mac.verify_reset(tag).map_err(|_| CallError::Refused)
    }
}

/// `P` on a MAC whose tag is a block.
struct WholeBlocks<P>(P);

impl<M: Mac, P: ProcessPieces<M>> ProcessPieces<M> for WholeBlocks<P> {
    const BLOCK_BYTES: usize = M::OutputSize::USIZE;
    const REPEATS: bool = P::REPEATS;

    fn process(
        mac: &mut M,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_blocks(message.input.len(), M::OutputSize::USIZE)?;
        P::process(mac, message, cut, output)
    }
}
