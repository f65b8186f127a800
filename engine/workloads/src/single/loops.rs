//! The timed loops.

use std::ops::Range;

use ciphermark_providers::api::{CallError, Function};

use super::calls::{Batches, Call};
use super::source::{Growing, Place, Source};
use crate::buffer::View;

/// One message a call.
#[inline(never)]
pub fn run<S: Source, C: Call>(
    source: &mut S,
    mut call: C,
    mut answers: View<'_>,
    messages: Range<u64>,
) -> Result<(), CallError> {
    source.begin(&messages);
    let period = source.period() as usize;
    let mut number = (messages.start % source.period()) as usize;
    let mut slot = (messages.start % answers.count() as u64) as usize;
    for index in messages {
        source.look_ahead(index);
        let message = source.message(Place { index, number, slot, lane: 0 });
        call.call(number, &message, answers.get_mut(slot))?;
        number = next(number, period);
        slot = next(slot, answers.count());
    }
    Ok(())
}

/// A message of each lane in one call. Rings have a multiple of a call's slots, so that no call
/// lies at both ends of one.
#[inline(never)]
pub fn run_lanes<S: Source>(
    source: &mut S,
    batches: &mut Batches,
    mut answers: View<'_>,
    messages: Range<u64>,
) -> Result<(), CallError> {
    source.begin(&messages);
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
            source.message(place)
        };
        batches.call((0..lanes).map(message), answers.from(slot).take(lanes))?;
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

#[inline]
fn next(number: usize, count: usize) -> usize {
    if number + 1 == count { 0 } else { number + 1 }
}
