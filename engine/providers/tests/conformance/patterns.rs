//! The ways in which a function is called: what is answered does not depend on them.

use ciphermark_providers::api::*;
use ciphermark_record::description::Kind;

use crate::subjects::*;

/// What some implementations can do, where their library is here: what is tried and fails is left
/// out in silence.
const OFFERED: &[(&str, &str, &[Pattern])] = &[
    ("blake3", "blake3-mac", &[Pattern::OneShot, Pattern::Incremental]),
    ("botan", "aes-128-cbc", &[Pattern::Fetched, Pattern::Incremental]),
    ("botan", "aes-128-ccm", &[Pattern::Fetched]),
    ("botan", "aes-128-gcm", &[Pattern::Fetched, Pattern::Incremental]),
    ("botan", "rc4-128", &[Pattern::Fetched, Pattern::Incremental]),
    ("libgcrypt", "aes-128-gcm-siv", &[Pattern::OneShot]),
    ("libgcrypt", "aes-128-ocb", &[Pattern::OneShot, Pattern::Incremental]),
    ("libgcrypt", "hmac-sha256", &[Pattern::OneShot, Pattern::Incremental]),
    ("libsodium", "chacha20-poly1305", &[Pattern::OneShot]),
    ("libsodium", "poly1305", &[Pattern::OneShot, Pattern::Incremental]),
    ("libtomcrypt", "aes-128-gcm", &[Pattern::OneShot, Pattern::Incremental]),
    ("libtomcrypt", "aes-128-ocb", &[Pattern::OneShot]),
    ("nettle", "aes-128-ccm", &[Pattern::OneShot, Pattern::Incremental]),
    ("nettle", "chacha20", &[Pattern::OneShot, Pattern::Incremental]),
    ("rustcrypto", "aes-128-ctr", &[Pattern::OneShot, Pattern::Incremental]),
    ("rustcrypto", "aes-128-gcm", &[Pattern::OneShot]),
];

#[test]
fn patterns_are_those_that_libraries_have() {
    for_all(|subject| {
        let of_subject = |(provider, algorithm, _): &&(&str, &str, _)| {
            (*provider, *algorithm) == (subject.provider.name, &subject.facts.name)
        };
        let Some((_, _, offered)) = OFFERED.iter().find(of_subject) else { return };
        let asked = [Pattern::OneShot, Pattern::Fetched, Pattern::Incremental];
        let has = |pattern: &Pattern| subject.implementation.patterns.contains(pattern);
        let found: Vec<_> = asked.into_iter().filter(has).collect();
        assert_eq!(found, *offered, "{}", subject.label());
    });
}

