//! One function against one question: did it give the expected answer?

use ciphermark_algorithms::vectors::{Check, Expected};
use ciphermark_providers::api::{
    CallError, CreateError, Expansion, Function, Message, Operation, Provider, Request,
    output_bytes,
};
use ciphermark_record::description::Algorithm;

use crate::watched::{Breach, Fault, Watched};

/// What became of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    /// What was wrong.
    Failed(String),
    /// The parameter that the implementation does not support.
    Unsupported(String),
    OutOfBounds(Breach),
}

/// Runs one check on one implementation, or on that of a variant of the algorithm, with these buffers.
pub fn run(
    provider: &dyn Provider,
    algorithm: &Algorithm,
    backend: &str,
    variant: Option<&str>,
    check: &Check,
    watched: &mut Watched,
) -> Outcome {
    let request = Request {
        nonce_bytes: Some(check.nonce.len()),
        variant,
        counts_bits: unused_bits(check) > 0,
        ..Request::usual(&algorithm.name, backend, check.operation)
    };
    let mut function = match provider.create(&request) {
        Ok(function) => function,
        Err(CreateError::Unsupported(what)) => return Outcome::Unsupported(what),
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    let set = watched.set_key(function.as_mut(), &check.key);
    let answer = set.map(|()| answer(function.as_mut(), watched, check, algorithm));
    match answer {
        Ok(Ok(answer)) => judge(check, Ok(answer)),
        Ok(Err(Fault::Call(error))) => judge(check, Err(error)),
        Ok(Err(Fault::Breach(breach))) | Err(Fault::Breach(breach)) => {
            Outcome::OutOfBounds(breach.by(check.operation))
        }
        Err(Fault::Call(CallError::Length)) if check.key.len() != algorithm.key_bytes as usize => {
            Outcome::Unsupported(format!("a key of {} bytes", check.key.len()))
        }
        Err(Fault::Call(error)) => {
            Outcome::Failed(format!("setting a key of {} bytes: {error}", check.key.len()))
        }
    }
}

/// The answer to the check's message, or to the last one of its iterations. The first is watched.
fn answer(
    function: &mut dyn Function,
    watched: &mut Watched,
    check: &Check,
    algorithm: &Algorithm,
) -> Result<Vec<u8>, Fault> {
    let unused_bits = unused_bits(check);
    let nothing = Message { nonce: &check.nonce, aad: &check.aad, input: &[], unused_bits };
    let message = Message { input: &check.input, ..nothing };
    let first = watched.process(function, &message, None, answer_bytes(check, algorithm))?;
    let mut answer = first.to_vec();
    for _ in 1..check.iterations {
        let input = answer.clone();
        function.process(&Message { input: &input, ..nothing }, &mut answer)?;
    }
    Ok(answer)
}

/// Bits that the function is told to leave out. Ciphers take whole bytes, of which only the bits that
/// count are compared.
fn unused_bits(check: &Check) -> u8 {
    match check.operation {
        Operation::Mac | Operation::Verify => check.unused_bits,
        _ => 0,
    }
}

fn answer_bytes(check: &Check, algorithm: &Algorithm) -> usize {
    let expansion = Expansion::of(algorithm);
    let tag_bytes = algorithm.tag_bytes as usize;
    let message_bytes = match check.operation {
        Operation::Open | Operation::Verify => check.input.len().saturating_sub(tag_bytes),
        Operation::Keystream => check.expected.output_bytes(),
        _ => check.input.len(),
    };
    output_bytes(check.operation, message_bytes, expansion)
}

fn judge(check: &Check, answer: Result<Vec<u8>, CallError>) -> Outcome {
    let operation = check.operation;
    match (&check.expected, answer) {
        (Expected::Refusal, Err(CallError::Refused)) => Outcome::Passed,
        (_, Err(error)) => Outcome::Failed(format!("{operation}: {error}")),
        (expected, Ok(answer)) => match expected.compared(&answer) {
            None => Outcome::Failed(format!("{operation} accepted a forged tag")),
            Some((given, right)) if given == right => Outcome::Passed,
            Some((given, right)) => {
                Outcome::Failed(format!("{operation} gave {}", difference(&given, &right)))
            }
        },
    }
}

/// Bytes of an answer that are shown.
const SHOWN: usize = 24;

/// Two answers from their beginning or, where they are the same there, from their first difference.
fn difference(given: &[u8], right: &[u8]) -> String {
    let same = given.iter().zip(right).take_while(|(a, b)| a == b).count();
    let (first, place) = match same < SHOWN {
        true => (0, String::new()),
        false => (same, format!(" from byte {same} on")),
    };
    format!("{} instead of {}{place}", hex(&given[first..]), hex(&right[first..]))
}

/// Hexadecimal digits of the first bytes.
fn hex(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().take(SHOWN).map(|byte| format!("{byte:02x}")).collect();
    if bytes.len() > SHOWN { digits + "…" } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_shown_where_it_is() {
        assert_eq!(difference(&[1, 2], &[1, 3]), "0102 instead of 0103");
        let (mut given, right) = ([7; 40], [7; 40]);
        given[30] = 8;
        assert_eq!(
            difference(&given, &right),
            "08070707070707070707 instead of 07070707070707070707 from byte 30 on"
        );
    }
}
