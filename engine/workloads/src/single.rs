//! Workload `single`: one thread processes one message after the other.
//!
//! The loops are the harness's own and call the provider through one indirect call a message.
//! What the loop costs is measured with [`Nothing`] in the same process and subtracted.

mod loops;
mod nothing;
mod replay;
#[cfg(test)]
mod tests;

use std::ops::Range;

use ciphermark_providers::api::{
    CallError, CreateError, Function, Message, Operation, Provider, Request, output_bytes,
};
use ciphermark_record::description::{Algorithm, Kind};
use ciphermark_record::plan::Case;
use sha2::{Digest, Sha256};

use crate::buffer::Slots;
use crate::inputs::{Inputs, advance, counter};
use crate::stack;
use loops::{ring_of_nonces, run_fresh, run_replay, run_setup};
use nothing::Nothing;
use replay::replayed;

/// Answers that are kept for checking; small, so that the messages stay in the nearest cache.
const ANSWER_BYTES: usize = 4 * 1024;
const MOST_SLOTS: usize = 64;
/// From so many messages on, those that follow a change of the stack are a small part.
const FEWEST_TO_PART: u64 = 256;
/// Message with which a key setup is checked.
const SETUP_CHECK_BYTES: usize = 64;

/// A case that is ready to run.
pub struct Single {
    function: Box<dyn Function>,
    work: Work,
    answers: Slots,
    inputs: Inputs,
}

/// What the loop does for each message.
enum Work {
    /// The same message under nonces that grow.
    Fresh { nonces: Slots },
    /// Messages prepared before, each with its nonce.
    Replay { nonces: Slots, messages: Slots },
    /// A key schedule under keys that grow.
    Setup { keys: Slots },
}

/// Name of a loop, for measuring what it costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LoopKind {
    Fresh,
    Replay,
    Setup,
}

impl Single {
    /// Makes the function, its inputs and buffers, and sets the key.
    pub fn prepare(
        provider: &dyn Provider,
        algorithm: &Algorithm,
        case: &Case,
        seed: u64,
    ) -> Result<Self, CreateError> {
        let message_bytes = case.message_bytes.map_or(SETUP_CHECK_BYTES, |bytes| bytes as usize);
        let inputs = Inputs::new(seed, algorithm, message_bytes);
        let request = request(case, case.operation);
        let work = match case.operation {
            Operation::Setup => Work::Setup { keys: ring_of_nonces(&inputs.key) },
            Operation::Open | Operation::Verify | Operation::Decrypt => {
                let mut sender = provider.create(&self::request(case, algorithm.kind.sending()))?;
                replayed(sender.as_mut(), case.operation, algorithm, &inputs)?
            }
            _ => Work::Fresh { nonces: ring_of_nonces(&inputs.nonce) },
        };
        let answer_bytes = output_bytes(
            checked_operation(case.operation, algorithm.kind),
            message_bytes,
            algorithm.tag_bytes as usize,
        );
        let answers = Slots::within(answer_bytes, ANSWER_BYTES, MOST_SLOTS);
        let mut function = provider.create(&request)?;
        function.set_key(&inputs.key).map_err(failed)?;
        Ok(Self { function, work, answers, inputs })
    }

    /// The loop around a function that does nothing, in the shape of the loops of real cases.
    pub fn nothing(kind: LoopKind) -> Self {
        const SMALL: usize = 16;
        let inputs = Inputs { key: vec![1; SMALL], nonce: vec![2; SMALL], message: vec![3; SMALL] };
        let work = match kind {
            LoopKind::Fresh => Work::Fresh { nonces: ring_of_nonces(&inputs.nonce) },
            LoopKind::Setup => Work::Setup { keys: ring_of_nonces(&inputs.key) },
            LoopKind::Replay => Work::Replay {
                nonces: Slots::new(SMALL, MOST_SLOTS),
                messages: Slots::new(SMALL, MOST_SLOTS),
            },
        };
        let answers = Slots::within(SMALL, ANSWER_BYTES, MOST_SLOTS);
        Self { function: Box::new(Nothing), work, answers, inputs }
    }

    pub fn loop_kind(&self) -> LoopKind {
        match self.work {
            Work::Fresh { .. } => LoopKind::Fresh,
            Work::Replay { .. } => LoopKind::Replay,
            Work::Setup { .. } => LoopKind::Setup,
        }
    }

    /// Bytes held, to decide whether a case may stay prepared.
    pub fn bytes_held(&self) -> usize {
        self.inputs.message.len() + self.answers.count() * self.answers.get(0).len()
    }

