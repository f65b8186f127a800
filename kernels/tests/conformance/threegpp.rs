//! The numbers and lengths of 3GPP functions: every BEARER and DIRECTION, and every length in bits.

use std::collections::BTreeSet;

use ciphermark_algorithms::threegpp::BearerNonce;
use ciphermark_kernels::abi::{self, Function};

use crate::texts::*;

/// Longest message of f8 and f9 (TS 35.201), bits.
const MOST_BITS: usize = 20_000;

/// Up to here MACs, which begin anew for each length, are tested at every one, bits.
const EVERY_BITS: usize = 1_100;

/// And beyond at every so many: odd, so that all remainders of bytes and blocks occur.
const STEP_BITS: usize = 61;

const BEARERS: u8 = 32;
const DIRECTIONS: u8 = 2;

fn counting_bits(operation: u32) -> impl Iterator<Item = Function> {
    rows().filter(move |row| row.operation == operation && row.counts_bits == 1)
}

/// A text of so many bits; the others of the last byte are ones, which must not matter.
fn text(row: &Function, bits: usize) -> Text {
    let bytes = |count: usize, by: usize| (0..count).map(|i| (i * by + 3) as u8).collect();
    let mut nonce: Vec<u8> = bytes(row.nonce_bytes.least, 29);
    let numbers = nonce.len() - if nonce.len() == BearerNonce::BYTES { 2 } else { 1 };
    nonce[numbers..].fill(1);
    let unused_bits = (bits.next_multiple_of(8) - bits) as u8;
    let mut input: Vec<u8> = bytes(bits.div_ceil(8), 7);
    *input.last_mut().expect("there is a bit") |= (1 << unused_bits) - 1;
    Text { key: bytes(16, 11), nonce, aad: vec![], input, unused_bits }
}

fn reference(row: &Function) -> Function {
    related(row, row.operation, Some("reference"))
}

#[test]
fn every_bearer_and_direction() {
    let all = [abi::ENCRYPT, abi::DECRYPT, abi::MAC];
    for row in all.into_iter().flat_map(counting_bits) {
        let mut text = text(&row, 803);
        let has_bearer = text.nonce.len() == BearerNonce::BYTES;
        let mut answers = BTreeSet::new();
        for bearer in 0..if has_bearer { BEARERS } else { 1 } {
            for direction in 0..DIRECTIONS {
                let last = text.nonce.len() - 1;
                text.nonce[last] = direction;
                if has_bearer {
                    text.nonce[last - 1] = bearer;
                }
                let answer = text.answer(&row).expect("the numbers are in range");
                assert_eq!(Ok(&answer), text.answer(&reference(&row)).as_ref(), "{}", label(&row));
                assert!(answers.insert(answer), "{} {bearer} {direction}", label(&row));
            }
        }
    }
}

/// A keystream does not depend on the length, so all answers are the beginnings of one.
#[test]
fn ciphers_at_every_length() {
    for row in counting_bits(abi::ENCRYPT) {
        let longest = text(&row, MOST_BITS);
        let whole = longest.answer(&reference(&row)).expect("it is not too long");
        let mut kernel = longest.keyed(&row);
        let step = if row.backend() == Some("reference") { STEP_BITS } else { 1 };
        for bits in (1..=MOST_BITS).step_by(step) {
            let text = text(&row, bits);
            let mut right = whole[..bits.div_ceil(8)].to_vec();
            *right.last_mut().expect("there is a bit") &= 0xff << text.unused_bits;
            assert_eq!(text.answer_of(&mut kernel), Ok(right), "{}, {bits} bits", label(&row));
        }
    }
}

#[test]
fn macs_at_every_length() {
    for row in counting_bits(abi::MAC).filter(|row| row.backend() != Some("reference")) {
        let (mut kernel, mut slow) = {
            let text = text(&row, 8);
            (text.keyed(&row), text.keyed(&reference(&row)))
        };
        let beyond = (EVERY_BITS..=MOST_BITS).step_by(STEP_BITS);
        for bits in (1..EVERY_BITS).chain(beyond).chain([MOST_BITS]) {
            let text = text(&row, bits);
            let right = text.answer_of(&mut slow);
            assert_eq!(text.answer_of(&mut kernel), right, "{}, {bits} bits", label(&row));
            assert!(right.is_ok(), "{}, {bits} bits", label(&row));
        }
    }
}
