//! Whether the function of a case keeps to its buffers, for messages of the case's lengths.

use std::collections::BTreeSet;

use ciphermark_providers::api::{
    CreateError, Expansion, Lanes, Message, Parts, Provider, Request, output_bytes,
};
use ciphermark_record::description::Algorithm;
use ciphermark_record::plan::{Case, Pattern};

use crate::agreement::{Answerer, Input, Zeros};
use crate::call::fitting;
use crate::single::chunk_bytes;
use crate::watched::{Breach, Fault, OUTPUT_STEP, Place, SHIFTS, WatchedLanes};

/// Longer messages are watched as messages of this length: what their buffers take counts thrice.
const LONGEST: u64 = 1 << 20;

/// Of the lengths of a profile, which may be thousands, so many are watched, or fewer where each takes
/// buffers for many lanes: mapping and unmapping them takes some 20 µs a lane.
const MOST_LENGTHS: usize = 16;
const MOST_BUFFERS: usize = 512;

/// Calls the function of a case as the case does, with buffers at this place. Calls that fail are left
/// to those who look at answers.
pub fn check(
    provider: &dyn Provider,
    algorithm: &Algorithm,
    case: &Case,
    seed: u64,
    place: Place,
) -> Result<(), Breach> {
    let lengths = case.messages.lengths().iter().map(|&bytes| bytes.min(LONGEST));
    let lengths: Vec<u64> = lengths.collect::<BTreeSet<u64>>().into_iter().collect();
    let most = (MOST_BUFFERS / case.lanes.max(1) as usize).clamp(2, MOST_LENGTHS);
    for bytes in spread(&lengths, most) {
        let watched = WatchedCase { provider, algorithm, case, seed, place };
        let bytes = fitting(algorithm, bytes as usize);
        let result = match case.lanes {
            1 => watched.one(bytes),
            lanes => watched.several(bytes, lanes as usize),
        };
        if let Ok(Err(Fault::Breach(breach))) = result {
            return Err(breach.by(case.operation));
        }
    }
    Ok(())
}

/// Longer messages are looked at as messages of this length at other addresses: what comes after their
/// first bytes has been aligned by then.
const LONGEST_SHIFTED: u64 = 1500;

/// Calls the function of a case with its buffers at all distances from a multiple of 16; the error is a
/// sentence about answers that are others there. Calls that fail are left to those who look at answers.
pub fn check_addresses(
    provider: &dyn Provider,
    algorithm: &Algorithm,
    case: &Case,
    seed: u64,
) -> Result<(), String> {
    let lengths = case.messages.lengths();
    let longest = lengths.iter().copied().max().unwrap_or(0).min(LONGEST_SHIFTED);
    let watched = WatchedCase { provider, algorithm, case, seed, place: Place::Between };
    let input = watched.input(fitting(algorithm, longest as usize), 0);
    let Ok(mut answerer) = watched.answerer() else { return Ok(()) };
    match answerer.differs_by_address(&input) {
        Ok(Some(call)) => Err(format!(
            "{} of {} bytes gives another answer where its buffers lie at other distances from a \
             multiple of 16 (input {}, output {})",
            case.operation,
            input.message.len(),
            call % SHIFTS,
            call * OUTPUT_STEP % SHIFTS,
        )),
        _ => Ok(()),
    }
}

/// The first, the last, and others between them that are as far apart as can be.
fn spread(lengths: &[u64], most: usize) -> impl Iterator<Item = u64> {
    let count = lengths.len().min(most);
    (0..count).map(move |number| match count {
        1 => lengths[0],
        _ => lengths[number * (lengths.len() - 1) / (count - 1)],
    })
}

struct WatchedCase<'a> {
    provider: &'a dyn Provider,
    algorithm: &'a Algorithm,
    case: &'a Case,
    seed: u64,
    place: Place,
}

impl WatchedCase<'_> {
    fn answerer(&self) -> Result<Answerer<'_>, CreateError> {
        let Case { backend, operation, .. } = self.case;
        Answerer::new(self.provider, self.algorithm, backend, *operation)
    }

    fn input(&self, bytes: usize, number: usize) -> Input {
        Input::new(self.seed + number as u64, self.algorithm, bytes, Zeros::default())
    }

    fn one(&self, bytes: usize) -> Result<Result<(), Fault>, CreateError> {
        let parts = (self.case.pattern == Pattern::Incremental)
            .then(|| Parts::Chunks(chunk_bytes(self.case, self.algorithm)));
        let mut answerer = self.answerer()?.at(self.place, parts);
        Ok(answerer.watch(&self.input(bytes, 0)))
    }

    /// Messages of one call, each under a key of its own.
    fn several(&self, bytes: usize, lanes: usize) -> Result<Result<(), Fault>, CreateError> {
        let Case { algorithm, backend, operation, .. } = self.case;
        let mut answerer = self.answerer()?;
        let request = Request::usual(algorithm, backend, *operation);
        let mut function = self.provider.create_lanes(&request, lanes, lanes)?;
        let inputs: Vec<Input> = (0..lanes).map(|lane| self.input(bytes, lane)).collect();
        let given: Result<Vec<_>, _> = inputs.iter().map(|it| answerer.given(it)).collect();
        Ok(given.map_err(Fault::from).and_then(|given| {
            let messages: Vec<Message<'_>> =
                inputs.iter().zip(&given).map(|(input, given)| input.giving(given)).collect();
            self.process(function.as_mut(), &inputs, &messages, bytes)
        }))
    }

    fn process(
        &self,
        function: &mut dyn Lanes,
        inputs: &[Input],
        messages: &[Message<'_>],
        bytes: usize,
    ) -> Result<(), Fault> {
        let mut watched = WatchedLanes::new(self.place, inputs.len());
        for (number, input) in inputs.iter().enumerate() {
            watched.set_key(function, number, &input.key)?;
        }
        let expansion = Expansion::of(self.algorithm);
        let answer_bytes = output_bytes(self.case.operation, bytes, expansion);
        watched.process(function, messages, answer_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_lengths_some_are_watched_with_both_ends() {
        let many: Vec<u64> = (40..=1500).collect();
        let watched: Vec<u64> = spread(&many, 16).collect();
        assert_eq!((watched.len(), watched[0], watched[15]), (16, 40, 1500));
        for few in [vec![], vec![64], vec![16, 64], (0..16).collect()] {
            assert_eq!(spread(&few, 16).collect::<Vec<_>>(), few);
        }
    }
}
