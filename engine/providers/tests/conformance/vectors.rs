//! The vectors of `algorithms/vectors/`.

use ciphermark_algorithms::vectors::{self, Check, Expected};
use ciphermark_providers::api::*;

use crate::subjects::*;

#[test]
fn embedded_vectors_pass() {
    let vectors = vectors::embedded();
    for_all(|subject| {
        let own = vectors.iter().filter(|vector| vector.algorithm == subject.facts.name);
        let mut passed = 0;
        for vector in own {
            for check in vector.checks().into_iter().flatten() {
                passed += u32::from(passes(subject, &check, &vector.id));
            }
        }
        assert!(passed > 0, "{} has passed no vector", subject.label());
    });
}

/// Whether the implementation has what the check needs; panics on a wrong answer.
fn passes(subject: &Subject<'_>, check: &Check, id: &str) -> bool {
    let nonce_bytes = Some(check.nonce.len());
    let request = Request { nonce_bytes, ..subject.request(check.operation) };
    let mut function = match subject.provider.provider.create(&request) {
        Ok(function) => function,
        Err(CreateError::Unsupported(what)) => {
            eprintln!("skipped {} {id}: {what}", subject.label());
            return false;
        }
        Err(failed) => panic!("{} {id}: {failed}", subject.label()),
    };
    function.set_key(&check.key).expect("a vector's key is one");
    let (nonce, aad) = (check.nonce.clone(), check.aad.clone());
    let text = Text { nonce, aad, input: check.input.clone() };
    let answer = subject.answer(function.as_mut(), check.operation, &text);
    match &check.expected {
        Expected::Refusal => assert_eq!(answer, Err(CallError::Refused), "{id}"),
        Expected::Answer(expected) => {
            let answer = answer.unwrap_or_else(|error| panic!("{} {id}: {error}", subject.label()));
            // A MAC's printed tag may be truncated.
            assert_eq!(&answer[..expected.len()], expected, "{} {id}", subject.label());
            assert!(check.operation == Operation::Mac || answer.len() == expected.len(), "{id}");
        }
    }
    true
}
