//! Whether all implementations of an algorithm give the same answers to random inputs; of one that
//! does not, the smallest input that shows it.

use std::collections::{BTreeMap, BTreeSet};

use ciphermark_record::description::{Algorithm, Implementation};
use ciphermark_record::event::Failure;
use ciphermark_record::plan::Operation;
use ciphermark_record::verification::{Agreement, Disagreement, Shown};
use ciphermark_workloads::agreement::{Answer, Input, Zeros};

use crate::interrupt::Interrupt;
use crate::pool::Pool;
use crate::protocol::{Command, Reply};
use crate::worker_handle::out_of_turn;
use crate::worker_key::WorkerKey;

/// Inputs are at most this long.
const LONGEST: u64 = 4096;
/// Up to here every length is tried, also in a sample.
const ALL_UP_TO: u64 = 80;
/// Multiples of these are where blocks, lanes and unrolled loops end.
const STRIDES: [u64; 6] = [16, 64, 128, 256, 512, 1024];
/// How far multiples of each stride go in a sample.
const STEPS: u64 = 10;
/// Inputs that one command asks for, so that its answer comes well within its time limit.
const INPUTS_PER_COMMAND: usize = 256;

/// Which lengths are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lengths {
    /// Short ones, and those around the ends of blocks and lanes.
    Sample,
    /// Each from 0 to 4096 bytes.
    All,
}

/// An implementation, and the worker that has it.
pub type Member = (WorkerKey, Implementation);

/// Compares all implementations, algorithm by algorithm.
pub fn compare(
    pool: &mut Pool,
    members: &[Member],
    lengths: Lengths,
    seed: u64,
    interrupt: &Interrupt,
) -> Agreement {
    let mut agreement = Agreement { seed, ..Agreement::default() };
    let mut by_algorithm: BTreeMap<&str, Vec<&Member>> = BTreeMap::new();
    for member in members {
        by_algorithm.entry(&member.1.algorithm).or_default().push(member);
    }
    for (name, members) in by_algorithm {
        let Some(algorithm) = ciphermark_algorithms::find(name) else { continue };
        if interrupt.requested() {
            break;
        }
        if members.len() < 2 {
            agreement.alone.push(name.into());
            continue;
        }
        let lengths = lengths.of(algorithm);
        for &operation in algorithm.kind.operations().iter().filter(|it| **it != Operation::Setup) {
            let question = Comparison { algorithm, operation, lengths: &lengths, seed };
            question.compare(pool, &members, &mut agreement);
        }
        agreement.pairs += (members.len() * (members.len() - 1) / 2) as u32;
    }
    agreement
}

impl Lengths {
    /// The lengths that the algorithm has, the shortest first.
    fn of(self, algorithm: &Algorithm) -> Vec<u64> {
        let block = u64::from(algorithm.block_bytes);
        let longest = algorithm.max_message_bytes.unwrap_or(LONGEST).min(LONGEST);
        let has =
            |length: &u64| *length >= algorithm.min_message_bytes && length.is_multiple_of(block);
        (0..=longest)
            .filter(has)
            .filter(|&length| self == Lengths::All || sampled(length))
            .collect()
    }
}

fn sampled(length: u64) -> bool {
    let beside = |stride: u64| {
        let nearest = (length + stride / 2) / stride;
        nearest <= STEPS && length.abs_diff(nearest * stride) <= 1
    };
    length <= ALL_UP_TO || length == LONGEST || STRIDES.into_iter().any(beside)
}

/// What is asked of all implementations of an algorithm.
struct Comparison<'a> {
    algorithm: &'a Algorithm,
    operation: Operation,
    lengths: &'a [u64],
    seed: u64,
}

