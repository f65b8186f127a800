//! Workload `single`: one thread processes one message after the other.
//!
//! The loops are the harness's own and call the provider through one indirect call a message.
//! What the loop costs is measured with [`Nothing`] in the same process and subtracted.

use std::ops::Range;

use ciphermark_providers::api::{
    CallError, CreateError, Function, Message, Operation, Provider, Request, input_bytes,
    output_bytes,
};
use ciphermark_record::description::{Algorithm, Kind};
use ciphermark_record::plan::Case;
use sha2::{Digest, Sha256};

use crate::buffer::Slots;
use crate::inputs::{Inputs, advance, counter};
use crate::stack;

/// Prepared messages that `open`, `verify` and `decrypt` replay: within half a first-level cache.
const REPLAY_BYTES: usize = 16 * 1024;
/// Answers that are kept for checking; small, so that the messages stay in the nearest cache.
const ANSWER_BYTES: usize = 4 * 1024;
const MOST_SLOTS: usize = 64;
/// Nonces are written this many messages before they are read: a store that is read at once by a
/// wider load would stall, which is no cost of the function.
const NONCE_SLOTS: usize = 32;
const NONCE_AHEAD: u64 = 16;
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

fn ring_of_nonces(base: &[u8]) -> Slots {
    let mut ring = Slots::new(base.len(), NONCE_SLOTS); // all bytes but the counter stay as they are
    (0..NONCE_SLOTS).for_each(|slot| ring.get_mut(slot).copy_from_slice(base));
    ring
}

/// The messages that the receiving side replays, made by the sending side.
fn replayed(
    sender: &mut dyn Function,
    operation: Operation,
    algorithm: &Algorithm,
    inputs: &Inputs,
) -> Result<Work, CreateError> {
    let tag_bytes = algorithm.tag_bytes as usize;
    let plain = inputs.message.len();
    sender.set_key(&inputs.key).map_err(failed)?;
    let mut messages =
        Slots::within(input_bytes(operation, plain, tag_bytes), REPLAY_BYTES, MOST_SLOTS);
    let mut nonces = Slots::new(inputs.nonce.len(), messages.count());
    for slot in 0..messages.count() {
        nonces.get_mut(slot).copy_from_slice(&inputs.nonce);
        advance(nonces.get_mut(slot), counter(&inputs.nonce), slot as u64);
        let message = Message { nonce: nonces.get(slot), aad: &[], input: &inputs.message };
        let prepared = messages.get_mut(slot);
        // A verified message travels with its tag behind it; the others are the sender's answer.
        let answer = if operation == Operation::Verify {
            prepared[..plain].copy_from_slice(&inputs.message);
            &mut prepared[plain..]
        } else {
            prepared
        };
        sender.process(&message, answer).map_err(failed)?;
    }
    Ok(Work::Replay { nonces, messages })
}

#[inline(never)]
fn run_fresh(
    function: &mut dyn Function,
    inputs: &Inputs,
    nonces: &mut Slots,
    answers: &mut Slots,
    messages: Range<u64>,
) -> Result<(), CallError> {
    let start = counter(&inputs.nonce);
    begin_ring(nonces, start, &messages);
    let mut slot = first_slot(answers, &messages);
    for index in messages {
        let later = index + NONCE_AHEAD;
        advance(nonces.get_mut(later as usize % NONCE_SLOTS), start, later);
        let nonce = nonces.get(index as usize % NONCE_SLOTS);
        let message = Message { nonce, aad: &[], input: &inputs.message };
        function.process(&message, answers.get_mut(slot))?;
        slot = next(slot, answers.count());
    }
    Ok(())
}

#[inline(never)]
fn run_replay(
    function: &mut dyn Function,
    nonces: &Slots,
    ring: &Slots,
    answers: &mut Slots,
    messages: Range<u64>,
) -> Result<(), CallError> {
    let (mut prepared, mut slot) = (first_slot(ring, &messages), first_slot(answers, &messages));
    for _ in messages {
        let message = Message { nonce: nonces.get(prepared), aad: &[], input: ring.get(prepared) };
        function.process(&message, answers.get_mut(slot))?;
        prepared = next(prepared, ring.count());
        slot = next(slot, answers.count());
    }
    Ok(())
}

#[inline(never)]
fn run_setup(
    function: &mut dyn Function,
    inputs: &Inputs,
    keys: &mut Slots,
    messages: Range<u64>,
) -> Result<(), CallError> {
    let start = counter(&inputs.key);
    begin_ring(keys, start, &messages);
    for index in messages {
        let later = index + NONCE_AHEAD;
        advance(keys.get_mut(later as usize % NONCE_SLOTS), start, later);
        function.set_key(keys.get(index as usize % NONCE_SLOTS))?;
    }
    Ok(())
}

