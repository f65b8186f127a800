//! The RFC's and the draft's vectors, as one call and in pieces.

use ciphermark_algorithms::vectors::{self, Check};
use ciphermark_record::plan::Operation;
use ciphermark_umac::digest::common::KeyIvInit;
use ciphermark_umac::digest::{KeyInit, Mac};
use ciphermark_umac::{Algorithm, NonceMac, NonceMacKey};
use ciphermark_umac::{Umac32Algorithm, Umac64Algorithm, Umac96Algorithm, Umac128Algorithm};
use ciphermark_umac::{Vmac64Algorithm, Vmac128Algorithm};

/// Longer messages are left to the tests of the kernels.
const MOST_BYTES: usize = 1 << 20;

#[test]
fn tags_are_those_of_the_specifications() {
    passes::<Umac32Algorithm>("umac-32");
    passes::<Umac64Algorithm>("umac-64");
    passes::<Umac96Algorithm>("umac-96");
    passes::<Umac128Algorithm>("umac-128");
    passes::<Vmac64Algorithm>("vmac-64");
    passes::<Vmac128Algorithm>("vmac-128");
}

fn passes<A: Algorithm>(algorithm: &str) {
    let checks: Vec<Check> = vectors::known()
        .iter()
        .filter(|vector| vector.algorithm == algorithm)
        .flat_map(|vector| vector.checks().expect("calls carry all of it"))
        .filter(|check| check.operation == Operation::Mac && check.input.len() <= MOST_BYTES)
        .collect();
    assert!(checks.len() >= 5, "{algorithm}");
    for check in checks {
        let mut key = NonceMacKey::<A>::new_from_slice(&check.key).unwrap();
        let tag = key.tag(&check.nonce, &check.input).unwrap();
        assert_eq!(check.expected.compared(&tag).map(|(ours, right)| ours == right), Some(true));
        key.verify(&check.nonce, &check.input, &tag).unwrap();
        in_pieces::<A>(&check, &tag);
    }
}

/// Pieces that end before, at and after the ends of blocks.
fn in_pieces<A: Algorithm>(check: &Check, tag: &[u8]) {
    for bytes in [1, 31, 32, 127, 128, 1023, 1025] {
        let mac = NonceMac::<A>::new_from_slices(&check.key, &check.nonce).unwrap();
        let pieces = check.input.chunks(bytes);
        let mac = pieces.fold(mac, |mac, piece| mac.chain_update(piece));
        mac.verify_slice(tag).unwrap();
    }
}
