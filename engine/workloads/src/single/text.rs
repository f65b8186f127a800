//! Texts that never come again.
//!
//! One stream of random bytes without an end; the text of message n begins n steps into it. So texts
//! differ, as those of a caller do, and those of neighbours share cache lines: a thousand messages of
//! 16 KiB that follow each other take hardly more room than one. What would remember messages and
//! their answers finds none of them again.

/// Steps are whole words of the stream; the longest is a cache line, so that long texts begin at one.
const SHORTEST_STEP: usize = 16;
const LONGEST_STEP: usize = 64;

const WORD: usize = size_of::<u64>();

/// The texts of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Texts {
    seed: u64,
    /// Bytes of the stream between the beginnings of two texts.
    pub step: usize,
}

impl Texts {
    /// For texts of at most so many bytes.
    pub fn new(seed: u64, longest: usize) -> Self {
        Self { seed: mixed(seed), step: step(longest) }
    }

    /// Fills `bytes` with the stream from the beginning of text `index` on.
    pub fn fill(&self, index: u64, bytes: &mut [u8]) {
        let first = index.wrapping_mul((self.step / WORD) as u64);
        let word = |number: usize| {
            mixed(self.seed.wrapping_add(first.wrapping_add(number as u64))).to_le_bytes()
        };
        let whole = bytes.len() / WORD;
        let mut words = bytes.chunks_exact_mut(WORD);
        words.by_ref().enumerate().for_each(|(number, bytes)| bytes.copy_from_slice(&word(number)));
        let rest = words.into_remainder();
        rest.copy_from_slice(&word(whole)[..rest.len()]);
    }
}

/// Bytes from one thing of at most so many bytes to the next: aligned as their size asks for, up to a
/// cache line.
pub fn step(bytes: usize) -> usize {
    bytes.next_power_of_two().clamp(SHORTEST_STEP, LONGEST_STEP)
}

/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014): the
/// number that follows state n of its sequence.
pub fn mixed(state: u64) -> u64 {
    let mut z = state.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_generator_is_splitmix64() {
        // The first outputs of the sequence with the seed 0.
        let outputs = [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F];
        assert_eq!([0, 1, 2].map(mixed), outputs);
    }

    #[test]
    fn texts_lie_in_one_stream_and_differ() {
        for bytes in [5, 16, 40, 1500] {
            let texts = Texts::new(7, bytes);
            let mut stream = vec![0; bytes + 100 * texts.step];
            texts.fill(1000, &mut stream);
            let mut seen = HashSet::new();
            for number in 0..100 {
                let mut text = vec![0; bytes];
                texts.fill(1000 + number as u64, &mut text);
                assert_eq!(text, stream[number * texts.step..][..bytes]);
                assert!(seen.insert(text), "{bytes} {number}");
            }
        }
    }

    #[test]
    fn texts_of_another_seed_are_others() {
        let text = |seed| {
            let mut text = [0; 24];
            Texts::new(seed, 24).fill(3, &mut text);
            text
        };
        assert_eq!(text(1), text(1));
        assert_ne!(text(1), text(2));
    }

    #[test]
    fn steps_are_those_of_the_alignment() {
        assert_eq!([0, 1, 16, 17, 33, 1500].map(step), [16, 16, 16, 32, 64, 64]);
    }
}
