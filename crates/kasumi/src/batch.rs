//! f8 and f9 over many packets at once.

use alloc::vec::Vec;
use core::fmt;

use ciphermark_kernels::{self as kernels, Kernel, Message, Operation, Packet};
use zeroize::ZeroizeOnDrop;

use crate::parameters::{Direction, Error, check_bearer, check_length};

/// A key of f8, prepared once for any number of packets and batches, also of several threads.
#[derive(Clone)]
pub struct F8Key(Kernel);

/// A key of f9, prepared once for any number of packets and batches, also of several threads.
#[derive(Clone)]
pub struct F9Key(Kernel);

/// A text to encrypt or decrypt, see [`f8_batch`].
#[derive(Debug)]
pub struct F8Packet<'a> {
    /// The key, which other packets may have as well.
    pub key: &'a F8Key,
    /// COUNT
    pub count: u32,
    /// BEARER, at most 31.
    pub bearer: u8,
    /// DIRECTION
    pub direction: Direction,
    /// Bits of the text, 1 to [`MOST_BITS`](crate::MOST_BITS).
    pub bits: usize,
    /// The text; none where it is in `output` and is processed in place.
    pub input: Option<&'a [u8]>,
    /// What the answer is written to.
    pub output: &'a mut [u8],
}

/// A message to compute the tag of, see [`f9_batch`].
#[derive(Clone, Copy, Debug)]
pub struct F9Packet<'a> {
    /// The key, which other packets may have as well.
    pub key: &'a F9Key,
    /// COUNT
    pub count: u32,
    /// FRESH
    pub fresh: u32,
    /// DIRECTION
    pub direction: Direction,
    /// Bits of the message, 1 to [`MOST_BITS`](crate::MOST_BITS).
    pub bits: usize,
    /// The message.
    pub message: &'a [u8],
}

/// Why nothing was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BatchError {
    /// There are no packets.
    Empty,
    /// This packet is the first that cannot be processed.
    Packet {
        /// Which packet, from 0.
        packet: usize,
        /// Why it cannot.
        error: Error,
    },
    /// There are not as many tags as packets.
    Tags {
        /// How many packets there are.
        packets: usize,
        /// How many tags there are.
        tags: usize,
    },
    /// There is no memory for lists of the packets.
    Memory,
}

