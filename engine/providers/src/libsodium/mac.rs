//! Message authentication codes.

use std::marker::PhantomData;

use ciphermark_algorithms::Algorithm;

use super::construction::{Construction, Incremental, answer};
use super::functions::{Libsodium, OneShot};
use super::state::State;
use crate::api::*;
use crate::checks;
use crate::pieces::Cut;
use crate::tag::{self, ComputeTag, TagInPieces};

/// Makes the function of a MAC that is one call from key and message to tag.
pub fn one_shot(
    libsodium: &'static Libsodium,
    call: OneShot,
    incremental: Option<Incremental>,
    facts: &Algorithm,
    request: &Request<'_>,
) -> Result<Box<dyn Function>, CreateError> {
    checks::check_nonce(request, 0)?;
    let key = vec![0; facts.key_bytes as usize].into();
    let tag_bytes = facts.tag_bytes as usize;
    let mac = OneShotMac { libsodium, call, incremental, key, tag_bytes };
    Ok(tag::function(mac, request.operation))
}

struct OneShotMac {
    libsodium: &'static Libsodium,
    call: OneShot,
    incremental: Option<Incremental>,
    key: Box<[u8]>,
    tag_bytes: usize,
}

impl ComputeTag for OneShotMac {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), self.key.len())?;
        self.key.copy_from_slice(key);
        Ok(())
    }

    fn tag_bytes(&self) -> usize {
        self.tag_bytes
    }

    fn compute(&mut self, message: &Message<'_>, tag: &mut [u8]) -> Result<(), CallError> {
        let (input, bytes) = (message.input.as_ptr(), message.input.len() as u64);
        // SAFETY: key and tag have the MAC's lengths, and the message has so many bytes.
        super::called(unsafe { (self.call)(tag.as_mut_ptr(), input, bytes, self.key.as_ptr()) })
    }

    fn compute_parts(
        &mut self,
        message: &Message<'_>,
        parts: Parts,
        tag: &mut [u8],
    ) -> Result<(), CallError> {
        let incremental = self.incremental.as_mut().ok_or(CallError::Unsupported)?;
        incremental.process(self.libsodium, &self.key, message.input, parts, tag)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        checks::renew_plain_value(what)
    }

    fn equal(&self, one: &[u8], other: &[u8]) -> bool {
        super::equal(self.libsodium, one, other)
    }
}

/// Makes the function of a MAC whose state is kept.
pub fn kept<C: Construction>(
    libsodium: &'static Libsodium,
    facts: &Algorithm,
    request: &Request<'_>,
) -> Result<Box<dyn Function>, CreateError> {
    checks::check_nonce(request, 0)?;
    let state_bytes = C::state_bytes(libsodium);
    let state = State::with_room_for(state_bytes)?;
    let mut mac = KeptMac::<C> {
        libsodium,
        keyed: state,
        working: state,
        state_bytes,
        key_bytes: facts.key_bytes as usize,
        tag_bytes: facts.tag_bytes as usize,
        construction: PhantomData,
    };
    let zero_key = vec![0; mac.key_bytes];
    TagInPieces::set_key(&mut mac, &zero_key)
        .map_err(|error| CreateError::Failed(error.to_string()))?;
    Ok(tag::function(mac, request.operation))
}

struct KeptMac<C> {
    libsodium: &'static Libsodium,
    /// The state after the key.
    keyed: State,
    /// The state that a message is taken into.
    working: State,
    state_bytes: usize,
    key_bytes: usize,
    tag_bytes: usize,
    construction: PhantomData<C>,
}

impl<C: Construction> TagInPieces for KeptMac<C> {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        if !C::ANY_KEY {
            checks::check_length(key.len(), self.key_bytes)?;
        }
        // SAFETY: the state was made with room.
        super::called(unsafe { C::init(self.libsodium, &mut self.keyed, key, self.tag_bytes) })
    }

    fn tag_bytes(&self) -> usize {
        self.tag_bytes
    }

    fn compute_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        tag: &mut [u8],
    ) -> Result<(), CallError> {
        self.working.copy_from(&self.keyed, self.state_bytes);
        // SAFETY: a key was set, and the tag has the length that the state was made for.
        unsafe { answer::<C>(self.libsodium, &mut self.working, message.input, cut, tag) }
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        checks::renew_plain_value(what)
    }

    fn equal(&self, one: &[u8], other: &[u8]) -> bool {
        super::equal(self.libsodium, one, other)
    }
}
