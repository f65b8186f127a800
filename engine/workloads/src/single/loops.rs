//! The timed loops.

use std::ops::Range;

use ciphermark_providers::api::{CallError, Function, Message};

use super::calls::{Batches, Call};
use super::lengths::Lengths;
use super::source::{Growing, Place, Source};
use crate::buffer::View;

/// One message a call.
#[inline(never)]
pub fn run<S: Source, C: Call>(
    source: &mut S,
    mut call: C,
    mut answers: View<'_>,
    lengths: impl Lengths,
    messages: Range<u64>,
) -> Result<(), CallError> {
    source.begin(&messages);
    let mut turn = (messages.start % lengths.period() as u64) as usize;
    let period = source.period() as usize;
    let mut number = (messages.start % source.period()) as usize;
    let mut slot = (messages.start % answers.count() as u64) as usize;
    for index in messages {
        source.look_ahead(index);
        let message = cut(source.message(Place { index, number, slot, lane: 0 }), lengths, turn);
        call.call(number, &message, lengths.answer(turn, answers.get_mut(slot)))?;
        turn = next(turn, lengths.period());
        number = next(number, period);
        slot = next(slot, answers.count());
    }
    Ok(())
}

/// A message of each lane in one call. Rings have a multiple of a call's slots, and profiles of its
/// messages, so that no call lies at both ends of one.
#[inline(never)]
pub fn run_lanes<S: Source>(
    source: &mut S,
    batches: &mut Batches,
    mut answers: View<'_>,
    lengths: impl Lengths,
    messages: Range<u64>,
) -> Result<(), CallError> {
    source.begin(&messages);
    let mut turn = (messages.start % lengths.period() as u64) as usize;
    let lanes = batches.lanes;
    let period = source.period() as usize;
    let mut number = (messages.start % source.period()) as usize;
    let mut slot = (messages.start % answers.count() as u64) as usize;
    for index in messages.step_by(lanes) {
        (index..index + lanes as u64).for_each(|index| source.look_ahead(index));
        let message = |lane: usize| {
            let place = Place {
                index: index + lane as u64,
                number: number + lane,
                slot: slot + lane,
                lane,
            };
            cut(source.message(place), lengths, turn + lane)
        };
        let places = answers.from(slot).take(lanes).zip(turn..);
        let places = places.map(|(slot, turn)| lengths.answer(turn, slot));
        batches.call((0..lanes).map(message), places)?;
        turn = (turn + lanes) % lengths.period();
        number = next(number + lanes - 1, period);
        slot = next(slot + lanes - 1, answers.count());
    }
    Ok(())
}

/// One key schedule after the other.
#[inline(never)]
pub fn run_setup(
    function: &mut dyn Function,
    keys: &mut Growing,
    messages: Range<u64>,
) -> Result<(), CallError> {
    keys.begin(&messages);
    for index in messages {
        keys.look_ahead(index);
        function.set_key(keys.get(index))?;
    }
    Ok(())
}

/// The message that has its turn, of what lies in its slot.
#[inline]
fn cut<'a>(message: Message<'a>, lengths: impl Lengths, turn: usize) -> Message<'a> {
    Message { input: lengths.input(turn, message.input), ..message }
}

#[inline]
fn next(number: usize, count: usize) -> usize {
    if number + 1 == count { 0 } else { number + 1 }
}
