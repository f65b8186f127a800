//! The messages of a case: which key, nonce and text each of them has, whoever processes it.
//!
//! Messages are counted from 0 as a case processes them. Sending operations go on under nonces that
//! grow; receiving ones replay a ring of prepared messages, so that a message's *number* begins
//! anew after so many.

use std::borrow::Cow;
use std::ops::Range;

use ciphermark_providers::api::{
    CallError, Expansion, Function, Message, Operation, input_bytes, output_bytes,
};
use ciphermark_record::description::{Algorithm, Kind};
use ciphermark_record::plan::{Buffers, Case, Pattern};

use super::combination::chunk_bytes;
use super::lengths::Cut;
use super::stream::{self, Sizes, Texts};
use crate::buffer::slots_within;
use crate::inputs::{Inputs, advance, counter};

/// Prepared messages that `open`, `verify` and `decrypt` replay: within half a first-level cache.
const REPLAY_BYTES: usize = 16 * 1024;
/// The same, for a suite with many associations: each of them is to get packets.
const MANY_REPLAY_BYTES: usize = 256 << 20;
/// Answers that are kept for checking; small, so that the messages stay in the nearest cache.
const ANSWER_BYTES: usize = 4 * 1024;
pub const MOST_SLOTS: usize = 64;
/// Message with which a key setup is checked.
const SETUP_CHECK_BYTES: usize = 64;
/// Keys that patterns which set one for each message take in turn: more than any library would
/// remember, and few enough to lie in the nearest cache.
pub const KEYS_IN_TURN: u32 = 32;

/// What is processed, message by message.
pub struct Series {
    pub inputs: Inputs,
    pub operation: Operation,
    pub kind: Kind,
    pub expansion: Expansion,
    /// Messages that one call takes.
    pub lanes: usize,
    /// Lengths of a profile's messages and answers in turn; empty where all are as long as
    /// `inputs.message`, which else is the longest.
    pub cuts: Vec<Cut>,
    /// Distinct keys; the n-th message has the first key advanced n modulo so many times.
    pub keys: u64,
    /// Prepared messages that are replayed; absent where nonces grow for ever.
    pub replayed: Option<usize>,
    /// Answers that are digested: the last so many of a run.
    pub kept: usize,
    /// Bytes of each message that repeat its first chunk, the only part of it that lies in a buffer;
    /// 0 unless buffers are `repeated`.
    pub repeated_bytes: usize,
    /// Texts of their own for the messages of a sending operation that stream through memory.
    texts: Option<Texts>,
}

/// Whether an operation takes what another has sent.
pub fn receives(operation: Operation) -> bool {
    matches!(operation, Operation::Open | Operation::Verify | Operation::Decrypt)
}

/// Distinct keys that the messages of a case have. Prepared messages have one for all contexts, as
/// millions of them could not all be prepared: the contexts are apart in memory all the same.
pub fn keys(case: &Case) -> u32 {
    match case.pattern {
        Pattern::Rekeyed | Pattern::OneShot | Pattern::Fetched => KEYS_IN_TURN,
        _ if case.lanes > 1 => case.keys,
        _ if is_suite(case) => 1,
        _ if receives(case.operation) => 1,
        _ => case.keys,
    }
}

/// Whether a case is of a suite, whose names alone have a colon.
pub fn is_suite(case: &Case) -> bool {
    case.algorithm.contains(':')
}

/// Security associations that the function of a case holds.
pub fn associations(case: &Case) -> u32 {
    if is_suite(case) { case.keys.max(1) } else { 1 }
}

/// The longest message of a case, bytes.
pub fn longest(case: &Case) -> usize {
    let of_profile = case.lengths.iter().max().copied();
    case.message_bytes.or(of_profile).map_or(SETUP_CHECK_BYTES, |bytes| bytes as usize)
}

/// Rings of a case that are in use at once: each session has its own.
fn rings(case: &Case) -> usize {
    case.sessions.as_ref().map_or(1, |load| load.sessions.max(1) as usize)
}

/// What the texts of a case's messages depend on, besides algorithm and size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextsOf {
    /// One for all messages.
    Series,
    /// What lies in a ring, which is as large as these buffers say.
    Ring(Buffers),
    /// Chunks of so many bytes; absent for the usual number.
    Chunk(Option<u32>),
}

pub fn texts_of(case: &Case) -> TextsOf {
    match case.buffers {
        Buffers::Repeated => TextsOf::Chunk(case.chunk_bytes),
        rings if rings.are_rings() && !receives(case.operation) => TextsOf::Ring(rings),
        _ => TextsOf::Series,
    }
}

