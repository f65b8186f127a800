//! What the conformance suite runs over: every implementation of every listed provider that can be
//! used here.

use ciphermark_algorithms::{Algorithm, nonce};
use ciphermark_providers::api::*;
use ciphermark_record::description::Kind;
use ciphermark_registry::REGISTRY;

/// Message lengths, bytes: around the blocks of 16, 64 and 128 bytes that padding and partial
/// blocks depend on, what bulk code takes at once (up to 16 AES blocks), and lengths beyond.
const LENGTHS: [usize; 19] =
    [0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000, 4096];

/// A provider that can be used here.
pub struct Usable {
    pub name: &'static str,
    pub provider: Box<dyn Provider>,
}

/// Opens all listed providers; prints why one is left out.
pub fn usable_providers() -> Vec<Usable> {
    let mut usable = Vec::new();
    for registration in REGISTRY.iter().filter(|registration| registration.listed) {
        match (registration.open)(None) {
            Ok(provider) => usable.push(Usable { name: registration.name, provider }),
            Err(why) => eprintln!("skipped {}: {why}", registration.name),
        }
    }
    usable
}

/// One implementation under test.
pub struct Subject<'a> {
    pub provider: &'a Usable,
    pub implementation: Implementation,
    pub facts: &'static Algorithm,
}

impl Usable {
    pub fn subjects(&self) -> Vec<Subject<'_>> {
        let subject = |implementation: Implementation| {
            let facts = ciphermark_algorithms::find(&implementation.algorithm);
            let facts = facts.expect("an implementation's algorithm has facts");
            Subject { provider: self, implementation, facts }
        };
        self.provider.implementations().into_iter().map(subject).collect()
    }
}

/// Runs `check` on every implementation here.
pub fn for_all(check: impl Fn(&Subject<'_>)) {
    for usable in usable_providers() {
        for subject in usable.subjects() {
            check(&subject);
        }
    }
}

/// One message with all that belongs to it.
#[derive(Clone, Debug)]
pub struct Text {
    pub nonce: Vec<u8>,
    pub aad: Vec<u8>,
    /// Of a stream, only its length matters: that of the keystream.
    pub input: Vec<u8>,
    pub unused_bits: u8,
}

impl Text {
    pub fn message(&self) -> Message<'_> {
        let Self { nonce, aad, input, unused_bits } = self;
        Message { nonce, aad, input, unused_bits: *unused_bits }
    }
}

impl Subject<'_> {
    /// Where a failure was: `openssl aes-128-gcm`.
    pub fn label(&self) -> String {
        format!("{} {}", self.provider.name, self.facts.name)
    }

    /// The operation that makes an answer from a message.
    pub fn sending(&self) -> Operation {
        use Operation::*;
        let operations = [Seal, Encrypt, Mac, Digest, Keystream];
        let has = |operation: &Operation| self.implementation.operations.contains(operation);
        operations.into_iter().find(has).expect("every kind has one")
    }

    /// The operation that takes what [`Subject::sending`] made, where there is one.
    pub fn receiving(&self) -> Option<Operation> {
        let operations = [Operation::Open, Operation::Decrypt, Operation::Verify];
        let has = |operation: &Operation| self.implementation.operations.contains(operation);
        operations.into_iter().find(has)
    }

    pub fn request(&self, operation: Operation) -> Request<'_> {
        Request::usual(&self.implementation.algorithm, &self.implementation.backend, operation)
    }

    pub fn create(&self, operation: Operation) -> Box<dyn Function> {
        let created = self.provider.provider.create(&self.request(operation));
        created.unwrap_or_else(|error| panic!("{} {operation}: {error}", self.label()))
    }

    pub fn keyed(&self, operation: Operation, key: &[u8]) -> Box<dyn Function> {
        let mut function = self.create(operation);
        let set = function.set_key(key);
        set.unwrap_or_else(|error| panic!("{} {operation}: {error}", self.label()));
        function
    }

    pub fn key(&self, seed: u64) -> Vec<u8> {
        bytes(seed, self.facts.key_bytes as usize)
    }

    /// Lengths that this function has.
    pub fn lengths(&self) -> impl Iterator<Item = usize> {
        LENGTHS.into_iter().filter(|length| has_length(self.facts, *length))
    }

    /// A text of the longest length that this function has and that is not more than `length`.
    pub fn text(&self, seed: u64, length: usize) -> Text {
        let length = (0..=length).rev().find(|length| has_length(self.facts, *length));
        let length = length.expect("the function has a length as short");
        let is_aead = self.sending() == Operation::Seal;
        let mut nonce = bytes(seed + 1, self.facts.nonce_bytes as usize);
        nonce::confine(self.facts, &mut nonce);
        Text {
            nonce,
            aad: bytes(seed + 2, if is_aead { length % 40 } else { 0 }),
            input: bytes(seed + 3, length),
            unused_bits: 0,
        }
    }

    /// The input of the receiving operation for a text and the sending one's answer to it.
    pub fn received(&self, text: &Text, answer: &[u8]) -> Text {
        let input = match self.sending() {
            Operation::Mac => [&text.input, answer].concat(),
            _ => answer.to_vec(),
        };
        Text { input, ..text.clone() }
    }

    /// Length of the answer of `operation` to an input of `input_length`.
    pub fn answer_length(&self, operation: Operation, input_length: usize) -> usize {
        let expansion = Expansion::of(self.facts);
        let message_bytes = input_length - input_bytes(operation, 0, expansion);
        output_bytes(operation, message_bytes, expansion)
    }

    /// The answer to a text.
    pub fn answer(
        &self,
        function: &mut dyn Function,
        operation: Operation,
        text: &Text,
    ) -> Result<Vec<u8>, CallError> {
        let mut output = vec![0xa5; self.answer_length(operation, text.input.len())];
        call(function, &self.given(text), &mut output)?;
        Ok(output)
    }

    /// A text as it is given to the function: streams take no input.
    pub fn given(&self, text: &Text) -> Text {
        let input = match self.facts.kind {
            Kind::Stream => vec![],
            _ => text.input.clone(),
        };
        Text { input, ..text.clone() }
    }

    /// The answer of the sending side, made with a context of its own.
    pub fn sent(&self, key: &[u8], text: &Text) -> Vec<u8> {
        let operation = self.sending();
        let mut function = self.keyed(operation, key);
        let sent = self.answer(function.as_mut(), operation, text);
        sent.unwrap_or_else(|error| panic!("{}: {error}", self.label()))
    }
}

/// Whether the algorithm has messages of that length.
pub fn has_length(facts: &Algorithm, bytes: usize) -> bool {
    let longest = facts.max_message_bytes.unwrap_or(u64::MAX);
    bytes.is_multiple_of(facts.block_bytes as usize)
        && (facts.min_message_bytes..=longest).contains(&(bytes as u64))
}

pub fn call(function: &mut dyn Function, text: &Text, output: &mut [u8]) -> Result<(), CallError> {
    function.process(&text.message(), output)
}

/// Bytes that look random and are the same every time (Marsaglia's xorshift64).
pub fn bytes(seed: u64, length: usize) -> Vec<u8> {
    let mut state = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..length).map(|_| next()).collect()
}
