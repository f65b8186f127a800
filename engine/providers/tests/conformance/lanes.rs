//! Several messages in one call are answered as each would be alone.

use ciphermark_providers::api::*;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::agreement::{messages, rounded};
use crate::subjects::*;

/// Longest message, bytes: beyond the blocks and lanes of all code paths, and short enough that
/// many lanes are filled quickly.
const MAX_BYTES: usize = 600;

/// With up to the most lanes each, so some thousand messages.
const RANDOM_CASES: u32 = 24;

/// Lanes that are many enough where an implementation takes thousands.
const MANY: usize = 256;

/// Keys and texts of the lanes.
type Calls = Vec<(Vec<u8>, Text)>;

#[test]
fn lanes_answer_as_a_message_alone() {
    for_lanes(|subject, operation, most| {
        let config = Config { failure_persistence: None, ..Config::with_cases(RANDOM_CASES) };
        let calls = vec(keyed_text(subject), 1..=most.min(MANY));
        let ran = TestRunner::new(config).run(&calls, |calls| {
            let calls = given(subject, operation, calls);
            let mut lanes = create(subject, operation, calls.len(), calls.len());
            // Twice, since nothing may stay behind.
            for _ in 0..2 {
                let answers = answers(subject, operation, lanes.as_mut(), &calls);
                prop_assert_eq!(&answers, &Ok(alone(subject, operation, &calls)));
            }
            Ok(())
        });
        ran.unwrap_or_else(|error| panic!("{} {operation}: {error}", subject.label()));
    });
}

#[test]
fn lanes_under_few_keys_answer_as_under_keys_of_their_own() {
    for_lanes(|subject, operation, most| {
        let most = most.min(MANY);
        for keys in [1, 2].into_iter().filter(|keys| most.is_multiple_of(*keys)) {
            let call = |lane: usize| {
                (
                    subject.key((lane % keys) as u64),
                    subject.text(lane as u64, 50 + lane * 7 % MAX_BYTES),
                )
            };
            let calls = given(subject, operation, (0..most).map(call).collect());
            let mut lanes = create(subject, operation, most, keys);
            set_keys(lanes.as_mut(), &calls[..keys]).expect("keys of the right length");
            let answers = processed(subject, operation, lanes.as_mut(), &calls);
            let expected = Ok(alone(subject, operation, &calls));
            assert_eq!(answers, expected, "{} {operation} {keys}", subject.label());
        }
    });
}

/// As packets of many flows come: fewer than fill the lanes, in no order, with more keys than lanes.
#[test]
fn messages_under_chosen_keys_answer_as_alone() {
    for_lanes(|subject, operation, most| {
        let keys = most.min(MANY) + 3;
        let call = |key: usize| (subject.key(key as u64), subject.text(key as u64, 40 + key % 30));
        let calls = given(subject, operation, (0..keys).map(call).collect());
        let mut lanes = create(subject, operation, most, keys);
        set_keys(lanes.as_mut(), &calls).expect("keys of the right length");
        for count in [1, most.min(MANY) / 2 + 1, most.min(MANY)] {
            let chosen: Vec<u32> = (0..count).map(|it| (it * 7 % keys) as u32).collect();
            let calls: Calls = chosen.iter().map(|&key| calls[key as usize].clone()).collect();
            let answers = under(subject, operation, lanes.as_mut(), &calls, &chosen);
            let expected = Ok(alone(subject, operation, &calls));
            assert_eq!(answers, expected, "{} {operation} {count}", subject.label());
        }
        let beyond = under(subject, operation, lanes.as_mut(), &calls[..1], &[keys as u32]);
        assert_eq!(beyond, Err(CallError::Length), "{}: no such key", subject.label());
    });
}

/// Two calls' messages are prepared at once; the second call's are those of the first.
#[test]
fn prepared_messages_answer_as_alone() {
    for_lanes(|subject, operation, most| {
        let most = most.min(MANY);
        let call = |lane: u64| (subject.key(lane), subject.text(lane, 40 + lane as usize % 30));
        let calls = given(subject, operation, (0..most as u64).map(call).collect());
        let mut lanes = create(subject, operation, most, most);
        set_keys(lanes.as_mut(), &calls).expect("keys of the right length");
        let label = subject.label();
        let twice = [calls.clone(), calls.clone()].concat();
        let answers = prepared(subject, operation, lanes.as_mut(), &twice, &[most, 0]);
        if lanes.adapter() == Adapter::Direct {
            assert_eq!(answers, Err(CallError::Unsupported), "{label} {operation}");
            return;
        }
        let alone = alone(subject, operation, &calls);
        assert_eq!(answers, Ok([alone.clone(), alone].concat()), "{label} {operation}");
        for first in [most + 1, usize::MAX] {
            let beyond = prepared(subject, operation, lanes.as_mut(), &twice, &[first]);
            assert_eq!(beyond, Err(CallError::Length), "{label} {operation} {first}");
        }
        if matches!(operation, Operation::Open | Operation::Verify) {
            let mut forged = twice;
            *forged[most].1.input.last_mut().expect("it has a tag") ^= 1;
            let calls = [(0, Ok(())), (most, Err(CallError::Refused))];
            for (first, expected) in calls {
                let answer = prepared(subject, operation, lanes.as_mut(), &forged, &[first]);
                assert_eq!(answer.map(drop), expected, "{label} {operation} {first}");
            }
        }
    });
}