impl Series {
    pub fn of(case: &Case, algorithm: &Algorithm, seed: u64) -> Self {
        let message_bytes = longest(case);
        let lanes = case.lanes as usize;
        let mut series = Self {
            inputs: Inputs::new(seed, algorithm, message_bytes),
            operation: case.operation,
            kind: algorithm.kind,
            expansion: Expansion::of(algorithm),
            lanes,
            cuts: Vec::new(),
            keys: u64::from(keys(case)),
            replayed: None,
            kept: 0,
            repeated_bytes: 0,
            texts: None,
        };
        if case.buffers == Buffers::Repeated {
            series.repeat(chunk_bytes(case, algorithm));
        }
        series.cuts = case.lengths.iter().map(|&bytes| series.cut_to(bytes as usize)).collect();
        let fitting =
            |bytes, budget, unit| whole_calls(slots_within(bytes, budget, MOST_SLOTS), unit);
        series.kept = fitting(series.answer_bytes(), ANSWER_BYTES, lanes);
        series.replayed = receives(case.operation).then(|| {
            let hot = fitting(series.slot_bytes(), REPLAY_BYTES, series.unit());
            // Else but a few of many associations would ever get a packet.
            let most = slots_within(series.slot_bytes(), MANY_REPLAY_BYTES, usize::MAX);
            let wanted = (associations(case) as usize).min(most);
            if wanted > 1 { hot.max(wanted.next_multiple_of(series.unit())) } else { hot }
        });
        if let TextsOf::Ring(_) = texts_of(case) {
            let slots = series.ring_slots(case, lanes);
            series.texts = Some(Texts::new(seed, message_bytes, slots));
        }
        series
    }

    /// For a loop whose functions do nothing.
    pub fn nothing(lanes: usize, cuts: Vec<Cut>) -> Self {
        Self {
            inputs: Inputs { key: Vec::new(), nonce: Vec::new(), message: Vec::new() },
            operation: Operation::Seal,
            kind: Kind::Aead,
            expansion: Expansion::Tag(0),
            lanes,
            cuts,
            keys: 1,
            replayed: None,
            kept: lanes,
            repeated_bytes: 0,
            texts: None,
        }
    }

    /// Makes the message its first chunk, again and again.
    fn repeat(&mut self, chunk_bytes: usize) {
        let bytes = self.inputs.message.len();
        self.inputs.message.truncate(chunk_bytes);
        let chunk = self.inputs.message.clone();
        self.repeated_bytes = bytes - chunk.len();
        self.inputs.message.extend(chunk.iter().cycle().take(self.repeated_bytes));
    }

    /// Messages of which all runs have a multiple: those of a call, or of a whole profile.
    pub fn unit(&self) -> usize {
        if self.cuts.is_empty() { self.lanes } else { self.cuts.len() }
    }

    /// Slots of the rings that the case's messages and answers lie in: a multiple of `unit`.
    pub fn ring_slots(&self, case: &Case, unit: usize) -> usize {
        stream::slots(case.buffers, self.sizes(), unit, rings(case))
    }

    /// What a slot of each of these rings holds.
    pub fn sizes(&self) -> Sizes {
        Sizes { message_bytes: self.inputs.message.len(), answer_bytes: self.answer_bytes() }
    }

    /// Bytes that are given to the function for the longest message.
    pub fn input_bytes(&self) -> usize {
        self.cut_to(self.inputs.message.len()).input_bytes
    }

    /// Bytes of them that lie in a buffer.
    pub fn slot_bytes(&self) -> usize {
        self.input_bytes() - self.repeated_bytes
    }

    /// Bytes of the message at this place that lie in its buffer.
    pub fn slot_cut(&self, index: u64) -> usize {
        self.cut(index).input_bytes - self.repeated_bytes
    }

    /// Bytes of the answer to it.
    pub fn answer_bytes(&self) -> usize {
        self.cut_to(self.inputs.message.len()).answer_bytes
    }

    /// What the message at this place and its answer have of those.
    pub fn cut(&self, index: u64) -> Cut {
        let longest = || self.cut_to(self.inputs.message.len());
        let turn = index.checked_rem(self.cuts.len() as u64);
        turn.map_or_else(longest, |turn| self.cuts[turn as usize])
    }

