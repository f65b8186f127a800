use ciphermark_providers::registry;
use ciphermark_record::plan::{Buffers, Offload, Pattern};

use super::*;

const SEED: u64 = 7;

fn provider() -> Box<dyn Provider> {
    let registration = registry::find("rustcrypto").expect("rustcrypto is registered");
    (registration.open)(None).unwrap_or_else(|reason| panic!("{reason}"))
}

fn case(algorithm: &str, operation: Operation, message_bytes: u64) -> Case {
    Case {
        case: 0,
        algorithm: algorithm.into(),
        operation,
        provider: "rustcrypto".into(),
        backend: "default".into(),
        pattern: Pattern::ReusedKey,
        chunk_bytes: None,
        offload: Offload::None,
        message_bytes: (operation != Operation::Setup).then_some(message_bytes),
        lanes: 1,
        keys: 1,
        buffers: Buffers::Hot,
        switches: Default::default(),
    }
}

fn prepared(algorithm: &str, operation: Operation, message_bytes: u64) -> Single {
    let facts = ciphermark_algorithms::find(algorithm).expect("the algorithm has facts");
    let case = case(algorithm, operation, message_bytes);
    Single::prepare(provider().as_ref(), facts, &case, SEED).expect("the case can be prepared")
}

/// One algorithm of each kind, with all its operations.
fn everything() -> Vec<(&'static str, Operation)> {
    ["aes-128-gcm", "aes-128-cbc", "hmac-sha256", "sha256"]
        .into_iter()
        .flat_map(|name| {
            let facts = ciphermark_algorithms::find(name).expect("the algorithm has facts");
            facts.kind.operations().iter().map(move |&operation| (name, operation))
        })
        .collect()
}

#[test]
fn the_loop_leaves_the_right_answers_behind() {
    for (algorithm, operation) in everything() {
        for messages in [1, 2, 63, 64, 65, 1000] {
            let mut timed = prepared(algorithm, operation, 64);
            timed.forget_answers();
            timed.run(messages).expect("the messages can be processed");
            let answers = timed.answers().expect("the answers can be read");
            let right = prepared(algorithm, operation, 64).expected_answers(messages);
            assert_eq!(Ok(answers), right, "{algorithm} {operation} {messages}");
        }
    }
}

#[test]
fn answers_depend_on_how_many_messages_there_were() {
    for operation in [Operation::Seal, Operation::Setup] {
        let mut single = prepared("aes-128-gcm", operation, 64);
        assert_ne!(single.expected_answers(100), single.expected_answers(101), "{operation}");
    }
}

#[test]
fn an_answer_of_an_earlier_run_does_not_pass() {
    let mut single = prepared("sha256", Operation::Digest, 64);
    single.run(64).expect("the messages can be processed");
    let before = single.answers();
    single.forget_answers();
    assert_ne!(single.answers(), before);
}

#[test]
fn forged_tags_are_refused() {
    for (algorithm, operation) in
        [("aes-128-gcm", Operation::Open), ("hmac-sha256", Operation::Verify)]
    {
        assert_eq!(prepared(algorithm, operation, 64).refuses_forgeries(), Ok(true));
    }
}

#[test]
fn what_the_function_lacks_is_refused_when_it_is_prepared() {
    let facts = ciphermark_algorithms::find("sha256").expect("the algorithm has facts");
    let case = case("no-such-hash", Operation::Digest, 64);
    let error = Single::prepare(provider().as_ref(), facts, &case, SEED).err();
    assert!(matches!(error, Some(CreateError::Unsupported(_))), "{error:?}");
}