#[test]
fn what_was_prepared_elsewhere_is_refused() {
    for_lanes(|subject, operation, most| {
        let most = most.min(MANY);
        let calls = (0..most as u64).map(|lane| (subject.key(lane), subject.text(lane, 50)));
        let calls = given(subject, operation, calls.collect());
        let mut both = [(); 2].map(|()| create(subject, operation, most, most));
        if both[0].adapter() == Adapter::Direct {
            return;
        }
        both.iter_mut().for_each(|lanes| set_keys(lanes.as_mut(), &calls).expect("keys"));
        let [one, other] = &mut both;
        let answers = answered(subject, operation, &calls, |messages, outputs| {
            let mut elsewhere = PreparedLanes::default();
            let mut each = messages.iter().copied().zip(outputs.iter_mut().map(|it| &mut **it));
            one.prepare(&mut each, &mut elsewhere)?;
            other.process_prepared(&elsewhere, 0)
        });
        assert_eq!(answers, Err(CallError::Unsupported), "{} {operation}", subject.label());
    });
}

#[test]
fn without_keys_there_are_no_lanes() {
    for_lanes(|subject, operation, most| {
        let request = subject.request(operation);
        let created = subject.provider.provider.create_lanes(&request, most, 0).err();
        let expected = CreateError::Unsupported("no key".into());
        assert_eq!(created, Some(expected), "{}", subject.label());
    });
}

#[test]
fn one_wrong_tag_refuses_the_call() {
    for_lanes(|subject, operation, most| {
        if !matches!(operation, Operation::Open | Operation::Verify) {
            return;
        }
        let most = most.min(MANY);
        let calls = (0..most as u64).map(|lane| (subject.key(lane), subject.text(lane, 50)));
        let calls = given(subject, operation, calls.collect());
        let mut lanes = create(subject, operation, most, most);
        for forged in [0, most / 2, most - 1] {
            let mut calls = calls.clone();
            *calls[forged].1.input.last_mut().expect("it has a tag") ^= 1;
            let answer = answers(subject, operation, lanes.as_mut(), &calls);
            let label = subject.label();
            assert_eq!(answer, Err(CallError::Refused), "{label} {operation} {forged}");
        }
        let answer = answers(subject, operation, lanes.as_mut(), &calls);
        assert!(answer.is_ok(), "{} {operation} after refusals: {answer:?}", subject.label());
    });
}

#[test]
fn wrong_lengths_in_any_lane_are_refused() {
    for_lanes(|subject, operation, most| {
        let most = most.min(MANY);
        let calls = (0..most as u64).map(|lane| (subject.key(lane), subject.text(lane, 50)));
        let calls = given(subject, operation, calls.collect());
        let mut lanes = create(subject, operation, most, most);
        let label = subject.label();
        for wrong in [0, most - 1] {
            let mut calls = calls.clone();
            calls[wrong].1.nonce.push(0);
            let answer = answers(subject, operation, lanes.as_mut(), &calls);
            assert_eq!(answer, Err(CallError::Length), "{label} {operation} {wrong}");
        }
        let answer = answers(subject, operation, lanes.as_mut(), &calls[1..]);
        assert_eq!(answer, Err(CallError::Length), "{label} {operation}: a lane less");
        let key = lanes.set_key(most, &calls[0].0);
        assert_eq!(key, Err(CallError::Length), "{label} {operation}: a key more");
    });
}

#[test]
fn more_lanes_than_there_are_are_named() {
    for_all(|subject| {
        let most = subject.implementation.most_lanes as usize;
        for lanes in [0, most + 1] {
            let request = subject.request(subject.sending());
            let created = subject.provider.provider.create_lanes(&request, lanes, lanes).err();
            let expected = CreateError::Unsupported(format!("{lanes} messages per call"));
            assert_eq!(created, Some(expected), "{}", subject.label());
        }
    });
}