    /// Processes messages 0 … `messages` − 1, a part of them at each position of the stack. This is
    /// what is timed.
    pub fn run(&mut self, messages: u64) -> Result<(), CallError> {
        // Few messages stay together: two that follow each other overlap, and parts do not.
        let positions = if messages < FEWEST_TO_PART { 1 } else { stack::POSITIONS };
        let until = |position: u64| messages * position / positions;
        for position in 0..positions {
            let part = until(position)..until(position + 1);
            if !part.is_empty() {
                stack::at(position, || self.run_part(part))?;
            }
        }
        Ok(())
    }

    fn run_part(&mut self, messages: Range<u64>) -> Result<(), CallError> {
        match &mut self.work {
            Work::Fresh { nonces } => {
                run_fresh(self.function.as_mut(), &self.inputs, nonces, &mut self.answers, messages)
            }
            Work::Replay { nonces, messages: ring } => {
                run_replay(self.function.as_mut(), nonces, ring, &mut self.answers, messages)
            }
            Work::Setup { keys } => run_setup(self.function.as_mut(), &self.inputs, keys, messages),
        }
    }

    /// Overwrites the answers of earlier runs.
    pub fn forget_answers(&mut self) {
        self.answers.poison();
    }

    /// Digest of the answers that the last [`Single::run`] has left behind.
    pub fn answers(&mut self) -> Result<[u8; 32], CallError> {
        if let Work::Setup { .. } = self.work {
            self.use_key_once()?;
        }
        let mut digest = Sha256::new();
        (0..self.answers.count()).for_each(|slot| digest.update(self.answers.get(slot)));
        Ok(digest.finalize().into())
    }

    /// The digest that [`Single::answers`] must have after a run of so many messages, computed
    /// without the timed loop: only the messages whose answers are kept, one by one.
    pub fn expected_answers(&mut self, messages: u64) -> Result<[u8; 32], CallError> {
        self.forget_answers();
        match self.work {
            Work::Setup { .. } => self.set_key_number(messages.saturating_sub(1))?,
            _ => {
                let kept = self.answers.count() as u64;
                for index in messages.saturating_sub(kept)..messages {
                    self.process_one(index)?;
                }
            }
        }
        self.answers()
    }

    fn process_one(&mut self, index: u64) -> Result<(), CallError> {
        let slot = (index % self.answers.count() as u64) as usize;
        let mut nonce = self.inputs.nonce.clone();
        let (nonce, input) = match &self.work {
            Work::Replay { nonces, messages } => {
                let prepared = (index % messages.count() as u64) as usize;
                (nonces.get(prepared), messages.get(prepared))
            }
            Work::Fresh { .. } | Work::Setup { .. } => {
                advance(&mut nonce, counter(&self.inputs.nonce), index);
                (nonce.as_slice(), self.inputs.message.as_slice())
            }
        };
        let message = Message { nonce, aad: &[], input };
        self.function.process(&message, self.answers.get_mut(slot))
    }

    fn set_key_number(&mut self, index: u64) -> Result<(), CallError> {
        let mut key = self.inputs.key.clone();
        advance(&mut key, counter(&self.inputs.key), index);
        self.function.set_key(&key)
    }

    /// What a key setup has left behind shows only when it is used.
    fn use_key_once(&mut self) -> Result<(), CallError> {
        let message = Message { nonce: &self.inputs.nonce, aad: &[], input: &self.inputs.message };
        self.function.process(&message, self.answers.get_mut(0))
    }

    /// Whether a prepared message with a flipped bit in its tag is refused. Only for `open` and
    /// `verify`, and for algorithms that have a tag.
    pub fn refuses_forgeries(&mut self) -> Result<bool, CallError> {
        let Work::Replay { nonces, messages } = &self.work else { return Ok(true) };
        let mut forged = messages.get(0).to_vec();
        let Some(last) = forged.last_mut() else { return Ok(true) };
        *last ^= 1;
        let message = Message { nonce: nonces.get(0), aad: &[], input: &forged };
        match self.function.process(&message, self.answers.get_mut(0)) {
            Err(CallError::Refused) => Ok(true),
            Ok(()) => Ok(false),
            Err(other) => Err(other),
        }
    }
}

fn request(case: &Case, operation: Operation) -> Request<'_> {
    Request { algorithm: &case.algorithm, backend: &case.backend, operation, nonce_bytes: None }
}

/// The operation whose answer is checked: a key setup is checked by using the key.
fn checked_operation(operation: Operation, kind: Kind) -> Operation {
    if operation == Operation::Setup { kind.sending() } else { operation }
}

fn failed(error: CallError) -> CreateError {
    CreateError::Failed(error.to_string())
}
