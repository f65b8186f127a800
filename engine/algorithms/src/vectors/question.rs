//! From the fields of a vector to calls with known answers.

use ciphermark_record::description::Kind;
use ciphermark_record::plan::Operation;

use super::file::{Entry, Hex, Message};
use super::{Check, Expected};

/// What a vector asks.
#[derive(Clone, Debug)]
pub struct Question {
    key: Vec<u8>,
    nonce: Vec<u8>,
    aad: Vec<u8>,
    data: Data,
}

/// What is processed, and what comes of it.
#[derive(Clone, Debug)]
enum Data {
    Aead { plaintext: Vec<u8>, ciphertext: Vec<u8>, tag: Vec<u8> },
    Cipher { plaintext: Vec<u8>, ciphertext: Vec<u8> },
    Mac { message: Message, tag: Vec<u8> },
    Hash { message: Message, digest: Vec<u8> },
    Stream { keystream: Vec<u8> },
}

impl Question {
    /// The error says which field is missing or wrong.
    pub fn new(kind: Kind, mut entry: Entry) -> Result<Self, String> {
        let key = entry.key.take();
        Ok(Self {
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
            Data::Cipher { plaintext, ciphertext } => Ok(vec![
                self.check(Operation::Encrypt, plaintext, answer(ciphertext)),
                self.check(Operation::Decrypt, ciphertext, answer(plaintext)),
            ]),
            Data::Mac { message, tag } => {
                Ok(self.mac(&message.bytes(), tag, tag_bytes == Some(tag.len())))
            }
            Data::Hash { message, digest } => {
                whole("output", digest, tag_bytes)?;
                Ok(vec![self.check(Operation::Digest, &message.bytes(), answer(digest))])
            }
            Data::Stream { keystream } => {
                Ok(vec![self.check(Operation::Keystream, &[], answer(keystream))])
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
            expected,
        }
    }
}

impl Data {
    fn new(kind: Kind, entry: Entry) -> Result<Self, String> {
        Ok(match kind {
            Kind::Aead => {
                let (plaintext, ciphertext) = texts(entry.plaintext, entry.ciphertext)?;
                Data::Aead { plaintext, ciphertext, tag: result("tag", entry.tag)? }
            }
            Kind::Cipher => {
                let (plaintext, ciphertext) = texts(entry.plaintext, entry.ciphertext)?;
                Data::Cipher { plaintext, ciphertext }
            }
            // Universal hashes have an output instead of a tag.
            Kind::Mac => Data::Mac {
                message: message(entry.message)?,
                tag: result("tag", entry.tag.or(entry.output))?,
            },
            Kind::Hash => Data::Hash {
                message: message(entry.message)?,
                digest: result("output", entry.output)?,
            },
            Kind::Stream => Data::Stream { keystream: result("output", entry.output)? },
        })
    }
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

fn whole(name: &str, tag: &[u8], tag_bytes: Option<usize>) -> Result<(), String> {
    if tag_bytes.is_some_and(|bytes| bytes != tag.len()) {
        return Err(format!("{name} of {} bytes", tag.len()));
    }
    Ok(())
}

fn answer(bytes: &[u8]) -> Expected {
    Expected::Answer(bytes.to_vec())
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
