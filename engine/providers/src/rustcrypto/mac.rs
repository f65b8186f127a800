//! Message authentication codes.

use ciphermark_record::description::Kind;
use hmac::digest::typenum::Unsigned;
use hmac::digest::{FixedOutputReset, Output};
use hmac::{KeyInit, Mac};

use super::Entry;
use super::keyed::{self, Process};
use crate::api::*;
use crate::checks;

pub(super) const fn entry<M>(algorithm: &'static str) -> Entry
where
    M: Mac + FixedOutputReset + KeyInit + Send + 'static,
{
    Entry {
        algorithm,
        kind: Kind::Mac,
        nonce_bytes: 0,
        constant_time: None,
        create: |operation| match operation {
            Operation::Verify => keyed::function::<M, Verify>(),
            _ => keyed::function::<M, Tag>(),
        },
    }
}

struct Tag;

impl<M: Mac + FixedOutputReset> Process<M> for Tag {
    fn process(mac: &mut M, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        let tag: &mut Output<M> = output.try_into().map_err(|_| CallError::Length)?;
        Mac::update(mac, message.input);
        mac.finalize_into_reset(tag);
        Ok(())
    }
}

struct Verify;

impl<M: Mac + FixedOutputReset> Process<M> for Verify {
    fn process(mac: &mut M, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        checks::check_length(output.len(), 0)?;
        let (text, tag) = checks::split_tag(message.input, M::OutputSize::USIZE)?;
        let tag: &Output<M> = tag.try_into().map_err(|_| CallError::Length)?;
        Mac::update(mac, text);
        mac.verify_reset(tag).map_err(|_| CallError::Refused)
    }
}