    /// Bytes of this message, without the tag that comes with it.
    pub fn message_bytes(&self, index: u64) -> u64 {
        let cut = self.cut(index);
        let bytes = match self.operation {
            Operation::Setup => 0,
            Operation::Keystream => cut.answer_bytes,
            Operation::Open => cut.answer_bytes,
            operation => cut.input_bytes - input_bytes(operation, 0, self.expansion),
        };
        bytes as u64
    }

    fn cut_to(&self, message_bytes: usize) -> Cut {
        let operation = self.checked_operation();
        Cut {
            input_bytes: input_bytes(operation, message_bytes, self.expansion),
            answer_bytes: output_bytes(operation, message_bytes, self.expansion),
        }
    }

    /// The operation whose answer is checked: a key setup is checked by using the key.
    fn checked_operation(&self) -> Operation {
        match self.operation {
            Operation::Setup => self.kind.sending(),
            operation => operation,
        }
    }

    /// The number of the message that is processed at this place.
    pub fn number(&self, index: u64) -> u64 {
        self.replayed.map_or(index, |count| index % count as u64)
    }

    /// The key of a message; for a key setup, the key that is set.
    pub fn key(&self, number: u64) -> Vec<u8> {
        let times = if self.operation == Operation::Setup { number } else { number % self.keys };
        advanced(&self.inputs.key, times)
    }

    /// Sets the key of a message. A suite, which may have many associations to set up, keeps the one
    /// that was `set` before where it is the same.
    pub fn set_key(
        &self,
        function: &mut dyn Function,
        number: u64,
        set: &mut Option<Vec<u8>>,
    ) -> Result<(), CallError> {
        let key = self.key(number);
        if self.kind == Kind::Suite && set.as_ref() == Some(&key) {
            return Ok(());
        }
        function.set_key(&key)?;
        *set = Some(key);
        Ok(())
    }

    pub fn nonce(&self, number: u64) -> Vec<u8> {
        advanced(&self.inputs.nonce, number)
    }

    /// The text of the message at this place, before anything is done to it.
    pub fn text(&self, index: u64) -> Cow<'_, [u8]> {
        if self.input_bytes() == 0 {
            return Cow::Borrowed(&[]); // a keystream is asked for by length alone
        }
        let bytes = self.cut(index).input_bytes;
        match &self.texts {
            Some(texts) => {
                let mut text = texts.get(index);
                text.truncate(bytes);
                Cow::Owned(text)
            }
            None => Cow::Borrowed(&self.inputs.message[..bytes]),
        }
    }

    /// What lies in a buffer for the receiving side: of a message that repeats its first chunk, that
    /// and the tag.
    pub fn send_to_slot(
        &self,
        sender: &mut dyn Function,
        number: u64,
    ) -> Result<Vec<u8>, CallError> {
        let mut sent = self.send(sender, number)?;
        let text_bytes = sent.len() - input_bytes(self.operation, 0, self.expansion);
        sent.drain(text_bytes - self.repeated_bytes..text_bytes);
        Ok(sent)
    }

    /// What the receiving side is given for a message, made by the sending side, whose key is set.
    pub fn send(&self, sender: &mut dyn Function, number: u64) -> Result<Vec<u8>, CallError> {
        let nonce = self.nonce(number);
        let sent_bytes = self.cut(number).input_bytes;
        let text = &self.inputs.message[..self.message_bytes(number) as usize];
        let message = Message::new(&nonce, text);
        // A verified message travels with its tag behind it; the others are the sender's answer.
        let mut sent = match self.operation {
            Operation::Verify => text.to_vec(),
            _ => Vec::new(),
        };
        let text_bytes = sent.len();
        sent.resize(sent_bytes, 0);
        sender.process(&message, &mut sent[text_bytes..])?;
        Ok(sent)
    }

    /// The messages of a run whose answers are digested.
    pub fn digested(&self, run: &Range<u64>) -> Range<u64> {
        last_of(run, self.kept as u64)
    }
}

/// The last so many messages of a run, or all where there are fewer.
pub fn last_of(run: &Range<u64>, kept: u64) -> Range<u64> {
    run.end - (run.end - run.start).min(kept)..run.end
}

/// The largest multiple of a call's messages that is not above `count`, but one call at least.
pub fn whole_calls(count: usize, lanes: usize) -> usize {
    (count / lanes).max(1) * lanes
}

fn advanced(base: &[u8], times: u64) -> Vec<u8> {
    let mut bytes = base.to_vec();
    advance(&mut bytes, counter(base), times);
    bytes
}
