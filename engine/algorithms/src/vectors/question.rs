//! From the fields of a vector to calls with known answers.

use ciphermark_record::description::Kind;
use ciphermark_record::plan::Operation;

use super::file::{Entry, Hex, LONGEST_MESSAGE_BYTES, Message};
use super::{Check, Expected};

/// So that a wrong number cannot keep a run busy for ever. The standard of SM4 has as many.
const MOST_ITERATIONS: u32 = 1_000_000;

/// What a vector asks.
#[derive(Clone, Debug)]
pub struct Question {
    key: Vec<u8>,
    nonce: Vec<u8>,
    aad: Vec<u8>,
    iterations: u32,
    data: Data,
}

/// Parameters of vectors that are asked of functions of this kind.
pub fn parameters(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Cipher => &["iterations", "length_bits"],
        Kind::Mac => &["length_bits"],
        Kind::Stream => &["length_bytes", "offset_bytes", "output_sha256"],
        Kind::Aead | Kind::Hash | Kind::Suite => &[],
    }
}

/// What is processed, and what comes of it.
#[derive(Clone, Debug)]
enum Data {
    Aead {
        plaintext: Vec<u8>,
        ciphertext: Vec<u8>,
        tag: Vec<u8>,
    },
    /// Where the length is no number of bytes, only so many bits count.
    Cipher {
        plaintext: Vec<u8>,
        ciphertext: Vec<u8>,
        bits: Option<usize>,
    },
    Mac {
        message: Message,
        tag: Vec<u8>,
        bits: Option<usize>,
    },
    Hash {
        message: Message,
        digest: Vec<u8>,
    },
    Stream {
        keystream: Expected,
    },
}

impl Question {
    /// The error says which field is missing or wrong.
    pub fn new(kind: Kind, mut entry: Entry) -> Result<Self, String> {
        let key = entry.key.take();
        Ok(Self {
            iterations: iterations(&entry)?,
            key: if kind == Kind::Hash { Vec::new() } else { required("key", key)? },
            nonce: entry.nonce.take().unwrap_or_default().0,
            aad: entry.aad.take().unwrap_or_default().0,
            data: Data::new(kind, entry)?,
        })
    }

    /// The calls to make. `tag_bytes` is the length of the algorithm's whole tag or digest, absent
    /// where it is not known; the error names a length that is not supported.
    pub fn checks(&self, tag_bytes: Option<usize>) -> Result<Vec<Check>, String> {
        match &self.data {
            Data::Aead { plaintext, ciphertext, tag } => {
                whole("tag", tag, tag_bytes)?;
                Ok(self.aead(plaintext, &[&ciphertext[..], tag].concat()))
            }
            Data::Cipher { plaintext, ciphertext, bits } => Ok(vec![
                self.check(Operation::Encrypt, plaintext, bits_of(ciphertext, *bits)),
                self.check(Operation::Decrypt, ciphertext, bits_of(plaintext, *bits)),
            ]),
            Data::Mac { message, tag, .. } => {
                Ok(self.mac(&message.bytes(), tag, tag_bytes == Some(tag.len())))
            }
            Data::Hash { message, digest } => {
                whole("output", digest, tag_bytes)?;
                Ok(vec![self.check(Operation::Digest, &message.bytes(), answer(digest))])
            }
            Data::Stream { keystream } => {
                Ok(vec![self.check(Operation::Keystream, &[], keystream.clone())])
            }
        }
    }

    fn aead(&self, plaintext: &[u8], sealed: &[u8]) -> Vec<Check> {
        vec![
            self.check(Operation::Seal, plaintext, answer(sealed)),
            self.check(Operation::Open, sealed, answer(plaintext)),
            self.check(Operation::Open, &forged(sealed), Expected::Refusal),
        ]
    }

    /// A truncated tag says what `mac` begins with, but `verify` wants the whole one.
    fn mac(&self, message: &[u8], tag: &[u8], tag_is_whole: bool) -> Vec<Check> {
        let mut checks = vec![self.check(Operation::Mac, message, answer(tag))];
        if tag_is_whole {
            let tagged = [message, tag].concat();
            checks.push(self.check(Operation::Verify, &tagged, answer(&[])));
            checks.push(self.check(Operation::Verify, &forged(&tagged), Expected::Refusal));
        }
        checks
    }

    fn check(&self, operation: Operation, input: &[u8], expected: Expected) -> Check {
        Check {
            operation,
            key: self.key.clone(),
            nonce: self.nonce.clone(),
            aad: self.aad.clone(),
            input: input.to_vec(),
            unused_bits: self.data.unused_bits(),
            iterations: self.iterations,
            expected,
        }
    }
}

impl Data {
    fn new(kind: Kind, entry: Entry) -> Result<Self, String> {
        Ok(match kind {
            Kind::Aead | Kind::Suite => {
                let (plaintext, ciphertext) = texts(entry.plaintext, entry.ciphertext)?;
                Data::Aead { plaintext, ciphertext, tag: result("tag", entry.tag)? }
            }
            Kind::Cipher => {
                let bits = entry.number("length_bits")?;
                let (plaintext, ciphertext) = texts(entry.plaintext, entry.ciphertext)?;
                let bits = part_of_a_byte(bits, plaintext.len())?;
                Data::Cipher { plaintext, ciphertext, bits }
            }
            Kind::Mac => {
                let bits = entry.number("length_bits")?;
                let message = message(entry.message)?;
                let bits = part_of_a_byte(bits, message.length())?;
                // Universal hashes have an output instead of a tag.
                let tag = result("tag", entry.tag.or(entry.output))?;
                Data::Mac { message, tag, bits }
            }
            Kind::Hash => Data::Hash {
                message: message(entry.message)?,
                digest: result("output", entry.output)?,
            },
            Kind::Stream => Data::Stream { keystream: keystream(entry)? },
        })
    }

