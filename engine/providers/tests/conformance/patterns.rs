//! The ways in which a function can be called all give the same answers.

use ciphermark_providers::api::*;

use crate::subjects::*;

#[test]
fn a_renewed_function_answers_as_before() {
    for_all(|subject| {
        for (pattern, what) in
            [(Pattern::OneShot, Renewed::Context), (Pattern::Fetched, Renewed::Algorithm)]
        {
            if subject.implementation.patterns.contains(&pattern) {
                for_each_operation(subject, |operation| check_renewal(subject, operation, what));
            }
        }
    });
}

fn check_renewal(subject: &Subject<'_>, operation: Operation, what: Renewed) {
    let key = subject.key(11);
    let mut function = subject.keyed(operation, &key);
    for length in subject.lengths() {
        let right = right_text(subject, operation, &key, length);
        let expected = subject.answer(function.as_mut(), operation, &right);
        let label = format!("{} {operation} {what:?} {length}", subject.label());
        assert_eq!(function.renew(what), Ok(()), "{label}");
        // Before the key: whatever it answers, it does no harm.
        let _ = subject.answer(function.as_mut(), operation, &right);
        assert_eq!(function.set_key(&key), Ok(()), "{label}");
        for message in ["first", "second"] {
            let answer = subject.answer(function.as_mut(), operation, &right);
            assert_eq!(answer, expected, "{label}, {message} message");
        }
    }
}

#[test]
fn a_function_may_be_renewed_twice_and_dropped() {
    for_all(|subject| {
        if subject.implementation.patterns.contains(&Pattern::OneShot) {
            let mut function = subject.keyed(subject.sending(), &subject.key(12));
            assert_eq!(function.renew(Renewed::Context), Ok(()), "{}", subject.label());
            assert_eq!(function.renew(Renewed::Context), Ok(()), "{}", subject.label());
        }
    });
}

#[test]
fn chunks_give_the_answer_of_the_whole() {
    for_incremental(|subject, operation| {
        let (key, block) = (subject.key(13), subject.facts.block_bytes as usize);
        let mut function = subject.keyed(operation, &key);
        for length in subject.lengths() {
            let right = right_text(subject, operation, &key, length);
            let expected = subject.answer(function.as_mut(), operation, &right);
            // Blocks of 16 bytes also where any length is allowed, a length that fits no block, and
            // more than the message has.
            for chunk in [1, 7, 16, 3 * 16, 8192].map(|bytes: usize| bytes.next_multiple_of(block))
            {
                let answer = answer_in_chunks(subject, function.as_mut(), operation, &right, chunk);
                let label = subject.label();
                assert_eq!(answer, expected, "{label} {operation} {length} by {chunk}");
            }
        }
    });
}

#[test]
fn a_wrong_tag_is_refused_in_chunks() {
    for_incremental(|subject, operation| {
        if !matches!(operation, Operation::Open | Operation::Verify) {
            return;
        }
        let key = subject.key(14);
        let mut function = subject.keyed(operation, &key);
        let right = right_text(subject, operation, &key, 100);
        let mut forged = right.clone();
        *forged.input.last_mut().expect("it has a tag") ^= 1;
        let mut answer =
            |text| answer_in_chunks(subject, function.as_mut(), operation, text, 16).map(drop);
        assert_eq!(answer(&forged), Err(CallError::Refused), "{}", subject.label());
        assert_eq!(answer(&right), Ok(()), "{} after a refusal", subject.label());
    });
}

#[test]
fn chunks_have_whole_blocks() {
    for_incremental(|subject, operation| {
        let key = subject.key(15);
        let mut function = subject.keyed(operation, &key);
        let right = right_text(subject, operation, &key, 64);
        let block = subject.facts.block_bytes as usize;
        let wrong = if block > 1 { vec![0, block + 1] } else { vec![0] };
        for chunk in wrong {
            let answer = answer_in_chunks(subject, function.as_mut(), operation, &right, chunk);
            assert_eq!(answer, Err(CallError::Length), "{} {chunk}", subject.label());
        }
    });
}

/// Runs `check` on both directions of every function that takes chunks.
fn for_incremental(check: impl Fn(&Subject<'_>, Operation)) {
    for_all(|subject| {
        if subject.implementation.patterns.contains(&Pattern::Incremental) {
            for_each_operation(subject, |operation| check(subject, operation));
        }
    });
}

fn for_each_operation(subject: &Subject<'_>, check: impl Fn(Operation)) {
    [Some(subject.sending()), subject.receiving()].into_iter().flatten().for_each(check);
}

/// A text that the operation accepts; of the sending side it has at most `length` bytes.
fn right_text(subject: &Subject<'_>, operation: Operation, key: &[u8], length: usize) -> Text {
    let text = subject.text(length as u64, length);
    match operation == subject.sending() {
        true => text,
        false => subject.received(&text, &subject.sent(key, &text)),
    }
}

fn answer_in_chunks(
    subject: &Subject<'_>,
    function: &mut dyn Function,
    operation: Operation,
    text: &Text,
    chunk_bytes: usize,
) -> Result<Vec<u8>, CallError> {
    let mut output = vec![0xa5; subject.answer_length(operation, text.input.len())];
    let Text { nonce, aad, input } = &subject.given(text);
    function.process_chunks(&Message { nonce, aad, input }, chunk_bytes, &mut output)?;
    Ok(output)
}
