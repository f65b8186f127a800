//! How a function answers, whatever it computes.

use ciphermark_algorithms::nonce;
use ciphermark_providers::api::*;
use ciphermark_record::description::Kind;

use crate::subjects::*;

#[test]
fn what_is_compiled_in_can_be_used() {
    let names: Vec<_> = usable_providers().iter().map(|usable| usable.name).collect();
    assert!(names.contains(&"rustcrypto"), "only {names:?}");
}

#[test]
fn operations_are_those_of_the_kind() {
    for_all(|subject| {
        let operations = subject.facts.kind.operations();
        assert_eq!(subject.implementation.operations, operations, "{}", subject.label());
        assert_eq!(subject.implementation.provider, subject.provider.name);
    });
}

#[test]
fn answers_do_not_depend_on_earlier_calls() {
    for_all(|subject| {
        let (operation, key) = (subject.sending(), subject.key(1));
        let texts: Vec<_> = subject.lengths().map(|n| subject.text(n as u64, n)).collect();
        let alone: Vec<_> = texts.iter().map(|text| subject.sent(&key, text)).collect();
        let mut function = subject.keyed(operation, &key);
        // Forwards, backwards, each twice: every length comes after a shorter one, a longer one
        // and itself.
        let forwards = 0..texts.len();
        for index in forwards.clone().chain(forwards.rev()).flat_map(|index| [index, index]) {
            let answer = subject.answer(function.as_mut(), operation, &texts[index]);
            let length = texts[index].input.len();
            assert_eq!(answer.as_ref(), Ok(&alone[index]), "{} {length}", subject.label());
        }
    });
}

#[test]
fn what_is_sent_is_received() {
    for_all(|subject| {
        let Some(operation) = subject.receiving() else { return };
        let key = subject.key(2);
        let mut receiver = subject.keyed(operation, &key);
        for length in subject.lengths() {
            let text = subject.text(length as u64, length);
            let received = subject.received(&text, &subject.sent(&key, &text));
            let answer = subject.answer(receiver.as_mut(), operation, &received);
            let expected = if operation == Operation::Verify { vec![] } else { text.input };
            assert_eq!(answer, Ok(expected), "{} {length}", subject.label());
        }
    });
}

/// With associated data and without, in all lengths one after the other.
#[test]
fn a_refused_message_leaves_no_trace() {
    for_all(|subject| {
        let Some(operation @ (Operation::Open | Operation::Verify)) = subject.receiving() else {
            return;
        };
        let key = subject.key(6);
        let mut receiver = subject.keyed(operation, &key);
        for length in subject.lengths() {
            let with_data = subject.text(length as u64, length);
            for text in [Text { aad: vec![], ..with_data.clone() }, with_data] {
                let mut received = subject.received(&text, &subject.sent(&key, &text));
                let answer = subject.answer(receiver.as_mut(), operation, &received);
                assert!(answer.is_ok(), "{} {length}: {answer:?}", subject.label());
                let Some(last) = received.input.last_mut() else { continue };
                *last ^= 1;
                let answer = subject.answer(receiver.as_mut(), operation, &received);
                assert_eq!(answer, Err(CallError::Refused), "{} {length}", subject.label());
            }
        }
    });
}

#[test]
fn every_flipped_bit_is_refused() {
    for_all(|subject| {
        let Some(operation @ (Operation::Open | Operation::Verify)) = subject.receiving() else {
            return;
        };
        let key = subject.key(3);
        let text = subject.text(3, 33);
        let genuine = subject.received(&text, &subject.sent(&key, &text));
        let mut receiver = subject.keyed(operation, &key);
        for forged in forgeries(subject, &genuine) {
            let answer = subject.answer(receiver.as_mut(), operation, &forged);
            assert_eq!(answer, Err(CallError::Refused), "{} {forged:?}", subject.label());
        }
        let answer = subject.answer(receiver.as_mut(), operation, &genuine);
        assert!(answer.is_ok(), "{} after refusals: {answer:?}", subject.label());
    });
}

