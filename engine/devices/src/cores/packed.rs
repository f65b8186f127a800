//! Messages of a submission, one behind the other, as they pass from CPU to CPU.

use ciphermark_providers::api::Message;

#[derive(Default)]
pub struct Packed {
    keys: Vec<u32>,
    lengths: Vec<Lengths>,
    /// Nonce, associated data and input of each.
    bytes: Vec<u8>,
    /// Bytes of all answers.
    answer_bytes: usize,
}

/// Of the parts of one message and of its answer.
#[derive(Clone, Copy)]
struct Lengths {
    nonce: usize,
    aad: usize,
    input: usize,
    unused_bits: u8,
    answer: usize,
}

impl Packed {
    /// Replaces what was packed before; memory is taken only where it is more than ever.
    pub fn pack(&mut self, keys: &[u32], messages: &[Message<'_>], answers: &[usize]) {
        self.keys.clear();
        self.keys.extend_from_slice(keys);
        self.lengths.clear();
        self.bytes.clear();
        for (message, &answer) in messages.iter().zip(answers) {
            let Message { nonce, aad, input, unused_bits } = *message;
            self.lengths.push(Lengths {
                nonce: nonce.len(),
                aad: aad.len(),
                input: input.len(),
                unused_bits,
                answer,
            });
            [nonce, aad, input].iter().for_each(|part| self.bytes.extend_from_slice(part));
        }
        self.answer_bytes = answers.iter().sum();
    }

    pub fn copy_from(&mut self, other: &Self) {
        self.keys.clone_from(&other.keys);
        self.lengths.clone_from(&other.lengths);
        self.bytes.clone_from(&other.bytes);
        self.answer_bytes = other.answer_bytes;
    }

    /// Messages, and answers.
    pub fn count(&self) -> usize {
        self.lengths.len()
    }

    pub fn keys(&self) -> &[u32] {
        &self.keys
    }

    pub fn answer_bytes(&self) -> usize {
        self.answer_bytes
    }

    pub fn messages(&self) -> impl Iterator<Item = Message<'_>> {
        let mut rest = self.bytes.as_slice();
        self.lengths.iter().map(move |lengths| {
            let mut part = |bytes| {
                let (part, behind) = rest.split_at(bytes);
                rest = behind;
                part
            };
            let (nonce, aad, input) = (part(lengths.nonce), part(lengths.aad), part(lengths.input));
            Message { nonce, aad, input, unused_bits: lengths.unused_bits }
        })
    }

    /// The places of the answers, out of memory for all of them.
    pub fn answers<'a>(&self, mut memory: &'a mut [u8]) -> impl Iterator<Item = &'a mut [u8]> {
        self.lengths.iter().map(move |lengths| {
            let (answer, behind) = std::mem::take(&mut memory).split_at_mut(lengths.answer);
            memory = behind;
            answer
        })
    }
}
