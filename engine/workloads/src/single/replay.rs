//! Messages that are prepared before anything is timed.

use ciphermark_providers::api::{CreateError, Function, Message, Operation, input_bytes};
use ciphermark_record::description::Algorithm;

use super::{MOST_SLOTS, Work, failed};
use crate::buffer::Slots;
use crate::inputs::{Inputs, advance, counter};

/// Prepared messages that `open`, `verify` and `decrypt` replay: within half a first-level cache.
const REPLAY_BYTES: usize = 16 * 1024;

/// The messages that the receiving side replays, made by the sending side.
pub fn replayed(
    sender: &mut dyn Function,
    operation: Operation,
    algorithm: &Algorithm,
    inputs: &Inputs,
) -> Result<Work, CreateError> {
    let tag_bytes = algorithm.tag_bytes as usize;
    let plain = inputs.message.len();
    sender.set_key(&inputs.key).map_err(failed)?;
    let mut messages =
        Slots::within(input_bytes(operation, plain, tag_bytes), REPLAY_BYTES, MOST_SLOTS);
    let mut nonces = Slots::new(inputs.nonce.len(), messages.count());
    for slot in 0..messages.count() {
        nonces.get_mut(slot).copy_from_slice(&inputs.nonce);
        advance(nonces.get_mut(slot), counter(&inputs.nonce), slot as u64);
        let message = Message { nonce: nonces.get(slot), aad: &[], input: &inputs.message };
        let prepared = messages.get_mut(slot);
        // A verified message travels with its tag behind it; the others are the sender's answer.
        let answer = if operation == Operation::Verify {
            prepared[..plain].copy_from_slice(&inputs.message);
            &mut prepared[plain..]
        } else {
            prepared
        };
        sender.process(&message, answer).map_err(failed)?;
    }
    Ok(Work::Replay { nonces, messages })
}