impl Comparison<'_> {
    fn compare(&self, pool: &mut Pool, members: &[&Member], agreement: &mut Agreement) {
        let mut answered = Vec::new();
        for (key, implementation) in members.iter().filter(|it| self.concerns(&it.1)) {
            match self.digests(pool, key, implementation) {
                Ok(digests) => answered.push((key, implementation, digests)),
                Err(failure) => agreement.failures.push(format!(
                    "{} of {}, {}: {}",
                    self.operation,
                    implementation.algorithm,
                    implementation.provider,
                    failure.message
                )),
            }
        }
        agreement.inputs += (answered.len() * self.lengths.len()) as u64;
        let digests: Vec<&[u64]> = answered.iter().map(|(_, _, it)| it.as_slice()).collect();
        for Odd { member, others, first, count } in odd_ones(&digests) {
            let (one, other) = (&answered[member], &answered[others[0]]);
            let message_bytes = self.lengths[first];
            agreement.disagreements.push(Disagreement {
                algorithm: self.algorithm.name.clone(),
                operation: self.operation,
                provider: one.1.provider.clone(),
                backend: one.1.backend.clone(),
                differs_from: others.iter().map(|&it| answered[it].1.provider.clone()).collect(),
                lengths: count as u32,
                message_bytes,
                shown_by: self.shown_by(pool, message_bytes, [(one.0, one.1), (other.0, other.1)]),
            });
        }
    }

    fn concerns(&self, implementation: &Implementation) -> bool {
        implementation.operations.contains(&self.operation)
    }

    fn digests(
        &self,
        pool: &mut Pool,
        key: &WorkerKey,
        implementation: &Implementation,
    ) -> Result<Vec<u64>, Failure> {
        let mut digests = Vec::new();
        for lengths in self.lengths.chunks(INPUTS_PER_COMMAND) {
            let command = Command::Agree {
                algorithm: implementation.algorithm.clone(),
                backend: implementation.backend.clone(),
                operation: self.operation,
                seed: self.seed,
                lengths: lengths.to_vec(),
            };
            match pool.ask(key, &command)? {
                Reply::Agreed(more) => digests.extend(more),
                other => return Err(out_of_turn(&other)),
            }
        }
        Ok(digests)
    }

    /// The plainest input of that length to which two implementations answer differently.
    fn shown_by(
        &self,
        pool: &mut Pool,
        message_bytes: u64,
        [one, other]: [(&WorkerKey, &Implementation); 2],
    ) -> Shown {
        for zeros in plainest_first() {
            let mut ask = |(key, it)| self.answer(pool, key, it, message_bytes, zeros);
            let (answer, theirs) = (ask(one), ask(other));
            if answer != theirs {
                let input = Input::new(self.seed, self.algorithm, message_bytes as usize, zeros);
                return Shown {
                    key: hex(&input.key),
                    nonce: hex(&input.nonce),
                    aad: hex(&input.aad),
                    message: hex(&input.message),
                    answer: answer.map_or_else(|why| why, |it| hex(&it)),
                    their_answer: theirs.map_or_else(|why| why, |it| hex(&it)),
                };
            }
        }
        // It differs only after other messages.
        Shown::default()
    }

    fn answer(
        &self,
        pool: &mut Pool,
        key: &WorkerKey,
        implementation: &Implementation,
        message_bytes: u64,
        zeros: Zeros,
    ) -> Answer {
        let command = Command::Answer {
            algorithm: implementation.algorithm.clone(),
            backend: implementation.backend.clone(),
            operation: self.operation,
            seed: self.seed,
            message_bytes,
            zeros,
        };
        match pool.ask(key, &command) {
            Ok(Reply::Answered(answer)) => answer,
            Ok(other) => Err(out_of_turn(&other).message),
            Err(failure) => Err(failure.message),
        }
    }
}

/// All choices of zeros, those with most zeros first.
fn plainest_first() -> impl Iterator<Item = Zeros> {
    (0..8_u8).rev().map(|bits| Zeros {
        key: bits & 4 != 0,
        nonce: bits & 2 != 0,
        message: bits & 1 != 0,
    })
}

/// One whose answers are not those of most.
#[derive(Debug, PartialEq, Eq)]
struct Odd {
    member: usize,
    /// Those that agree with each other against it, where it first differs.
    others: Vec<usize>,
    /// The first length at which it differs, and how many there are.
    first: usize,
    count: usize,
}

