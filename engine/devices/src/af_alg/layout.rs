//! How a message of an operation becomes a request, and which lengths it has.

use ciphermark_algorithms::Algorithm;
use ciphermark_record::description::Kind;

use super::control::{Control, Iv};
use ciphermark_providers::api::*;
use ciphermark_providers::checks;

pub struct Layout {
    pub operation: Operation,
    pub iv: Iv,
    pub nonce_bytes: usize,
    pub tag_bytes: usize,
    pub block_bytes: usize,
    least_bytes: usize,
    kind: Kind,
}

impl Layout {
    /// What a key setup prepares for is the sending side.
    pub fn new(facts: &Algorithm, operation: Operation, iv: Iv) -> Self {
        Self {
            operation: if operation == Operation::Setup { facts.kind.sending() } else { operation },
            iv,
            nonce_bytes: facts.nonce_bytes as usize,
            tag_bytes: facts.tag_bytes as usize,
            block_bytes: facts.block_bytes as usize,
            least_bytes: facts.min_message_bytes as usize,
            kind: facts.kind,
        }
    }

    pub fn control(&self) -> Control {
        let encrypts = !matches!(self.operation, Operation::Open | Operation::Decrypt);
        Control::new(encrypts, self.iv, self.nonce_bytes, self.kind == Kind::Aead)
    }

    /// Refuses lengths that the function does not have, and an answer of another length than the
    /// message's.
    pub fn check(&self, message: &Message<'_>, answer_bytes: usize) -> Result<(), CallError> {
        checks::check_length(message.nonce.len(), self.nonce_bytes)?;
        let given_bytes = message.input.len();
        let beside_text = input_bytes(self.operation, 0, Expansion::Tag(self.tag_bytes));
        let text_bytes = match self.operation {
            Operation::Keystream if given_bytes == 0 => answer_bytes,
            Operation::Keystream => return Err(CallError::Length),
            _ => given_bytes.checked_sub(beside_text).ok_or(CallError::Length)?,
        };
        checks::check_blocks(text_bytes, self.block_bytes)?;
        if text_bytes < self.least_bytes {
            return Err(CallError::Length);
        }
        let expected = output_bytes(self.operation, text_bytes, Expansion::Tag(self.tag_bytes));
        checks::check_length(answer_bytes, expected)
    }
}
