//! Authenticated encryption.

use aes_gcm::aead::array::typenum::Unsigned;
use aes_gcm::aead::inout::InOutBuf;
use aes_gcm::aead::{AeadCore, AeadInOut, KeyInit, Nonce, Tag};
use ciphermark_record::description::Kind;

use super::Entry;
use super::keyed::{self, Process};
use crate::api::*;
use crate::checks;

pub(super) const fn entry<A>(algorithm: &'static str) -> Entry
where
    A: AeadInOut + KeyInit + Send + 'static,
{
    Entry {
        algorithm,
        kind: Kind::Aead,
        nonce_bytes: <A as AeadCore>::NonceSize::USIZE,
        constant_time: None,
        create: |operation| match operation {
            Operation::Open => keyed::function::<A, Open>(),
            _ => keyed::function::<A, Seal>(),
        },
    }
}

fn nonce<'a, A: AeadCore>(message: &Message<'a>) -> Result<&'a Nonce<A>, CallError> {
    message.nonce.try_into().map_err(|_| CallError::Length)
}

struct Seal;

impl<A: AeadInOut> Process<A> for Seal {
    fn process(aead: &mut A, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        let plaintext = message.input;
        let (ciphertext, tag) =
            output.split_at_mut_checked(plaintext.len()).ok_or(CallError::Length)?;
        let tag: &mut Tag<A> = tag.try_into().map_err(|_| CallError::Length)?;
        let text = InOutBuf::new(plaintext, ciphertext).map_err(|_| CallError::Length)?;
        *tag = aead
            .encrypt_inout_detached(nonce::<A>(message)?, message.aad, text)
            .map_err(|_| CallError::Length)?;
        Ok(())
    }
}

struct Open;

impl<A: AeadInOut> Process<A> for Open {
    fn process(aead: &mut A, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        let (ciphertext, tag) = checks::split_tag(message.input, A::TagSize::USIZE)?;
        let tag: &Tag<A> = tag.try_into().map_err(|_| CallError::Length)?;
        let text = InOutBuf::new(ciphertext, output).map_err(|_| CallError::Length)?;
        aead.decrypt_inout_detached(nonce::<A>(message)?, message.aad, text, tag)
            .map_err(|_| CallError::Refused)
    }
}
