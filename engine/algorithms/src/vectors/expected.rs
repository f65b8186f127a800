//! What a call has to answer.

use std::ops::Range;

use sha2::{Digest, Sha256};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The output, or its first bytes where a MAC's tag is printed truncated.
    Answer(Vec<u8>),
    /// The output from this byte on, as far as it is printed.
    Part { offset_bytes: usize, bytes: Vec<u8> },
    /// So many bits of these bytes. What a function that takes whole bytes makes of the rest of the
    /// last byte does not count.
    Bits { count: usize, bytes: Vec<u8> },
    /// The SHA-256 of an output of so many bytes.
    Sha256 { output_bytes: usize, digest: Vec<u8> },
    /// The tag is wrong, and the call has to say so.
    Refusal,
}

impl Expected {
    /// Bytes of output that are needed to compare. A keystream has as many as are asked for.
    pub fn output_bytes(&self) -> usize {
        match self {
            Expected::Answer(bytes) | Expected::Bits { bytes, .. } => bytes.len(),
            Expected::Part { offset_bytes, bytes } => offset_bytes + bytes.len(),
            Expected::Sha256 { output_bytes, .. } => *output_bytes,
            Expected::Refusal => 0,
        }
    }

    /// What of an answer is compared, and what is right there: the answer is right where both are
    /// equal. Absent where there should have been none.
    pub fn compared(&self, answer: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
        Some(match self {
            Expected::Answer(bytes) => (within(answer, 0..bytes.len()), bytes.clone()),
            Expected::Part { offset_bytes, bytes } => {
                (within(answer, *offset_bytes..self.output_bytes()), bytes.clone())
            }
            Expected::Bits { count, bytes } => (cut(answer, *count), cut(bytes, *count)),
            Expected::Sha256 { digest, .. } => (Sha256::digest(answer).to_vec(), digest.clone()),
            Expected::Refusal => return None,
        })
    }
}

/// Those bytes, or none where the answer is too short for them.
fn within(answer: &[u8], range: Range<usize>) -> Vec<u8> {
    answer.get(range).unwrap_or_default().to_vec()
}

/// The first bits; the rest of their last byte is zero.
fn cut(bytes: &[u8], bits: usize) -> Vec<u8> {
    let mut cut = within(bytes, 0..bits.div_ceil(8));
    if let Some(last) = cut.last_mut() {
        *last &= 0xffu8 << ((8 - bits % 8) % 8);
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the answer is right.
    fn right(expected: &Expected, answer: &[u8]) -> bool {
        let (given, right) = expected.compared(answer).expect("an answer is expected");
        given == right
    }

    #[test]
    fn a_part_is_compared_where_it_stands() {
        let part = Expected::Part { offset_bytes: 2, bytes: vec![3, 4] };
        assert_eq!(part.output_bytes(), 4);
        assert!(right(&part, &[1, 2, 3, 4]));
        assert!(!right(&part, &[3, 4, 3, 5]));
        assert!(!right(&part, &[3, 4]));
    }

    #[test]
    fn bits_behind_the_last_do_not_count() {
        let bits = Expected::Bits { count: 11, bytes: vec![0xab, 0b1010_0000] };
        assert!(right(&bits, &[0xab, 0b1011_1111]));
        assert!(!right(&bits, &[0xab, 0b1000_0000]));
        let whole = Expected::Bits { count: 8, bytes: vec![0xab] };
        assert!(right(&whole, &[0xab]));
        assert!(!right(&whole, &[0xaa]));
        assert!(!right(&whole, &[]));
    }

    #[test]
    fn a_long_output_is_compared_by_its_digest() {
        let digest = Sha256::digest([7; 100]).to_vec();
        let long = Expected::Sha256 { output_bytes: 100, digest };
        assert!(right(&long, &[7; 100]));
        assert!(!right(&long, &[7; 101]));
    }

    #[test]
    fn the_first_bytes_of_a_tag_are_enough() {
        let tag = Expected::Answer(vec![1, 2]);
        assert!(right(&tag, &[1, 2, 3]));
        assert!(!right(&tag, &[1]));
        assert_eq!(Expected::Refusal.compared(&[1]), None);
    }
}
