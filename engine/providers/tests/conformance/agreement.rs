//! Providers give the same answers to random messages under random keys.

use std::collections::BTreeMap;

use ciphermark_algorithms::Algorithm;
use ciphermark_record::description::Kind;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::subjects::*;

/// Long enough for several rounds of the widest bulk code, with every kind of rest.
const MAX_BYTES: usize = 3000;

const CASES_PER_ALGORITHM: u32 = 48;

#[test]
fn providers_agree_on_random_messages() {
    let providers = usable_providers();
    let mut subjects = BTreeMap::<_, Vec<_>>::new();
    for subject in providers.iter().flat_map(Usable::subjects) {
        subjects.entry(&subject.facts.name).or_default().push(subject);
    }
    for (algorithm, subjects) in subjects {
        match &subjects[..] {
            [only] => eprintln!("skipped {algorithm}: only {} has it", only.provider.name),
            subjects => agree(subjects),
        }
    }
}

fn agree(subjects: &[Subject<'_>]) {
    let config = Config { failure_persistence: None, ..Config::with_cases(CASES_PER_ALGORITHM) };
    let (first, others) = subjects.split_first().expect("at least two");
    let answered = TestRunner::new(config).run(&messages(first.facts), |(key, text)| {
        let expected = first.sent(&key, &text);
        for other in others {
            let label = format!("{} against {}", other.label(), first.label());
            prop_assert_eq!(other.sent(&key, &text), expected.clone(), "{}", label);
        }
        Ok(())
    });
    answered.unwrap_or_else(|error| panic!("{error}"));
}

/// Keys and texts that the algorithm can have.
fn messages(facts: &Algorithm) -> impl Strategy<Value = (Vec<u8>, Text)> + use<> {
    let block_bytes = facts.block_bytes as usize;
    let key_bytes = match facts.name.starts_with("hmac-") {
        // Empty, within a block of the hash, and longer than it, when the key is hashed first.
        true => 0..=200,
        false => facts.key_bytes as usize..=facts.key_bytes as usize,
    };
    let aad_bytes = 0..=if facts.kind == Kind::Aead { 100 } else { 0 };
    let input = (0..=MAX_BYTES / block_bytes)
        .prop_flat_map(move |blocks| vec(any::<u8>(), blocks * block_bytes));
    let nonce = vec(any::<u8>(), facts.nonce_bytes as usize);
    (vec(any::<u8>(), key_bytes), nonce, vec(any::<u8>(), aad_bytes), input)
        .prop_map(|(key, nonce, aad, input)| (key, Text { nonce, aad, input }))
}
