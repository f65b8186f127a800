//! The timed loops.

use std::ops::Range;

use ciphermark_providers::api::{CallError, Function, Message};

use crate::buffer::Slots;
use crate::inputs::{Inputs, advance, counter};

/// Nonces are written this many messages before they are read: a store that is read at once by a
/// wider load would stall, which is no cost of the function.
const NONCE_SLOTS: usize = 32;
const NONCE_AHEAD: u64 = 16;

pub fn ring_of_nonces(base: &[u8]) -> Slots {
    let mut ring = Slots::new(base.len(), NONCE_SLOTS); // all bytes but the counter stay as they are
    (0..NONCE_SLOTS).for_each(|slot| ring.get_mut(slot).copy_from_slice(base));
    ring
}

#[inline(never)]
pub fn run_fresh(
    function: &mut dyn Function,
    inputs: &Inputs,
    nonces: &mut Slots,
    answers: &mut Slots,
    messages: Range<u64>,
) -> Result<(), CallError> {
    let start = counter(&inputs.nonce);
    begin_ring(nonces, start, &messages);
    let mut slot = first_slot(answers, &messages);
    for index in messages {
        let later = index + NONCE_AHEAD;
        advance(nonces.get_mut(later as usize % NONCE_SLOTS), start, later);
        let nonce = nonces.get(index as usize % NONCE_SLOTS);
        let message = Message { nonce, aad: &[], input: &inputs.message };
        function.process(&message, answers.get_mut(slot))?;
        slot = next(slot, answers.count());
    }
    Ok(())
}

#[inline(never)]
pub fn run_replay(
    function: &mut dyn Function,
    nonces: &Slots,
    ring: &Slots,
    answers: &mut Slots,
    messages: Range<u64>,
) -> Result<(), CallError> {
    let (mut prepared, mut slot) = (first_slot(ring, &messages), first_slot(answers, &messages));
    for _ in messages {
        let message = Message { nonce: nonces.get(prepared), aad: &[], input: ring.get(prepared) };
        function.process(&message, answers.get_mut(slot))?;
        prepared = next(prepared, ring.count());
        slot = next(slot, answers.count());
    }
    Ok(())
}

#[inline(never)]
pub fn run_setup(
    function: &mut dyn Function,
    inputs: &Inputs,
    keys: &mut Slots,
    messages: Range<u64>,
) -> Result<(), CallError> {
    let start = counter(&inputs.key);
    begin_ring(keys, start, &messages);
    for index in messages {
        let later = index + NONCE_AHEAD;
        advance(keys.get_mut(later as usize % NONCE_SLOTS), start, later);
        function.set_key(keys.get(index as usize % NONCE_SLOTS))?;
    }
    Ok(())
}

/// Writes the nonces (or keys) that the first messages read; later parts go on from the one before.
fn begin_ring(ring: &mut Slots, start: Option<u64>, messages: &Range<u64>) {
    if messages.start == 0 {
        (0..NONCE_AHEAD).for_each(|index| advance(ring.get_mut(index as usize), start, index));
    }
}

fn first_slot(slots: &Slots, messages: &Range<u64>) -> usize {
    (messages.start % slots.count() as u64) as usize
}

#[inline]
fn next(slot: usize, count: usize) -> usize {
    if slot + 1 == count { 0 } else { slot + 1 }
}
