//! One function against one question: did it give the expected answer?

use ciphermark_algorithms::vectors::{Check, Expected};
use ciphermark_providers::api::{
    CallError, CreateError, Message, Operation, Pattern, Provider, Request, output_bytes,
};
use ciphermark_record::description::Algorithm;

/// What became of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    /// What was wrong.
    Failed(String),
    /// The parameter that the implementation does not support.
    Unsupported(String),
}

/// Runs one check on one implementation.
pub fn run(
    provider: &dyn Provider,
    algorithm: &Algorithm,
    backend: &str,
    check: &Check,
) -> Outcome {
    let request = Request {
        algorithm: &algorithm.name,
        backend,
        operation: check.operation,
        pattern: Pattern::ReusedKey,
        nonce_bytes: Some(check.nonce.len()),
    };
    let mut function = match provider.create(&request) {
        Ok(function) => function,
        Err(CreateError::Unsupported(what)) => return Outcome::Unsupported(what),
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    if let Err(error) = function.set_key(&check.key) {
        return Outcome::Failed(format!("setting a key of {} bytes: {error}", check.key.len()));
    }
    let message = Message { nonce: &check.nonce, aad: &check.aad, input: &check.input };
    let mut answer = vec![0; answer_bytes(check, algorithm)];
    judge(check, function.process(&message, &mut answer), &answer)
}

fn answer_bytes(check: &Check, algorithm: &Algorithm) -> usize {
    let tag_bytes = algorithm.tag_bytes as usize;
    let message_bytes = match check.operation {
        Operation::Open | Operation::Verify => check.input.len().saturating_sub(tag_bytes),
        _ => check.input.len(),
    };
    output_bytes(check.operation, message_bytes, tag_bytes)
}

fn judge(check: &Check, result: Result<(), CallError>, answer: &[u8]) -> Outcome {
    match (&check.expected, result) {
        // A vector may print only the first bytes of a tag.
        (Expected::Answer(expected), Ok(())) if answer.starts_with(expected) => Outcome::Passed,
        (Expected::Answer(expected), Ok(())) => Outcome::Failed(format!(
            "{} gave {} instead of {}",
            check.operation,
            hex(answer),
            hex(expected)
        )),
        (Expected::Refusal, Err(CallError::Refused)) => Outcome::Passed,
        (Expected::Refusal, Ok(())) => {
            Outcome::Failed(format!("{} accepted a forged tag", check.operation))
        }
        (_, Err(error)) => Outcome::Failed(format!("{}: {error}", check.operation)),
    }
}

/// Hexadecimal digits of at most the first 24 bytes.
fn hex(bytes: &[u8]) -> String {
    const SHOWN: usize = 24;
    let digits: String = bytes.iter().take(SHOWN).map(|byte| format!("{byte:02x}")).collect();
    if bytes.len() > SHOWN { digits + "…" } else { digits }
}
