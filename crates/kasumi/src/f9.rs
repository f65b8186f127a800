//! f9, which is UIA1 (3GPP TS 35.201, section 4).

use core::fmt;

use cipher::common::{AlgorithmName, KeyInit};
use digest::consts::U4;
use digest::{FixedOutput, Mac, MacMarker, Output, OutputSizeUser, Update};
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::block_cipher::{Kasumi, modified};
use crate::parameters::{Direction, Error, check_length};

/// KM, by which the key is modified for the last block (section 4.4).
const KEY_MODIFIER: u8 = 0xaa;

/// The tag of f9 for a message in bytes and in pieces; its [`Mac`] is used as any other.
///
/// COUNT and FRESH belong to the message, so each message needs an `F9` of its own. The standard
/// has no message without bits; the tag of one is what the padding alone gives.
///
/// ```
/// use ciphermark_kasumi::digest::Mac;
/// use ciphermark_kasumi::{Direction, F9};
///
/// let f9 = || F9::new(b"sixteen byte key", 1, 2, Direction::Downlink);
/// let tag = f9().chain_update("two ").chain_update("pieces").finalize();
/// f9().chain_update("two pieces").verify(tag.as_bytes()).expect("the same message");
/// assert!(f9().chain_update("two places").verify(tag.as_bytes()).is_err());
/// ```
#[derive(Clone)]
pub struct F9 {
    kasumi: Kasumi,
    last_kasumi: Kasumi,
    direction: Direction,
    a: u64,
    b: u64,
    /// The bits of the message after its last whole block, then zeros.
    rest: u64,
    rest_bits: u32,
}

/// The tag of a message of so many bits; bits of the last byte after them change nothing.
pub fn f9(
    key: &[u8; 16],
    count: u32,
    fresh: u32,
    direction: Direction,
    bits: usize,
    message: &[u8],
) -> Result<[u8; 4], Error> {
    check_length(bits, message.len())?;
    Ok(F9::new(key, count, fresh, direction).chain_bits(bits, message).finalize_fixed().into())
}

/// Says whether the tag is that of a message of so many bits, in a time that does not depend on
/// where they differ; [`Error::Tag`] when it is not.
pub fn f9_verify(
    key: &[u8; 16],
    count: u32,
    fresh: u32,
    direction: Direction,
    bits: usize,
    message: &[u8],
    tag: &[u8; 4],
) -> Result<(), Error> {
    check_length(bits, message.len())?;
    let f9 = F9::new(key, count, fresh, direction).chain_bits(bits, message);
    f9.verify(tag.into()).map_err(|_| Error::Tag)
}

impl F9 {
    /// For a message with these numbers (section 4.4).
    pub fn new(key: &[u8; 16], count: u32, fresh: u32, direction: Direction) -> Self {
        let mut modified_key = modified(key, KEY_MODIFIER);
        let last_kasumi = Kasumi::new(&modified_key.into());
        modified_key.zeroize();
        let kasumi = Kasumi::new(key.into());
        let mut f9 = Self { kasumi, last_kasumi, direction, a: 0, b: 0, rest: 0, rest_bits: 0 };
        f9.absorb(u64::from(count) << 32 | u64::from(fresh));
        f9
    }

    /// The last piece of a message; so many bits are in as many bytes.
    fn chain_bits(mut self, bits: usize, message: &[u8]) -> Self {
        let (whole, part) = message.split_at(bits / 8);
        Update::update(&mut self, whole);
        if let [last] = part {
            self.push(*last, (bits % 8) as u32);
        }
        self
    }

    /// Appends the upper bits of a byte, so many; what is there ends with a byte, or it is one bit.
    fn push(&mut self, byte: u8, bits: u32) {
        let kept = byte & !(0xff_u8.checked_shr(bits).unwrap_or(0));
        self.rest |= u64::from(kept) << 56 >> self.rest_bits;
        self.rest_bits += bits;
        if self.rest_bits == u64::BITS {
            self.absorb_rest();
        }
    }

    fn absorb_rest(&mut self) {
        self.absorb(self.rest);
        self.rest = 0;
        self.rest_bits = 0;
    }

    /// Section 4.5.
    fn absorb(&mut self, block: u64) {
        self.a = self.kasumi.encrypt_number(self.a ^ block);
        self.b ^= self.a;
    }
}

impl Update for F9 {
    fn update(&mut self, data: &[u8]) {
        for byte in data {
            self.push(*byte, 8);
        }
    }
}

impl OutputSizeUser for F9 {
    type OutputSize = U4;
}

impl FixedOutput for F9 {
    /// DIRECTION, a one, and zeros follow the message (section 4.4).
    fn finalize_into(mut self, out: &mut Output<Self>) {
        self.push(self.direction.bit() << 7, 1);
        self.push(0x80, 1);
        if self.rest_bits > 0 {
            self.absorb_rest();
        }
        let last = self.last_kasumi.encrypt_number(self.b).to_be_bytes();
        out.copy_from_slice(&last[..4]);
    }
}

impl MacMarker for F9 {}

impl AlgorithmName for F9 {
    fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KasumiF9")
    }
}

impl fmt::Debug for F9 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("F9 { ... }")
    }
}

impl Drop for F9 {
    fn drop(&mut self) {
        self.a.zeroize();
        self.b.zeroize();
        self.rest.zeroize();
    }
}

impl ZeroizeOnDrop for F9 {}
