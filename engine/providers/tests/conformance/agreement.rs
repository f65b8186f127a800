//! Providers give the same answers to the same messages under the same keys.

use std::collections::BTreeMap;

use ciphermark_algorithms::{Algorithm, nonce};
use ciphermark_record::description::Kind;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};

use crate::subjects::*;

/// Longest message, bytes: several rounds of the widest bulk code, with every kind of rest.
const MAX_BYTES: usize = 4096;

const RANDOM_CASES_PER_ALGORITHM: u32 = 48;

/// Where code paths begin and end: blocks of 8 to 128 bytes, the rates of SHA-3, and what 4 to 32
/// lanes take at once. The lengths beside each are as awkward.
const BOUNDARIES: [usize; 16] =
    [0, 8, 16, 32, 64, 72, 104, 128, 136, 144, 168, 256, 512, 1024, 2048, 4095];

#[test]
fn providers_agree_on_random_messages() {
    for_shared(|facts, subjects| {
        let lengths = (0..=MAX_BYTES).prop_filter_map("a length it has", |n| rounded(facts, n));
        check(RANDOM_CASES_PER_ALGORITHM, facts, subjects, lengths.boxed());
    });
}

#[test]
fn providers_agree_at_awkward_lengths() {
    for_shared(|facts, subjects| {
        let around = BOUNDARIES.iter().flat_map(|&n| [n.saturating_sub(1), n, n + 1]);
        for length in around.filter(|length| has_length(facts, *length)) {
            check(1, facts, subjects, Just(length).boxed());
        }
    });
}

/// Runs `check` on every algorithm that several implementations have, with all of them.
fn for_shared(check: impl Fn(&'static Algorithm, &[Subject<'_>])) {
    let providers = usable_providers();
    let mut subjects = BTreeMap::<_, Vec<_>>::new();
    for subject in providers.iter().flat_map(Usable::subjects) {
        subjects.entry(&subject.facts.name).or_default().push(subject);
    }
    for (algorithm, subjects) in &subjects {
        match &subjects[..] {
            [only] => eprintln!("skipped {algorithm}: only {} has it", only.provider.name),
            subjects => check(subjects[0].facts, subjects),
        }
    }
}

/// Panics with the smallest input, of those that `lengths` allows, that shows a disagreement.
fn check(cases: u32, facts: &Algorithm, subjects: &[Subject<'_>], lengths: BoxedStrategy<usize>) {
    // Enough to find the least length and to clear most bytes of a short message.
    let max_shrink_iters = 5000;
    let config =
        Config { failure_persistence: None, max_shrink_iters, ..Config::with_cases(cases) };
    let answered = TestRunner::new(config).run(&messages(facts, lengths), |(key, text)| {
        let answers = answers(subjects, &key, &text);
        prop_assert!(answers.len() == 1, "{}", disagreement(&answers));
        Ok(())
    });
    match answered {
        Ok(()) => {}
        Err(TestError::Fail(who, (key, Text { nonce, aad, input, .. }))) => panic!(
            "{who}\nfor key {}, nonce {}, associated data {}, input {}",
            hex(&key),
            hex(&nonce),
            hex(&aad),
            hex(&input)
        ),
        Err(TestError::Abort(why)) => panic!("{}: {why}", facts.name),
    }
}

/// Each answer that is given, with those who give it.
fn answers(subjects: &[Subject<'_>], key: &[u8], text: &Text) -> BTreeMap<Vec<u8>, Vec<String>> {
    let mut answers = BTreeMap::<_, Vec<_>>::new();
    for subject in subjects {
        answers.entry(subject.sent(key, text)).or_default().push(subject.label());
    }
    answers
}

fn disagreement(answers: &BTreeMap<Vec<u8>, Vec<String>>) -> String {
    let line = |(answer, labels): (&Vec<u8>, &Vec<String>)| {
        format!("{}: {}", labels.join(", "), hex(answer))
    };
    answers.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The nearest length below that the algorithm has.
pub fn rounded(facts: &Algorithm, bytes: usize) -> Option<usize> {
    let block_bytes = facts.block_bytes as usize;
    Some(bytes / block_bytes * block_bytes).filter(|bytes| has_length(facts, *bytes))
}

/// Keys and texts that the algorithm can have.
pub fn messages(
    facts: &Algorithm,
    lengths: BoxedStrategy<usize>,
) -> impl Strategy<Value = (Vec<u8>, Text)> + use<'_> {
    let key_bytes = match facts.name.starts_with("hmac-") {
        // Empty, within a block of the hash, and longer than it, when the key is hashed first.
        true => 0..=200,
        false => facts.key_bytes as usize..=facts.key_bytes as usize,
    };
    let aad_bytes = 0..=if facts.kind == Kind::Aead { 100 } else { 0 };
    let input = lengths.prop_flat_map(|length| vec(any::<u8>(), length));
    let nonce = vec(any::<u8>(), facts.nonce_bytes as usize).prop_map(|mut nonce| {
        nonce::confine(facts, &mut nonce);
        nonce
    });
    (vec(any::<u8>(), key_bytes), nonce, vec(any::<u8>(), aad_bytes), input)
        .prop_map(|(key, nonce, aad, input)| (key, Text { nonce, aad, input, unused_bits: 0 }))
}