/// Writes the nonces (or keys) that the first messages read; later parts go on from the one before.
fn begin_ring(ring: &mut Slots, start: Option<u64>, messages: &Range<u64>) {
    if messages.start == 0 {
        (0..NONCE_AHEAD).for_each(|index| advance(ring.get_mut(index as usize), start, index));
    }
}

fn first_slot(slots: &Slots, messages: &Range<u64>) -> usize {
    (messages.start % slots.count() as u64) as usize
}

#[inline]
fn next(slot: usize, count: usize) -> usize {
    if slot + 1 == count { 0 } else { slot + 1 }
}

/// A function that does nothing, for measuring the loop alone.
struct Nothing;

impl Function for Nothing {
    fn set_key(&mut self, _: &[u8]) -> Result<(), CallError> {
        Ok(())
    }

    fn process(&mut self, _: &Message<'_>, _: &mut [u8]) -> Result<(), CallError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use ciphermark_providers::registry;
    use ciphermark_record::plan::{Buffers, Offload, Pattern};

    use super::*;

    const SEED: u64 = 7;

    fn provider() -> Box<dyn Provider> {
        let registration = registry::find("rustcrypto").expect("rustcrypto is registered");
        (registration.open)(None).unwrap_or_else(|reason| panic!("{reason}"))
    }

    fn case(algorithm: &str, operation: Operation, message_bytes: u64) -> Case {
        Case {
            case: 0,
            algorithm: algorithm.into(),
            operation,
            provider: "rustcrypto".into(),
            backend: "default".into(),
            pattern: Pattern::ReusedKey,
            chunk_bytes: None,
            offload: Offload::None,
            message_bytes: (operation != Operation::Setup).then_some(message_bytes),
            lanes: 1,
            keys: 1,
            buffers: Buffers::Hot,
            switches: Default::default(),
        }
    }

    fn prepared(algorithm: &str, operation: Operation, message_bytes: u64) -> Single {
        let facts = ciphermark_algorithms::find(algorithm).expect("the algorithm has facts");
        let case = case(algorithm, operation, message_bytes);
        Single::prepare(provider().as_ref(), facts, &case, SEED).expect("the case can be prepared")
    }

    /// One algorithm of each kind, with all its operations.
    fn everything() -> Vec<(&'static str, Operation)> {
        ["aes-128-gcm", "aes-128-cbc", "hmac-sha256", "sha256"]
            .into_iter()
            .flat_map(|name| {
                let facts = ciphermark_algorithms::find(name).expect("the algorithm has facts");
                facts.kind.operations().iter().map(move |&operation| (name, operation))
            })
            .collect()
    }

    #[test]
    fn the_loop_leaves_the_right_answers_behind() {
        for (algorithm, operation) in everything() {
            for messages in [1, 2, 63, 64, 65, 1000] {
                let mut timed = prepared(algorithm, operation, 64);
                timed.forget_answers();
                timed.run(messages).expect("the messages can be processed");
                let answers = timed.answers().expect("the answers can be read");
                let right = prepared(algorithm, operation, 64).expected_answers(messages);
                assert_eq!(Ok(answers), right, "{algorithm} {operation} {messages}");
            }
        }
    }

    #[test]
    fn answers_depend_on_how_many_messages_there_were() {
        for operation in [Operation::Seal, Operation::Setup] {
            let mut single = prepared("aes-128-gcm", operation, 64);
            assert_ne!(single.expected_answers(100), single.expected_answers(101), "{operation}");
        }
    }

    #[test]
    fn an_answer_of_an_earlier_run_does_not_pass() {
        let mut single = prepared("sha256", Operation::Digest, 64);
        single.run(64).expect("the messages can be processed");
        let before = single.answers();
        single.forget_answers();
        assert_ne!(single.answers(), before);
    }

    #[test]
    fn forged_tags_are_refused() {
        for (algorithm, operation) in
            [("aes-128-gcm", Operation::Open), ("hmac-sha256", Operation::Verify)]
        {
            assert_eq!(prepared(algorithm, operation, 64).refuses_forgeries(), Ok(true));
        }
    }

    #[test]
    fn what_the_function_lacks_is_refused_when_it_is_prepared() {
        let facts = ciphermark_algorithms::find("sha256").expect("the algorithm has facts");
        let case = case("no-such-hash", Operation::Digest, 64);
        let error = Single::prepare(provider().as_ref(), facts, &case, SEED).err();
        assert!(matches!(error, Some(CreateError::Unsupported(_))), "{error:?}");
    }
}
