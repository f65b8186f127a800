//! The host's side of UMAC (RFC 4418): keys, layers 2 and 3 of the hash, and the pad. The device does
//! layer 1, which takes the message, and answers 64 bits of each stream for each block.

use aes::Aes128;
use aes::cipher::{BlockCipherEncrypt, KeyInit};

use super::host::Host;

/// Bytes of a block of layer 1 (section 5.1).
pub const BLOCK_BYTES: usize = 1024;

/// Bytes of what layer 1 makes of a block, for each stream.
const WORD_BYTES: usize = 8;

/// Words that the polynomial over 64 bits takes before one over 128 bits takes over (section 5.3).
const MOST_WORDS_64: usize = 1 << 14;

/// 2^64 is 59 modulo the prime 2^64 - 59.
const OFFSET_64: u128 = 59;
const PRIME_64: u128 = (1 << 64) - OFFSET_64;

/// 2^128 is 159 modulo the prime 2^128 - 159.
const OFFSET_128: u128 = 159;
const PRIME_128: u128 = 0_u128.wrapping_sub(OFFSET_128);

const PRIME_36: u64 = (1 << 36) - 5;

pub struct Umac {
    streams: usize,
    keys: Vec<Option<Key>>,
}

/// What the host holds of a key.
struct Key {
    streams: Vec<StreamKey>,
    /// Makes pads.
    pad: Aes128,
}

struct StreamKey {
    poly_64: u64,
    poly_128: u128,
    /// Modulo [`PRIME_36`].
    inner_product: [u64; 8],
    mask: u32,
}

impl Umac {
    /// With tags of so many times 32 bits.
    pub fn new(streams: usize, keys: usize) -> Self {
        Self { streams, keys: (0..keys).map(|_| None).collect() }
    }
}

impl Host for Umac {
    fn schedule_bytes(&self) -> usize {
        BLOCK_BYTES + 16 * (self.streams - 1)
    }

    /// The kernel adds the words of the key of layer 1, which are big-endian.
    fn set_key(&mut self, number: usize, key: &[u8], schedule: &mut [u8]) {
        let cipher = cipher(key);
        derive(&cipher, 1, schedule);
        schedule.chunks_exact_mut(4).for_each(<[u8]>::reverse);
        self.keys[number] = Some(Key::new(&cipher, self.streams));
    }

    fn device_bytes(&self, message_bytes: usize) -> usize {
        self.streams * WORD_BYTES * message_bytes.div_ceil(BLOCK_BYTES).max(1)
    }

    fn finish(&self, key: usize, nonce: &[u8], device: &[u8], output: &mut [u8]) {
        // A message before any key has an answer that means nothing.
        let Some(key) = &self.keys[key] else { return output.fill(0) };
        let pad = key.pad(nonce, output.len());
        for (index, stream) in key.streams.iter().enumerate() {
            let words = device.chunks_exact(WORD_BYTES).skip(index).step_by(self.streams);
            let hash = stream.hash(words.map(le64));
            let part = 4 * index..4 * (index + 1);
            let pad = u32::from_be_bytes(pad[part.clone()].try_into().expect("four bytes"));
            output[part].copy_from_slice(&(hash ^ pad).to_be_bytes());
        }
    }
}

impl Key {
    fn new(cipher: &Aes128, streams: usize) -> Self {
        let (mut poly, mut inner) = (vec![0; 24 * streams], vec![0; 64 * streams]);
        let (mut masks, mut pad) = (vec![0; 4 * streams], [0; 16]);
        derive(cipher, 2, &mut poly);
        derive(cipher, 3, &mut inner);
        derive(cipher, 4, &mut masks);
        derive(cipher, 0, &mut pad);
        let stream = |((poly, inner), mask): ((&[u8], &[u8]), &[u8])| StreamKey {
            poly_64: be64(&poly[..8]) & 0x01ff_ffff_01ff_ffff,
            poly_128: be128(&poly[8..]) & 0x01ff_ffff_01ff_ffff_01ff_ffff_01ff_ffff,
            inner_product: std::array::from_fn(|at| be64(&inner[8 * at..][..8]) % PRIME_36),
            mask: u32::from_be_bytes(mask.try_into().expect("four bytes")),
        };
        let streams = poly.chunks(24).zip(inner.chunks(64)).zip(masks.chunks(4)).map(stream);
        Self { streams: streams.collect(), pad: self::cipher(&pad) }
    }

    /// Section 3.3.1. Short tags share the block that their nonces, but for the lowest bits, make.
    fn pad(&self, nonce: &[u8], tag_bytes: usize) -> [u8; 16] {
        let shared = if tag_bytes > 8 { 1 } else { 16 / tag_bytes };
        let mut block = [0; 16];
        block[..nonce.len()].copy_from_slice(nonce);
        let last = &mut block[nonce.len() - 1];
        let part = usize::from(*last) & (shared - 1);
        *last -= part as u8;
        let mut block = block.into();
        self.pad.encrypt_block(&mut block);
        block.rotate_left(part * tag_bytes % 16);
        block.into()
    }
}