/// Runs `check` on every operation here that takes several messages, with the most that it takes.
fn for_lanes(check: impl Fn(&Subject<'_>, Operation, usize)) {
    for_all(|subject| {
        let most = subject.implementation.most_lanes as usize;
        if most == 1 {
            return;
        }
        let operations = [Some(subject.sending()), subject.receiving()];
        for operation in operations.into_iter().flatten() {
            check(subject, operation, most);
        }
    });
}

fn keyed_text(subject: &Subject<'_>) -> impl Strategy<Value = (Vec<u8>, Text)> {
    let facts = subject.facts;
    let lengths = (0..=MAX_BYTES).prop_filter_map("a length it has", |n| rounded(facts, n));
    messages(facts, lengths.boxed())
}

/// The calls as `operation` takes them: what is received was sent before.
fn given(subject: &Subject<'_>, operation: Operation, mut calls: Calls) -> Calls {
    if operation != subject.sending() {
        for (key, text) in &mut calls {
            *text = subject.received(text, &subject.sent(key, text));
        }
    }
    calls
}

fn create(
    subject: &Subject<'_>,
    operation: Operation,
    lanes: usize,
    keys: usize,
) -> Box<dyn Lanes> {
    let created = subject.provider.provider.create_lanes(&subject.request(operation), lanes, keys);
    created.unwrap_or_else(|error| panic!("{} {operation}: {error}", subject.label()))
}

/// What each call is answered when it is made alone.
fn alone(subject: &Subject<'_>, operation: Operation, calls: &Calls) -> Vec<Vec<u8>> {
    let answer = |(key, text): &(Vec<u8>, Text)| {
        let mut function = subject.keyed(operation, key);
        subject.answer(function.as_mut(), operation, text).expect("it is answered alone")
    };
    calls.iter().map(answer).collect()
}

fn answers(
    subject: &Subject<'_>,
    operation: Operation,
    lanes: &mut dyn Lanes,
    calls: &[(Vec<u8>, Text)],
) -> Result<Vec<Vec<u8>>, CallError> {
    set_keys(lanes, calls)?;
    processed(subject, operation, lanes, calls)
}

fn set_keys(lanes: &mut dyn Lanes, calls: &[(Vec<u8>, Text)]) -> Result<(), CallError> {
    calls.iter().enumerate().try_for_each(|(number, (key, _))| lanes.set_key(number, key))
}

fn processed(
    subject: &Subject<'_>,
    operation: Operation,
    lanes: &mut dyn Lanes,
    calls: &[(Vec<u8>, Text)],
) -> Result<Vec<Vec<u8>>, CallError> {
    answered(subject, operation, calls, |messages, outputs| lanes.process(messages, outputs))
}

fn under(
    subject: &Subject<'_>,
    operation: Operation,
    lanes: &mut dyn Lanes,
    calls: &[(Vec<u8>, Text)],
    keys: &[u32],
) -> Result<Vec<Vec<u8>>, CallError> {
    answered(subject, operation, calls, |messages, outputs| {
        lanes.process_under(keys, messages, outputs)
    })
}

/// The messages are prepared together, and those of the calls that begin at these numbers processed.
fn prepared(
    subject: &Subject<'_>,
    operation: Operation,
    lanes: &mut dyn Lanes,
    calls: &[(Vec<u8>, Text)],
    firsts: &[usize],
) -> Result<Vec<Vec<u8>>, CallError> {
    answered(subject, operation, calls, |messages, outputs| {
        let mut prepared = PreparedLanes::default();
        let mut each = messages.iter().copied().zip(outputs.iter_mut().map(|it| &mut **it));
        lanes.prepare(&mut each, &mut prepared)?;
        firsts.iter().try_for_each(|&first| lanes.process_prepared(&prepared, first))
    })
}

fn answered(
    subject: &Subject<'_>,
    operation: Operation,
    calls: &[(Vec<u8>, Text)],
    process: impl FnOnce(&[Message<'_>], &mut [&mut [u8]]) -> Result<(), CallError>,
) -> Result<Vec<Vec<u8>>, CallError> {
    let texts: Vec<_> = calls.iter().map(|(_, text)| subject.given(text)).collect();
    let messages: Vec<_> = texts.iter().map(Text::message).collect();
    let length = |(_, text): &(_, Text)| subject.answer_length(operation, text.input.len());
    let mut outputs: Vec<_> = calls.iter().map(|call| vec![0xa5; length(call)]).collect();
    let mut slices: Vec<_> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
    process(&messages, &mut slices)?;
    Ok(outputs)
}
