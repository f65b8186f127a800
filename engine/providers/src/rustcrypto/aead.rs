//! Authenticated encryption.

use aes_gcm::aead::array::typenum::Unsigned;
use aes_gcm::aead::inout::InOutBuf;
use aes_gcm::aead::{AeadCore, AeadInOut, KeyInit, Nonce, Tag};

use super::Recipe;
use super::keyed::{self, Process};
use crate::api::*;
use crate::checks;

pub(super) const fn recipe<A>() -> Recipe
where
    A: AeadInOut + KeyInit + Send + 'static,
{
    Recipe::new(|keys, operation| match operation {
        Operation::Open => keyed::function::<A, Open>(keys),
        _ => keyed::function::<A, Seal>(keys),
    })
}

/// GMAC: the tag of a message that is all associated data.
pub(super) const fn gmac<A>() -> Recipe
where
    A: AeadInOut + KeyInit + Send + 'static,
{
    Recipe::new(|keys, operation| match operation {
        Operation::Verify => keyed::function::<A, VerifyGmac>(keys),
        _ => keyed::function::<A, Gmac>(keys),
    })
}

fn nonce<'a, A: AeadCore>(message: &Message<'a>) -> Result<&'a Nonce<A>, CallError> {
    message.nonce.try_into().map_err(|_| CallError::Length)
}

/// Encrypts into `output`, which has room for ciphertext and tag.
fn seal<A: AeadInOut>(
    aead: &A,
    message: &Message<'_>,
    aad: &[u8],
    plaintext: &[u8],
    output: &mut [u8],
) -> Result<(), CallError> {
    let (ciphertext, tag) =
        output.split_at_mut_checked(plaintext.len()).ok_or(CallError::Length)?;
    let tag: &mut Tag<A> = tag.try_into().map_err(|_| CallError::Length)?;
    let text = InOutBuf::new(plaintext, ciphertext).map_err(|_| CallError::Length)?;
    *tag = aead
        .encrypt_inout_detached(nonce::<A>(message)?, aad, text)
        .map_err(|_| CallError::Length)?;
    Ok(())
}

/// Decrypts into `output`, which has room for the plaintext, when the tag is right.
fn open<A: AeadInOut>(
    aead: &A,
    message: &Message<'_>,
    aad: &[u8],
    (ciphertext, tag): (&[u8], &[u8]),
    output: &mut [u8],
) -> Result<(), CallError> {
    let tag: &Tag<A> = tag.try_into().map_err(|_| CallError::Length)?;
    let text = InOutBuf::new(ciphertext, output).map_err(|_| CallError::Length)?;
    aead.decrypt_inout_detached(nonce::<A>(message)?, aad, text, tag)
        .map_err(|_| CallError::Refused)
}

struct Seal;

impl<A: AeadInOut> Process<A> for Seal {
    fn process(aead: &mut A, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        seal(aead, message, message.aad, message.input, output)
    }
}

struct Open;

impl<A: AeadInOut> Process<A> for Open {
    fn process(aead: &mut A, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        let sealed = checks::split_tag(message.input, A::TagSize::USIZE)?;
        open(aead, message, message.aad, sealed, output)
    }
}

struct Gmac;

impl<A: AeadInOut> Process<A> for Gmac {
    fn process(aead: &mut A, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        seal(aead, message, message.input, &[], output)
    }
}

struct VerifyGmac;

impl<A: AeadInOut> Process<A> for VerifyGmac {
    fn process(aead: &mut A, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        let (text, tag) = checks::split_tag(message.input, A::TagSize::USIZE)?;
        open(aead, message, text, (&[], tag), output)
    }
}