impl StreamKey {
    /// Layers 2 and 3 over the words that layer 1 made, one for each block.
    fn hash(&self, mut words: impl ExactSizeIterator<Item = u64>) -> u32 {
        let value = match words.len() {
            1 => words.next().map_or(0, u128::from),
            _ => self.polynomial(words),
        };
        self.mask ^ self.inner_product(value)
    }

    /// Section 5.3.
    fn polynomial(&self, mut words: impl ExactSizeIterator<Item = u64>) -> u128 {
        let first = words.by_ref().take(MOST_WORDS_64);
        let value = u128::from(first.fold(1, |y, word| step_64(self.poly_64, y, word)));
        if words.len() == 0 {
            return value;
        }
        let mut y = step_128(self.poly_128, 1, value);
        // After the last word come a one bit and zeros.
        let mut words = words.chain([1 << 63]);
        while let Some(high) = words.next() {
            let word = u128::from(high) << 64 | u128::from(words.next().unwrap_or(0));
            y = step_128(self.poly_128, y, word);
        }
        y
    }

    /// Section 5.4: the low bits of an inner product modulo 2^36 - 5.
    fn inner_product(&self, value: u128) -> u32 {
        let part = |at: usize| u64::from((value >> (112 - 16 * at)) as u16);
        let products = self.inner_product.iter().enumerate().map(|(at, key)| key * part(at));
        (products.sum::<u64>() % PRIME_36) as u32
    }
}

/// y = key y + word; a word from 2^64 - 2^32 on is given as the prime less one, and then less 59.
fn step_64(key: u64, y: u64, word: u64) -> u64 {
    let step = |y: u64, word| reduced_64(u128::from(key) * u128::from(y) + word);
    if word >> 32 == 0xffff_ffff {
        return step(step(y, PRIME_64 - 1), u128::from(word) - OFFSET_64);
    }
    step(y, u128::from(word))
}

/// Modulo the prime, of less than 2^122.
fn reduced_64(value: u128) -> u64 {
    let fold = |value: u128| (value >> 64) * OFFSET_64 + u128::from(value as u64);
    // At most 2^65, then at most 2^64 + 118.
    let value = fold(fold(value));
    (if value >= PRIME_64 { value - PRIME_64 } else { value }) as u64
}

/// The same over 128 bits, for words from 2^128 - 2^96 on.
fn step_128(key: u128, y: u128, word: u128) -> u128 {
    if word >> 96 == 0xffff_ffff {
        let y = multiply_add_128(key, y, PRIME_128 - 1);
        return multiply_add_128(key, y, word - OFFSET_128);
    }
    multiply_add_128(key, y, word)
}

fn multiply_add_128(key: u128, y: u128, word: u128) -> u128 {
    let (high, low) = product(key, y);
    // Of a key below 2^121 the high half is too, so this is less than 2^129.
    let (over, folded) = product(high, OFFSET_128);
    let (sum, first) = low.overflowing_add(folded);
    let (sum, second) = sum.overflowing_add(word);
    let over = over + u128::from(first) + u128::from(second);
    let (sum, third) = sum.overflowing_add(over * OFFSET_128);
    // Where this goes over, the sum is so small that it cannot again.
    let sum = if third { sum + OFFSET_128 } else { sum };
    if sum >= PRIME_128 { sum - PRIME_128 } else { sum }
}

/// High and low half of a product.
fn product(a: u128, b: u128) -> (u128, u128) {
    let halves = |x: u128| (x >> 64, u128::from(x as u64));
    let ((a1, a0), (b1, b0)) = (halves(a), halves(b));
    let (low, cross) = (a0 * b0, a1 * b0);
    let middle = a0 * b1 + (low >> 64) + u128::from(cross as u64);
    let high = a1 * b1 + (cross >> 64) + (middle >> 64);
    (high, middle << 64 | u128::from(low as u64))
}

/// KDF (section 3.2.1).
fn derive(cipher: &Aes128, index: u64, output: &mut [u8]) {
    for (counter, part) in (1_u64..).zip(output.chunks_mut(16)) {
        let mut block = [0; 16];
        block[..8].copy_from_slice(&index.to_be_bytes());
        block[8..].copy_from_slice(&counter.to_be_bytes());
        let mut block = block.into();
        cipher.encrypt_block(&mut block);
        part.copy_from_slice(&block[..part.len()]);
    }
}

fn cipher(key: &[u8]) -> Aes128 {
    Aes128::new_from_slice(key).expect("the length of a key is checked")
}

fn le64(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
}

fn be64(bytes: &[u8]) -> u64 {
    u64::from_be_bytes(bytes.try_into().expect("eight bytes"))
}

fn be128(bytes: &[u8]) -> u128 {
    u128::from_be_bytes(bytes.try_into().expect("sixteen bytes"))
}