/// Every operation that works on a message, with messages for it and their answers.
fn for_all_operations(check: impl Fn(&Subject<'_>, Operation, &[u8], &[(Text, Vec<u8>)])) {
    for_all(|subject| {
        let key = subject.key(20);
        let texts: Vec<_> = subject.lengths().map(|n| subject.text(n as u64, n)).collect();
        let sent: Vec<_> = texts.iter().map(|text| subject.sent(&key, text)).collect();
        if let Some(operation) = subject.receiving() {
            let received = texts.iter().zip(&sent).map(|(text, sent)| {
                let expected = if operation == Operation::Verify { &[] } else { &text.input[..] };
                (subject.received(text, sent), expected.to_vec())
            });
            check(subject, operation, &key, &received.collect::<Vec<_>>());
        }
        let messages: Vec<_> = texts.into_iter().zip(sent).collect();
        check(subject, subject.sending(), &key, &messages);
    });
}

#[test]
fn a_renewed_function_answers_as_before() {
    for_all_operations(|subject, operation, key, messages| {
        let mut function = subject.keyed(operation, key);
        for what in [Renewed::Context, Renewed::Algorithm] {
            for (text, expected) in messages {
                match function.renew(what) {
                    Ok(()) => function.set_key(key).expect("a key of the right length"),
                    refused => assert_eq!(refused, Err(CallError::Unsupported)),
                }
                let answer = subject.answer(function.as_mut(), operation, text);
                let label = subject.label();
                assert_eq!(answer.as_ref(), Ok(expected), "{label} {operation} {what:?}");
            }
        }
    });
}

#[test]
fn a_renewed_function_takes_another_key() {
    for_all(|subject| {
        let (operation, text) = (subject.sending(), subject.text(21, 64));
        let mut function = subject.keyed(operation, &subject.key(21));
        for what in [Renewed::Context, Renewed::Algorithm] {
            if function.renew(what).is_ok() {
                let key = subject.key(22);
                function.set_key(&key).expect("a key of the right length");
                let answer = subject.answer(function.as_mut(), operation, &text);
                assert_eq!(answer, Ok(subject.sent(&key, &text)), "{} {what:?}", subject.label());
            }
        }
    });
}

#[test]
fn a_message_between_renewal_and_key_does_no_harm() {
    for_all_operations(|subject, operation, key, messages| {
        let mut function = subject.keyed(operation, key);
        let (text, expected) = messages.last().expect("every function has a length");
        for what in [Renewed::Context, Renewed::Algorithm] {
            if function.renew(what).is_ok() {
                // Whatever they answer.
                let _ = subject.answer(function.as_mut(), operation, text);
                let _ = in_chunks(subject, function.as_mut(), operation, text, 64);
                function.set_key(key).expect("a key of the right length");
                let answer = subject.answer(function.as_mut(), operation, text);
                assert_eq!(answer.as_ref(), Ok(expected), "{} {operation}", subject.label());
            }
        }
    });
}

#[test]
fn chunks_give_the_same_answer() {
    for_all_operations(|subject, operation, key, messages| {
        let mut function = subject.keyed(operation, key);
        for (text, expected) in messages {
            for chunk_bytes in chunk_lengths(subject, text) {
                let label = format!("{} {operation} {chunk_bytes}", subject.label());
                let answer = in_chunks(subject, function.as_mut(), operation, text, chunk_bytes);
                match subject.implementation.patterns.contains(&Pattern::Incremental) {
                    true => assert_eq!(answer.as_ref(), Ok(expected), "{label}"),
                    false => assert_eq!(answer, Err(CallError::Unsupported), "{label}"),
                }
            }
            let answer = subject.answer(function.as_mut(), operation, text);
            assert_eq!(answer.as_ref(), Ok(expected), "{} {operation}", subject.label());
        }
    });
}

#[test]
fn a_repeated_chunk_is_answered_as_the_message_that_it_makes() {
    for_all_operations(|subject, operation, key, messages| {
        let mut function = subject.keyed(operation, key);
        for (text, _) in messages {
            for chunk_bytes in chunk_lengths(subject, text) {
                check_repeated(subject, function.as_mut(), operation, key, text, chunk_bytes);
            }
        }
    });
}

/// Where the library takes chunks of a MAC or a digest, they can be one; of units that lie in two
/// chunks it says that it does not have the length.
fn check_repeated(
    subject: &Subject<'_>,
    function: &mut dyn Function,
    operation: Operation,
    key: &[u8],
    text: &Text,
    chunk_bytes: usize,
) {
    let label = format!("{} {operation} {} {chunk_bytes}", subject.label(), text.input.len());
    let tag_bytes = input_bytes(operation, 0, Expansion::of(subject.facts));
    let message_bytes = text.input.len() - tag_bytes;
    let chunk = text.input[..message_bytes.min(chunk_bytes)].to_vec();
    let input = chunk.iter().cycle().take(message_bytes).copied().collect();
    let whole = Text { input, ..text.clone() };
    let tag = || subject.sent(key, &whole);
    let (input, expected) = match operation {
        Operation::Verify => ([chunk.clone(), tag()].concat(), vec![]),
        Operation::Mac | Operation::Digest => (chunk.clone(), tag()),
        _ => (chunk.clone(), vec![]),
    };
    let mut output = vec![0xa5; subject.answer_length(operation, text.input.len())];
    let message = Message { nonce: &text.nonce, aad: &text.aad, input: &input, unused_bits: 0 };
    let done = function.process_parts(&message, Parts::Repeated(message_bytes), &mut output);
    match (subject.implementation.takes_repeats, done) {
        (true, Err(CallError::Length)) => assert_ne!(chunk.len() % 16, 0, "{label}"),
        (true, done) => assert_eq!(done.map(|()| output), Ok(expected), "{label}"),
        (false, done) => assert_eq!(done, Err(CallError::Unsupported), "{label}"),
    }
}

/// One block, three, some that units of 16 bytes do not fit into, the blocks of many functions, and
/// more than there is.
fn chunk_lengths(subject: &Subject<'_>, text: &Text) -> [usize; 6] {
    let block = subject.facts.block_bytes as usize;
    [
        block,
        3 * block,
        25 * block,
        64,
        (text.input.len() + 1).next_multiple_of(block),
        usize::MAX / block * block,
    ]
}

/// As [`Subject::answer`], in chunks.
fn in_chunks(
    subject: &Subject<'_>,
    function: &mut dyn Function,
    operation: Operation,
    text: &Text,
    chunk_bytes: usize,
) -> Result<Vec<u8>, CallError> {
    let mut output = vec![0xa5; subject.answer_length(operation, text.input.len())];
    call_in_chunks(function, &subject.given(text), chunk_bytes, &mut output)?;
    Ok(output)
}

fn call_in_chunks(
    function: &mut dyn Function,
    text: &Text,
    chunk_bytes: usize,
    output: &mut [u8],
) -> Result<(), CallError> {
    let message =
        Message { nonce: &text.nonce, aad: &text.aad, input: &text.input, unused_bits: 0 };
    function.process_parts(&message, Parts::Chunks(chunk_bytes), output)
}

#[test]
fn a_wrong_tag_is_refused_in_chunks() {
    for_all_operations(|subject, operation, key, messages| {
        let checks = matches!(operation, Operation::Open | Operation::Verify);
        if !checks || !subject.implementation.patterns.contains(&Pattern::Incremental) {
            return;
        }
        let mut function = subject.keyed(operation, key);
        for (text, expected) in messages {
            let mut forged = text.clone();
            *forged.input.last_mut().expect("there is a tag") ^= 0x80;
            let answer = in_chunks(subject, function.as_mut(), operation, &forged, 64);
            assert_eq!(answer, Err(CallError::Refused), "{} {operation}", subject.label());
            let answer = in_chunks(subject, function.as_mut(), operation, text, 64);
            assert_eq!(answer.as_ref(), Ok(expected), "{} {operation}", subject.label());
        }
    });
}

#[test]
fn chunks_of_wrong_lengths_are_refused_and_change_nothing() {
    for_all_operations(|subject, operation, key, messages| {
        if !subject.implementation.patterns.contains(&Pattern::Incremental) {
            return;
        }
        let mut function = subject.keyed(operation, key);
        let (text, expected) = &messages[messages.len() / 2];
        let block = subject.facts.block_bytes as usize;
        for chunk_bytes in [Some(0), (block > 1).then_some(block + 1)].into_iter().flatten() {
            let answer = in_chunks(subject, function.as_mut(), operation, text, chunk_bytes);
            let label = subject.label();
            assert_eq!(answer, Err(CallError::Length), "{label} {operation} {chunk_bytes}");
        }
        if subject.facts.kind != Kind::Stream {
            let mut output = vec![0; expected.len() + 1];
            let answer = call_in_chunks(function.as_mut(), text, block, &mut output);
            assert_eq!(answer, Err(CallError::Length), "{} {operation}", subject.label());
        }
        let answer = in_chunks(subject, function.as_mut(), operation, text, block);
        assert_eq!(answer.as_ref(), Ok(expected), "{} {operation}", subject.label());
    });
}

#[test]
fn a_keystream_needs_no_input_and_fills_its_output() {
    for_all(|subject| {
        if subject.facts.kind != Kind::Stream {
            return;
        }
        let mut function = subject.keyed(Operation::Keystream, &subject.key(23));
        let nonce = subject.text(23, 4096).nonce;
        let longest = keystream(function.as_mut(), &nonce, vec![0xa5; 4096]);
        for length in subject.lengths() {
            let stream = keystream(function.as_mut(), &nonce, vec![0x5a; length]);
            assert_eq!(stream, longest[..length], "{} {length}", subject.label());
        }
    });
}

fn keystream(function: &mut dyn Function, nonce: &[u8], mut output: Vec<u8>) -> Vec<u8> {
    let message = Message::new(nonce, &[]);
    function.process(&message, &mut output).expect("a keystream");
    output
}