/// The text with one bit flipped, for every bit of its input, nonce and associated data.
fn forgeries(subject: &Subject<'_>, text: &Text) -> Vec<Text> {
    let fields: [fn(&mut Text) -> &mut Vec<u8>; 3] =
        [|text| &mut text.input, |text| &mut text.nonce, |text| &mut text.aad];
    let mut forgeries = Vec::new();
    for field in fields {
        for bit in 0..8 * field(&mut text.clone()).len() {
            let mut forged = text.clone();
            field(&mut forged)[bit / 8] ^= 1 << (bit % 8);
            forgeries.push(forged);
        }
    }
    forgeries.retain(|forged| {
        let mut confined = forged.nonce.clone();
        nonce::confine(subject.facts, &mut confined);
        confined == forged.nonce
    });
    forgeries
}

#[test]
fn each_key_gives_its_own_answer_and_can_be_set_again() {
    for_all(|subject| {
        if subject.facts.key_bytes == 0 {
            return;
        }
        let (operation, text) = (subject.sending(), subject.text(4, 64));
        let keys = [subject.key(4), subject.key(5)];
        let alone = keys.each_ref().map(|key| subject.sent(key, &text));
        assert_ne!(alone[0], alone[1], "{}", subject.label());
        let mut function = subject.create(operation);
        for index in [0, 1, 1, 0] {
            function.set_key(&keys[index]).expect("a key of the right length");
            let answer = subject.answer(function.as_mut(), operation, &text);
            assert_eq!(answer.as_ref(), Ok(&alone[index]), "{}", subject.label());
        }
    });
}

#[test]
fn setup_leaves_a_context_that_sends() {
    for_all(|subject| {
        if !subject.implementation.operations.contains(&Operation::Setup) {
            return;
        }
        let (key, text) = (subject.key(6), subject.text(6, 64));
        let mut function = subject.keyed(Operation::Setup, &key);
        let answer = subject.answer(function.as_mut(), subject.sending(), &text);
        assert_eq!(answer, Ok(subject.sent(&key, &text)), "{}", subject.label());
    });
}

#[test]
fn a_message_before_any_key_does_no_harm() {
    for_all(|subject| {
        let (operation, key, text) = (subject.sending(), subject.key(7), subject.text(7, 64));
        let mut function = subject.create(operation);
        // Whatever it answers.
        let _ = subject.answer(function.as_mut(), operation, &text);
        function.set_key(&key).expect("a key of the right length");
        let answer = subject.answer(function.as_mut(), operation, &text);
        assert_eq!(answer, Ok(subject.sent(&key, &text)), "{}", subject.label());
    });
}

#[test]
fn wrong_lengths_are_refused_and_change_nothing() {
    for_all(|subject| {
        for operation in [Some(subject.sending()), subject.receiving()].into_iter().flatten() {
            let (key, text) = (subject.key(8), subject.text(8, 64));
            let sent = subject.sent(&key, &text);
            let right = match operation == subject.sending() {
                true => text,
                false => subject.received(&text, &sent),
            };
            let mut function = subject.keyed(operation, &key);
            let expected = subject.answer(function.as_mut(), operation, &right);
            for (what, wrong, length) in wrong_lengths(subject, operation, &right) {
                let answer = call(function.as_mut(), &wrong, &mut vec![0; length]);
                let label = subject.label();
                assert_eq!(answer, Err(CallError::Length), "{label} {operation} {what}");
            }
            let answer = subject.answer(function.as_mut(), operation, &right);
            assert_eq!(answer, expected, "{} {operation}", subject.label());
        }
    });
}

/// What is wrong, the text, and the length of the output that is given for it.
fn wrong_lengths(
    subject: &Subject<'_>,
    operation: Operation,
    right: &Text,
) -> Vec<(&'static str, Text, usize)> {
    let facts = subject.facts;
    let length = subject.answer_length(operation, right.input.len());
    let mut wrong = Vec::new();
    if facts.kind == Kind::Stream {
        wrong.push(("input", right.clone(), length));
    } else {
        wrong.push(("long output", right.clone(), length + 1));
        if length > 0 {
            wrong.push(("short output", right.clone(), length - 1));
            wrong.push(("no output", right.clone(), 0));
        }
    }
    let right = &subject.given(right);
    if facts.nonce_bytes > 0 {
        let nonce = |bytes| Text { nonce: vec![0; bytes], ..right.clone() };
        let usual = facts.nonce_bytes as usize;
        wrong.push(("no nonce", nonce(0), length));
        wrong.push(("short nonce", nonce(usual - 1), length));
        wrong.push(("long nonce", nonce(usual + 1), length));
    }
    if facts.block_bytes > 1 {
        let partial = Text { input: vec![0; 17], ..right.clone() };
        wrong.push(("partial block", partial, 17));
    }
    if matches!(operation, Operation::Open | Operation::Verify) {
        let no_tag = Text { input: vec![0; facts.tag_bytes as usize - 1], ..right.clone() };
        wrong.push(("less than a tag", no_tag, 0));
    }
    wrong
}

