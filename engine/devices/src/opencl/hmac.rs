//! Schedules of HMAC (RFC 2104): the states of a hash after the blocks that the key makes, the inner and
//! the outer one, in words as the device reads them.

use sha1::Sha1;
use sha2::Sha256;
use sha2::digest::Digest;

/// Bytes of a block of both hashes.
const BLOCK_BYTES: usize = 64;

/// Section 2.
const INNER_PAD: u8 = 0x36;
const OUTER_PAD: u8 = 0x5c;

/// Bytes of a schedule.
pub const SHA1_BYTES: usize = 2 * 20;
pub const SHA256_BYTES: usize = 2 * 32;

/// Initial states (FIPS 180-4, sections 5.3.1 and 5.3.3).
const SHA1_START: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
const SHA256_START: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

pub fn sha1_schedule(key: &[u8], schedule: &mut [u8]) {
    states::<Sha1, 5>(key, SHA1_START, sha1::block_api::compress, schedule);
}

pub fn sha256_schedule(key: &[u8], schedule: &mut [u8]) {
    states::<Sha256, 8>(key, SHA256_START, sha2::block_api::compress256, schedule);
}

fn states<Hash: Digest, const WORDS: usize>(
    key: &[u8],
    start: [u32; WORDS],
    compress: fn(&mut [u32; WORDS], &[[u8; BLOCK_BYTES]]),
    schedule: &mut [u8],
) {
    let mut block = [0; BLOCK_BYTES];
    match block.get_mut(..key.len()) {
        Some(place) => place.copy_from_slice(key),
        None => {
            let digest = Hash::digest(key);
            block[..digest.len()].copy_from_slice(&digest);
        }
    }
    for (pad, part) in [INNER_PAD, OUTER_PAD].into_iter().zip(schedule.chunks_exact_mut(4 * WORDS))
    {
        let mut state = start;
        compress(&mut state, &[block.map(|byte| byte ^ pad)]);
        for (bytes, word) in part.chunks_exact_mut(4).zip(state) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
    }
}
