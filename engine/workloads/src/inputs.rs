//! Keys, nonces and messages: random, and the same for every provider.

use ciphermark_algorithms::nonce;
use ciphermark_record::description::Algorithm;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

/// What one question to a function is made of. The n-th message of a case has the nonce (or, for
/// key setup, the key) advanced n times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inputs {
    pub key: Vec<u8>,
    pub nonce: Vec<u8>,
    pub message: Vec<u8>,
}

impl Inputs {
    /// Random bytes that depend on nothing but the seed, the algorithm and the size.
    pub fn new(seed: u64, algorithm: &Algorithm, message_bytes: usize) -> Self {
        let mut random = generator(seed, &algorithm.name, message_bytes);
        let mut bytes = |count: usize| {
            let mut bytes = vec![0; count];
            random.fill_bytes(&mut bytes);
            bytes
        };
        let mut inputs = Self {
            key: bytes(algorithm.key_bytes as usize),
            nonce: bytes(algorithm.nonce_bytes as usize),
            message: bytes(message_bytes),
        };
        nonce::confine(algorithm, &mut inputs.nonce);
        inputs
    }
}

/// So many random bytes, which depend on nothing but the seed and their purpose.
pub fn random_bytes(seed: u64, purpose: &str, count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    generator(seed, purpose, count).fill_bytes(&mut bytes);
    bytes
}

/// A generator for one purpose.
pub fn generator(seed: u64, purpose: &str, count: usize) -> ChaCha12Rng {
    let digest = Sha256::new()
        .chain_update(seed.to_le_bytes())
        .chain_update((count as u64).to_le_bytes())
        .chain_update(purpose)
        .finalize();
    ChaCha12Rng::from_seed(digest.into())
}

/// The counter in a nonce or key: its first eight bytes or, where there are fewer, its first four,
/// big-endian. Absent where there are fewer than four.
///
/// The last bytes stay, since that is where CTR counts the blocks of one message, and where 3GPP
/// has BEARER and DIRECTION. A nonce of eight bytes is counted as UMAC and VMAC read it, so that
/// neighbours share a pad where a library makes use of that; one of four is the COUNT of UEA1 and
/// the position of SEAL.
pub fn counter(nonce: &[u8]) -> Option<u64> {
    match (nonce.first_chunk(), nonce.first_chunk()) {
        (Some(eight), _) => Some(u64::from_be_bytes(*eight)),
        (None, Some(four)) => Some(u32::from_be_bytes(*four).into()),
        (None, None) => None,
    }
}

/// Advances a nonce or key so many times.
#[inline]
pub fn advance(nonce: &mut [u8], start: Option<u64>, index: u64) {
    let Some(start) = start else { return };
    let count = start.wrapping_add(index);
    if let Some(eight) = nonce.first_chunk_mut() {
        *eight = count.to_be_bytes();
    } else if let Some(four) = nonce.first_chunk_mut() {
        *four = (count as u32).to_be_bytes();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn algorithm(name: &str) -> &'static Algorithm {
        ciphermark_algorithms::find(name).expect("the algorithm has facts")
    }

    #[test]
    fn inputs_depend_on_seed_algorithm_and_size_only() {
        let gcm = algorithm("aes-128-gcm");
        assert_eq!(Inputs::new(1, gcm, 64), Inputs::new(1, gcm, 64));
        assert_ne!(Inputs::new(1, gcm, 64).key, Inputs::new(2, gcm, 64).key);
        assert_ne!(Inputs::new(1, gcm, 64).key, Inputs::new(1, gcm, 65).key);
    }

    fn advanced(nonce: &[u8], index: u64) -> Vec<u8> {
        let mut advanced = nonce.to_vec();
        advance(&mut advanced, counter(nonce), index);
        advanced
    }

    #[test]
    fn nonces_grow_by_one_and_never_repeat_soon() {
        assert_eq!(advanced(&[0xff; 12], 1), [[0; 8].as_slice(), &[0xff; 4]].concat());
        assert_eq!(advanced(&[0, 0, 0, 0, 0, 0, 1, 0xff], 2), [0, 0, 0, 0, 0, 0, 2, 1]);
        assert_eq!(advanced(&[0, 0, 0, 0xff], 1), [0, 0, 1, 0]);
        assert_eq!(advanced(&[7, 7, 7], 1), [7, 7, 7]);
    }

    #[test]
    fn nonces_of_3gpp_count_in_count_and_stay_within_their_fields() {
        for message_bytes in 1..50 {
            let nonce = Inputs::new(1, algorithm("uea2"), message_bytes).nonce;
            let [_, _, _, _, bearer, direction] = nonce[..] else { panic!("{nonce:?}") };
            assert!(bearer < 32 && direction < 2, "{nonce:?}");
            let next = advanced(&nonce, 1);
            assert_ne!(next[..4], nonce[..4]);
            assert_eq!(next[4..], nonce[4..]);
        }
    }
}