#[test]
fn a_key_of_the_wrong_length_is_refused_and_the_old_one_kept() {
    for_all(|subject| {
        if subject.facts.name.starts_with("hmac-") {
            return;
        }
        let (operation, key, text) = (subject.sending(), subject.key(9), subject.text(9, 64));
        let mut function = subject.keyed(operation, &key);
        for length in [key.len() + 1, key.len().saturating_sub(1)] {
            if length != key.len() {
                let set = function.set_key(&vec![0; length]);
                assert_eq!(set, Err(CallError::Length), "{} {length}", subject.label());
            }
        }
        let answer = subject.answer(function.as_mut(), operation, &text);
        assert_eq!(answer, Ok(subject.sent(&key, &text)), "{}", subject.label());
    });
}

#[test]
fn what_is_not_there_is_named() {
    for usable in usable_providers() {
        let Some(subject) = usable.subjects().into_iter().find(|s| s.facts.name == "aes-128-cbc")
        else {
            continue;
        };
        let right = subject.request(Operation::Encrypt);
        let wrong = [
            (Request { algorithm: "rot13", ..right }, "the algorithm rot13"),
            (Request { backend: "abacus", ..right }, "the backend abacus"),
            (Request { operation: Operation::Mac, ..right }, "the operation mac"),
            (Request { nonce_bytes: Some(8), ..right }, "a nonce of 8 bytes"),
        ];
        for (request, what) in wrong {
            let error = usable.provider.create(&request).err();
            assert_eq!(error, Some(CreateError::Unsupported(what.into())), "{}", usable.name);
        }
    }
}

#[test]
fn a_nonce_of_the_usual_length_may_be_asked_for() {
    for_all(|subject| {
        let nonce_bytes = Some(subject.facts.nonce_bytes as usize);
        let request = Request { nonce_bytes, ..subject.request(subject.sending()) };
        assert!(subject.provider.provider.create(&request).is_ok(), "{}", subject.label());
    });
}

#[test]
fn nonces_of_other_lengths_work_or_are_named() {
    for_all(|subject| {
        if subject.sending() != Operation::Seal {
            return;
        }
        for nonce_bytes in [0, 1, 8, 11, 13, 16, 128, 129, 1 << 20] {
            let text = Text { nonce: bytes(10, nonce_bytes), ..subject.text(10, 33) };
            match seal_and_open(subject, &text) {
                Ok(opened) => assert_eq!(opened, text.input, "{} {nonce_bytes}", subject.label()),
                Err(error) => {
                    let what = format!("a nonce of {nonce_bytes} bytes");
                    assert_eq!(error, CreateError::Unsupported(what), "{}", subject.label());
                }
            }
        }
    });
}

/// Seals and opens with a nonce of the text's length.
fn seal_and_open(subject: &Subject<'_>, text: &Text) -> Result<Vec<u8>, CreateError> {
    let create = |operation| {
        let nonce_bytes = Some(text.nonce.len());
        let request = Request { nonce_bytes, ..subject.request(operation) };
        let mut function = subject.provider.provider.create(&request)?;
        function.set_key(&subject.key(10)).expect("a key of the right length");
        Ok(function)
    };
    let (mut seal, mut open) = (create(Operation::Seal)?, create(Operation::Open)?);
    let sealed = subject.answer(seal.as_mut(), Operation::Seal, text).expect("it is sealed");
    let received = subject.received(text, &sealed);
    Ok(subject.answer(open.as_mut(), Operation::Open, &received).expect("it is opened"))
}
