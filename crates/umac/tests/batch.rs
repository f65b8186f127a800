//! Batches of messages have the tags of each message alone, or are refused as a whole.

use std::thread;

use ciphermark_umac::digest::{KeyInit, Mac};
use ciphermark_umac::{Algorithm, BatchError, BatchMessage, Error, NonceMacKey};
use ciphermark_umac::{Umac32Algorithm, Umac64Algorithm, Umac96Algorithm, Umac128Algorithm};
use ciphermark_umac::{Umac64Key, Vmac64Algorithm, Vmac64Key, Vmac128Algorithm};
use ciphermark_umac::{tag_batch, verify_batch};
use proptest::prelude::*;

/// Beyond what any hash takes in one block, and what a kernel compresses at a time.
const MOST_BYTES: usize = 5000;

/// Of each message which key it has, its nonce and its text.
type Given = Vec<(usize, Vec<u8>, Vec<u8>)>;

fn keys<A: Algorithm>() -> [NonceMacKey<A>; 3] {
    [1_u8, 2, 3].map(|byte| NonceMacKey::new(&[byte; 16].into()))
}

/// Short messages, as packets are, and some long ones.
fn given() -> impl Strategy<Value = Given> {
    let nonce = prop::collection::vec(any::<u8>(), 1..16);
    let bytes = prop_oneof![0..200_usize, 0..MOST_BYTES];
    let text = bytes.prop_flat_map(|bytes| prop::collection::vec(any::<u8>(), bytes));
    prop::collection::vec((0..3_usize, nonce, text), 1..70)
}

fn messages<'a, A>(keys: &'a [NonceMacKey<A>], given: &'a Given) -> Vec<BatchMessage<'a, A>> {
    let message = |(key, nonce, message): &'a (usize, Vec<u8>, Vec<u8>)| BatchMessage {
        key: &keys[*key],
        nonce,
        message,
    };
    given.iter().map(message).collect()
}

fn agrees<A: Algorithm>(given: &Given) -> Result<(), TestCaseError> {
    let mut keys = keys::<A>();
    let tags = tag_batch(&messages(&keys, given)).expect("all nonces are good");
    prop_assert_eq!(tags.len(), given.len());
    for ((key, nonce, text), tag) in given.iter().zip(&tags) {
        let alone = keys[*key].tag(nonce, text).expect("the nonce is good");
        prop_assert_eq!(tag, &alone, "{} {} bytes", A::NAME, text.len());
        let pieces = keys[*key].start(nonce).expect("the nonce is good");
        let pieces = text.chunks(97).fold(pieces, |mac, piece| mac.chain_update(piece));
        prop_assert_eq!(tag, &pieces.finalize().into_bytes(), "{} in pieces", A::NAME);
    }
    let right = verify_batch(&messages(&keys, given), &tags);
    prop_assert_eq!(right, Ok(vec![true; tags.len()]));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    #[test]
    fn tags_of_each_message(given in given()) {
        agrees::<Umac32Algorithm>(&given)?;
        agrees::<Umac64Algorithm>(&given)?;
        agrees::<Umac96Algorithm>(&given)?;
        agrees::<Umac128Algorithm>(&given)?;
        agrees::<Vmac64Algorithm>(&given)?;
        agrees::<Vmac128Algorithm>(&given)?;
    }
}

#[test]
fn more_messages_than_one_call_takes() {
    let keys = keys::<Umac64Algorithm>();
    let given = |n: usize| (n % 3, n.to_be_bytes().to_vec(), vec![n as u8; n % 71]);
    let given: Given = (0..5000).map(given).collect();
    let tags = tag_batch(&messages(&keys, &given)).expect("all nonces are good");
    for at in [0, 1, 4095, 4096, 4999] {
        let (key, nonce, text) = &given[at];
        assert_eq!(Ok(tags[at]), keys[*key].clone().tag(nonce, text), "{at}");
    }
}

#[test]
fn every_bit_of_a_tag_counts() {
    let keys = keys::<Umac64Algorithm>();
    let given: Given = (0..64).map(|n| (n % 3, vec![n as u8], vec![7; n])).collect();
    let messages = messages(&keys, &given);
    let mut tags = tag_batch(&messages).expect("all nonces are good");
    for (bit, tag) in tags.iter_mut().enumerate().filter(|(bit, _)| bit % 3 != 0) {
        tag[bit / 8] ^= 1 << (bit % 8);
    }
    let right: Vec<_> = (0..64).map(|bit| bit % 3 == 0).collect();
    assert_eq!(verify_batch(&messages, &tags), Ok(right));
}

#[test]
fn threads_share_keys() {
    let keys = keys::<Umac64Algorithm>();
    let given: Given = (0..100).map(|n| (n % 3, vec![n as u8], vec![9; n])).collect();
    let run = || tag_batch(&messages(&keys, &given)).expect("all nonces are good");
    let alone = run();
    let together = thread::scope(|scope| [(); 4].map(|()| scope.spawn(run)).map(|it| it.join()));
    assert!(together.into_iter().all(|it| it.expect("it does not panic") == alone));
}

#[test]
fn the_first_bad_nonce_is_named() {
    let umac = Umac64Key::new(&[1; 16].into());
    let vmac = Vmac64Key::new(&[1; 16].into());
    let error = Err(BatchError::Message { message: 1, error: Error::Nonce });
    let with_nonces = |nonces: [&'static [u8]; 3]| {
        let message = b"text".as_slice();
        tag_batch(&nonces.map(|nonce| BatchMessage { key: &umac, nonce, message })).map(|_| ())
    };
    assert_eq!(with_nonces([b"good", b"", &[0; 17]]), error);
    assert_eq!(with_nonces([b"good", &[0; 17], b"good"]), error);
    let nonces = [&[0x7f; 16], &[0x80; 16]];
    let messages = nonces.map(|nonce| BatchMessage { key: &vmac, nonce, message: b"text" });
    assert_eq!(tag_batch(&messages).map(|_| ()), error);
}

#[test]
fn counts_are_checked() {
    let key = Umac64Key::new(&[1; 16].into());
    let message = BatchMessage { key: &key, nonce: b"nonce", message: b"text" };
    let none: [BatchMessage<'_, Umac64Algorithm>; 0] = [];
    assert_eq!(tag_batch(&none).map(|_| ()), Err(BatchError::Empty));
    let error = Err(BatchError::Tags { messages: 2, tags: 1 });
    assert_eq!(verify_batch(&[message; 2], &[Default::default()]), error);
}

#[test]
fn messages_are_printed_without_their_key() {
    let key = Umac64Key::new(&[1; 16].into());
    let message = BatchMessage { key: &key, nonce: &[1], message: &[2] };
    let shown = "BatchMessage { key: Umac64Key { ... }, nonce: [1], message: [2] }";
    assert_eq!(format!("{message:?}"), shown);
}
