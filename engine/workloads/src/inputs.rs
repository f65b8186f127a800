//! Keys, nonces and messages: random, and the same for every provider.

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
        Self {
            key: bytes(algorithm.key_bytes as usize),
            nonce: bytes(algorithm.nonce_bytes as usize),
            message: bytes(message_bytes),
        }
    }
}

fn generator(seed: u64, algorithm: &str, message_bytes: usize) -> ChaCha12Rng {
    let digest = Sha256::new()
        .chain_update(seed.to_le_bytes())
        .chain_update((message_bytes as u64).to_le_bytes())
        .chain_update(algorithm)
        .finalize();
    ChaCha12Rng::from_seed(digest.into())
}

/// The counter in a nonce or key: its first eight bytes, little-endian. The last bytes stay, since
/// that is where CTR counts the blocks of one message. Absent where there are fewer bytes.
pub fn counter(nonce: &[u8]) -> Option<u64> {
    nonce.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

/// Advances a nonce or key so many times.
#[inline]
pub fn advance(nonce: &mut [u8], start: Option<u64>, index: u64) {
    if let (Some(start), Some(bytes)) = (start, nonce.first_chunk_mut()) {
        *bytes = start.wrapping_add(index).to_le_bytes();
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

    #[test]
    fn nonces_grow_by_one_and_never_repeat_soon() {
        let mut nonce = [0xFF; 12];
        advance(&mut nonce, counter(&[0xFF; 12]), 1);
        assert_eq!(nonce, [0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF]);
    }
}