/// Looks at the answers of all, length by length. Where no answer has a majority, nobody can say
/// who is right, and all but those that agree with the first are named.
fn odd_ones(digests: &[&[u64]]) -> Vec<Odd> {
    let mut found: BTreeMap<usize, Odd> = BTreeMap::new();
    for length in 0..digests.first().map_or(0, |it| it.len()) {
        let answers: Vec<u64> = digests.iter().map(|it| it[length]).collect();
        let common = most_common(&answers);
        let others: Vec<usize> = (0..answers.len()).filter(|&it| answers[it] == common).collect();
        for member in (0..answers.len()).filter(|&it| answers[it] != common) {
            let others = others.clone();
            let new = || Odd { member, others, first: length, count: 0 };
            found.entry(member).or_insert_with(new).count += 1;
        }
    }
    found.into_values().collect()
}

/// The answer that most give; of several the one that was given first.
fn most_common(answers: &[u64]) -> u64 {
    let count = |answer: u64| answers.iter().filter(|it| **it == answer).count();
    let distinct: BTreeSet<u64> = answers.iter().copied().collect();
    let most = distinct.into_iter().map(count).max().unwrap_or(0);
    answers.iter().copied().find(|&answer| count(answer) == most).unwrap_or(0)
}

/// Hexadecimal digits of at most the first 64 bytes.
fn hex(bytes: &[u8]) -> String {
    const SHOWN: usize = 64;
    let digits: String = bytes.iter().take(SHOWN).map(|byte| format!("{byte:02x}")).collect();
    if bytes.len() > SHOWN { digits + "…" } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_agree_are_not_odd() {
        assert_eq!(odd_ones(&[&[1, 2], &[1, 2], &[1, 2]]), []);
        assert_eq!(odd_ones(&[]), []);
    }

    #[test]
    fn the_first_length_at_which_one_differs_is_found() {
        let odd = odd_ones(&[&[1, 2, 3, 4], &[1, 9, 3, 9], &[1, 2, 3, 4]]);
        assert_eq!(odd, [Odd { member: 1, others: vec![0, 2], first: 1, count: 2 }]);
    }

    #[test]
    fn of_two_that_differ_the_second_is_named() {
        let odd = odd_ones(&[&[1], &[2]]);
        assert_eq!(odd, [Odd { member: 1, others: vec![0], first: 0, count: 1 }]);
    }

    #[test]
    fn the_majority_is_right_wherever_it_stands() {
        assert_eq!(most_common(&[7, 5, 5]), 5);
        assert_eq!(odd_ones(&[&[7], &[5], &[5]])[0].member, 0);
    }

    #[test]
    fn samples_hold_what_is_awkward() {
        let gcm = ciphermark_algorithms::find("aes-128-gcm").expect("it has facts");
        let sample = Lengths::Sample.of(gcm);
        for length in [0, 1, 15, 16, 17, 80, 127, 129, 255, 1023, 1025, 2559, 4096] {
            assert!(sample.contains(&length), "{length}");
        }
        assert!(sample.len() < 300, "{}", sample.len());
        assert_eq!(Lengths::All.of(gcm).len(), 4097);
    }

    #[test]
    fn only_lengths_that_the_function_has_are_asked_for() {
        let lengths = |name| Lengths::All.of(ciphermark_algorithms::find(name).expect("facts"));
        assert!(lengths("aes-128-cbc").iter().all(|it| *it > 0 && it.is_multiple_of(16)));
        assert_eq!(lengths("uea1").last(), Some(&2500));
    }

    #[test]
    fn the_plainest_input_is_tried_first() {
        let zeros: Vec<Zeros> = plainest_first().collect();
        assert_eq!(zeros[0], Zeros { key: true, nonce: true, message: true });
        assert_eq!(zeros.last(), Some(&Zeros::default()));
        assert_eq!(zeros.len(), 8);
    }
}
