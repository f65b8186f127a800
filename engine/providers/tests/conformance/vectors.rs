//! The vectors of `algorithms/vectors/`.

use ciphermark_algorithms::vectors::{self, Check, Vector};
use ciphermark_providers::api::*;

use crate::child;
use crate::subjects::*;

#[test]
fn embedded_vectors_pass() {
    let vectors = vectors::known();
    for_all(|subject| all_pass(subject, vectors));
}

#[test]
#[ignore = "run by the test of hidden features, in a process of its own"]
fn embedded_vectors_pass_of_one_provider() {
    let vectors = vectors::known();
    for subject in child::provider().subjects() {
        all_pass(&subject, vectors);
    }
}

fn all_pass(subject: &Subject<'_>, vectors: &[Vector]) {
    let own = vectors
        .iter()
        .filter(|vector| vector.algorithm == subject.facts.name && vector.variant().is_none());
    let mut passed = 0;
    for vector in own {
        for check in vector.checks().into_iter().flatten() {
            passed += u32::from(passes(subject, &check, &vector.id));
        }
    }
    assert!(passed > 0, "{} has passed no vector", subject.label());
}

/// Whether the implementation has what the check needs; panics on a wrong answer.
fn passes(subject: &Subject<'_>, check: &Check, id: &str) -> bool {
    let nonce_bytes = Some(check.nonce.len());
    let counts_bits =
        check.unused_bits > 0 && matches!(check.operation, Operation::Mac | Operation::Verify);
    let request = Request { nonce_bytes, counts_bits, ..subject.request(check.operation) };
    let mut function = match subject.provider.provider.create(&request) {
        Ok(function) => function,
        Err(CreateError::Unsupported(what)) => {
            eprintln!("skipped {} {id}: {what}", subject.label());
            return false;
        }
        Err(failed) => panic!("{} {id}: {failed}", subject.label()),
    };
    match function.set_key(&check.key) {
        Err(CallError::Length) if check.key.len() != subject.facts.key_bytes as usize => {
            eprintln!("skipped {} {id}: a key of {} bytes", subject.label(), check.key.len());
            return false;
        }
        set => set.expect("a vector's key is one"),
    }
    let mut text = Text {
        nonce: check.nonce.clone(),
        aad: check.aad.clone(),
        input: check.input.clone(),
        unused_bits: if counts_bits { check.unused_bits } else { 0 },
    };
    let mut output = vec![0xa5; answer_length(subject, check)];
    let mut called = Ok(());
    for _ in 0..check.iterations {
        called = called.and_then(|()| call(function.as_mut(), &text, &mut output));
        text.input.clone_from(&output);
    }
    match check.expected.compared(&output) {
        None => assert_eq!(called, Err(CallError::Refused), "{id}"),
        Some((given, right)) => {
            assert_eq!(called, Ok(()), "{} {id}", subject.label());
            assert_eq!(given, right, "{} {id}", subject.label());
        }
    }
    true
}

fn answer_length(subject: &Subject<'_>, check: &Check) -> usize {
    match check.operation {
        Operation::Keystream => check.expected.output_bytes(),
        operation => subject.answer_length(operation, check.input.len()),
    }
}