/// Encrypts or decrypts texts, any number of them, each as [`f8`](crate::f8) does.
///
/// All are written to or, when there is an error, none.
///
/// ```
/// use ciphermark_kasumi::{BatchError, Direction, F8Key, F8Packet, f8_batch};
///
/// let key = F8Key::new(b"sixteen byte key");
/// let mut texts = [b"one text".to_vec(), b"and another".to_vec()];
/// let mut process = || {
///     let packets = texts.iter_mut().zip(0..).map(|(text, count)| F8Packet {
///         key: &key,
///         count,
///         bearer: 12,
///         direction: Direction::Uplink,
///         bits: 8 * text.len(),
///         input: None,
///         output: text,
///     });
///     f8_batch(&mut packets.collect::<Vec<_>>())
/// };
/// process()?;
/// process()?;
/// assert_eq!(texts[1], b"and another");
/// # Ok::<(), BatchError>(())
/// ```
pub fn f8_batch(packets: &mut [F8Packet<'_>]) -> Result<(), BatchError> {
    check_each(packets, F8Packet::check)?;
    let nonces = listed(packets.iter().map(F8Packet::nonce))?;
    let packets = packets.iter_mut().zip(&nonces).map(|(packet, nonce)| packet.message(nonce));
    process(listed(packets)?)
}

/// The tags of messages, any number of them, each as [`f9`](crate::f9) computes it.
///
/// ```
/// use ciphermark_kasumi::{BatchError, Direction, F9Key, F9Packet, f9_batch, f9_verify_batch};
///
/// let key = F9Key::new(b"sixteen byte key");
/// let packets = [b"one message".as_slice(), b"and another"].map(|message| F9Packet {
///     key: &key,
///     count: 7,
///     fresh: 0x1234_5678,
///     direction: Direction::Uplink,
///     bits: 8 * message.len(),
///     message,
/// });
/// let mut tags = f9_batch(&packets)?;
/// tags[0][3] ^= 1;
/// assert_eq!(f9_verify_batch(&packets, &tags)?, [false, true]);
/// # Ok::<(), BatchError>(())
/// ```
pub fn f9_batch(packets: &[F9Packet<'_>]) -> Result<Vec<[u8; 4]>, BatchError> {
    check_each(packets, F9Packet::check)?;
    let nonces = listed(packets.iter().map(F9Packet::nonce))?;
    let mut tags = listed(packets.iter().map(|_| [0; 4]))?;
    let messages = packets.iter().zip(&nonces).zip(&mut tags);
    process(listed(messages.map(|((packet, nonce), tag)| packet.message(nonce, tag)))?)?;
    Ok(tags)
}

/// Says of each packet whether the tag is its own, in a time that does not depend on where they
/// differ.
pub fn f9_verify_batch(
    packets: &[F9Packet<'_>],
    tags: &[[u8; 4]],
) -> Result<Vec<bool>, BatchError> {
    if packets.len() != tags.len() {
        return Err(BatchError::Tags { packets: packets.len(), tags: tags.len() });
    }
    let right = f9_batch(packets)?;
    // Numbers are equal or not in one instruction.
    let is_right =
        |(one, other): (&[u8; 4], &[u8; 4])| u32::from_ne_bytes(*one) == u32::from_ne_bytes(*other);
    listed(right.iter().zip(tags).map(is_right))
}

impl F8Key {
    /// Prepares a key.
    pub fn new(key: &[u8; 16]) -> Self {
        Self(prepared("uea1", Operation::Encrypt, key))
    }

    /// Whether the time of [`f8_batch`] is independent of keys and texts, which depends on the
    /// instructions of this processor.
    pub fn is_constant_time(&self) -> bool {
        self.0.function().constant_time() == Some(true)
    }
}

impl F9Key {
    /// Prepares a key.
    pub fn new(key: &[u8; 16]) -> Self {
        Self(prepared("uia1", Operation::Mac, key))
    }

    /// Whether the time of [`f9_batch`] is independent of keys and messages, which depends on the
    /// instructions of this processor.
    pub fn is_constant_time(&self) -> bool {
        self.0.function().constant_time() == Some(true)
    }
}

fn prepared(algorithm: &str, operation: Operation, key: &[u8; 16]) -> Kernel {
    let mut kernel = Kernel::for_lanes(algorithm, operation).expect("there is always a kernel");
    kernel.set_key(key).expect("keys have 16 bytes");
    kernel
}

impl F8Packet<'_> {
    fn check(&self) -> Result<(), Error> {
        check_length(self.bits, self.output.len())?;
        check_length(self.bits, self.input.map_or(self.output.len(), <[u8]>::len))?;
        check_bearer(self.bearer)
    }

    fn nonce(&self) -> [u8; 6] {
        let [a, b, c, d] = self.count.to_be_bytes();
        [a, b, c, d, self.bearer, self.direction.bit()]
    }

    fn message<'b>(&'b mut self, nonce: &'b [u8; 6]) -> Packet<'b> {
        let input = self.input.unwrap_or_default();
        let message = Message { nonce, input, unused_bits: unused(self.bits), aad: &[] };
        match self.input {
            Some(_) => Packet::new(&self.key.0, message, self.output),
            None => Packet::in_place(&self.key.0, message, self.output),
        }
    }
}

impl F9Packet<'_> {
    fn check(&self) -> Result<(), Error> {
        check_length(self.bits, self.message.len())
    }

    fn nonce(&self) -> [u8; 9] {
        let mut nonce = [0; 9];
        nonce[..4].copy_from_slice(&self.count.to_be_bytes());
        nonce[4..8].copy_from_slice(&self.fresh.to_be_bytes());
        nonce[8] = self.direction.bit();
        nonce
    }

    fn message<'b>(&'b self, nonce: &'b [u8; 9], tag: &'b mut [u8; 4]) -> Packet<'b> {
        let message =
            Message { nonce, input: self.message, unused_bits: unused(self.bits), aad: &[] };
        Packet::new(&self.key.0, message, tag)
    }
}

/// Bits of the last byte that are no part of the message.
fn unused(bits: usize) -> u8 {
    (8 * bits.div_ceil(8) - bits) as u8
}

fn check_each<T>(packets: &[T], check: impl Fn(&T) -> Result<(), Error>) -> Result<(), BatchError> {
    for (packet, it) in packets.iter().enumerate() {
        check(it).map_err(|error| BatchError::Packet { packet, error })?;
    }
    Ok(())
}

fn listed<T>(items: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>, BatchError> {
    let mut list = Vec::new();
    list.try_reserve_exact(items.len()).map_err(|_| BatchError::Memory)?;
    list.extend(items);
    Ok(list)
}

/// Processes packets that were checked.
fn process(mut packets: Vec<Packet<'_>>) -> Result<(), BatchError> {
    kernels::process_lanes(&mut packets).map_err(|error| match error {
        kernels::BatchError::Empty => BatchError::Empty,
        kernels::BatchError::Memory => BatchError::Memory,
        other => unreachable!("packets that were checked are taken: {other}"),
    })
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BatchError::Empty => f.write_str("there are no packets"),
            BatchError::Packet { packet, error } => write!(f, "packet {packet}: {error}"),
            BatchError::Tags { packets, tags } => {
                write!(f, "there are {packets} packets and {tags} tags")
            }
            BatchError::Memory => f.write_str("there is no memory for lists of the packets"),
        }
    }
}

impl core::error::Error for BatchError {}

impl fmt::Debug for F8Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("F8Key { ... }")
    }
}

impl fmt::Debug for F9Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("F9Key { ... }")
    }
}

// Kernels wipe themselves.
impl ZeroizeOnDrop for F8Key {}
impl ZeroizeOnDrop for F9Key {}