    /// Low bits of the last byte that are no part of the message.
    fn unused_bits(&self) -> u8 {
        match self {
            Data::Cipher { bits: Some(bits), .. } | Data::Mac { bits: Some(bits), .. } => {
                (8 - bits % 8) as u8
            }
            _ => 0,
        }
    }
}

fn iterations(entry: &Entry) -> Result<u32, String> {
    let number = entry.number("iterations")?.unwrap_or(1);
    u32::try_from(number)
        .ok()
        .filter(|number| (1..=MOST_ITERATIONS).contains(number))
        .ok_or_else(|| format!("its `iterations` are {number}, not 1 to {MOST_ITERATIONS}"))
}

fn required(name: &str, field: Option<Hex>) -> Result<Vec<u8>, String> {
    field.map(|bytes| bytes.0).ok_or_else(|| format!("it has no `{name}`"))
}

/// A result that nothing could fail to match would prove nothing.
fn result(name: &str, field: Option<Hex>) -> Result<Vec<u8>, String> {
    let bytes = required(name, field)?;
    if bytes.is_empty() { Err(format!("its `{name}` is empty")) } else { Ok(bytes) }
}

fn message(field: Option<Message>) -> Result<Message, String> {
    let message = field.ok_or("it has no `message`")?;
    message.check_length()?;
    Ok(message)
}

fn texts(plaintext: Option<Hex>, ciphertext: Option<Hex>) -> Result<(Vec<u8>, Vec<u8>), String> {
    let plaintext = required("plaintext", plaintext)?;
    let ciphertext = required("ciphertext", ciphertext)?;
    if plaintext.len() != ciphertext.len() {
        let (plain, cipher) = (plaintext.len(), ciphertext.len());
        return Err(format!("its plaintext has {plain} bytes and its ciphertext {cipher}"));
    }
    Ok((plaintext, ciphertext))
}

/// How many bits of a text count, where they are no whole bytes.
fn part_of_a_byte(bits: Option<u64>, bytes: usize) -> Result<Option<usize>, String> {
    let Some(bits) = bits else { return Ok(None) };
    if bits.div_ceil(8) != bytes as u64 {
        return Err(format!("its `length_bits` are {bits} and its text has {bytes} bytes"));
    }
    Ok((!bits.is_multiple_of(8)).then_some(bits as usize))
}

/// A part of the keystream, or the digest of all.
fn keystream(entry: Entry) -> Result<Expected, String> {
    match (entry.bytes("output_sha256")?, entry.number("length_bytes")?) {
        (Some(digest), Some(length)) => {
            Ok(Expected::Sha256 { output_bytes: bounded("length_bytes", length)?, digest })
        }
        (None, None) => part_of_a_keystream(entry),
        _ => Err("it has one of `output_sha256` and `length_bytes` and not the other".into()),
    }
}

fn part_of_a_keystream(entry: Entry) -> Result<Expected, String> {
    let offset_bytes = bounded("offset_bytes", entry.number("offset_bytes")?.unwrap_or(0))?;
    let is_little = entry.parameters.get("byte_order").is_some_and(|order| order == "little");
    let mut bytes = result("output", entry.output)?;
    if is_little {
        big_endian_words(&mut bytes, offset_bytes)?;
    }
    Ok(Expected::Part { offset_bytes, bytes })
}

/// The same words of a keystream in the usual order of their bytes.
fn big_endian_words(bytes: &mut [u8], offset_bytes: usize) -> Result<(), String> {
    let (words, rest) = bytes.as_chunks_mut::<4>();
    if !rest.is_empty() || !offset_bytes.is_multiple_of(4) {
        return Err("its `byte_order` is little and its `output` is not whole words".into());
    }
    words.iter_mut().for_each(|word| word.reverse());
    Ok(())
}

fn bounded(name: &str, bytes: u64) -> Result<usize, String> {
    usize::try_from(bytes)
        .ok()
        .filter(|bytes| *bytes <= LONGEST_MESSAGE_BYTES)
        .ok_or_else(|| format!("its `{name}` are {bytes}, more than 1 GiB"))
}

fn whole(name: &str, tag: &[u8], tag_bytes: Option<usize>) -> Result<(), String> {
    if tag_bytes.is_some_and(|bytes| bytes != tag.len()) {
        return Err(format!("{name} of {} bytes", tag.len()));
    }
    Ok(())
}

fn answer(bytes: &[u8]) -> Expected {
    Expected::Answer(bytes.to_vec())
}

/// All of an answer, or so many bits.
fn bits_of(bytes: &[u8], bits: Option<usize>) -> Expected {
    match bits {
        Some(count) => Expected::Bits { count, bytes: bytes.to_vec() },
        None => answer(bytes),
    }
}

/// The same with one bit of its last byte, which is the tag's, flipped: the last one, because a
/// comparison that stops early would miss it.
fn forged(tagged: &[u8]) -> Vec<u8> {
    let mut forged = tagged.to_vec();
    if let Some(last) = forged.last_mut() {
        *last ^= 1;
    }
    forged
}
