//! The messages of a case: which key, nonce and text each of them has, whoever processes it.
//!
//! Messages are counted from 0 as a case processes them; their nonces and their texts never come
//! again. Only in a ring do they: of sessions, or in more memory than the nearest cache holds. There
//! texts come again after so many messages, and of what is received, which had to be prepared, nonces
//! too: a message's *number* begins anew.

use ciphermark_providers::api::{
    CallError, Expansion, Function, Message, Operation, input_bytes, output_bytes,
};
use ciphermark_record::description::{Algorithm, Kind};
use ciphermark_record::plan::{Buffers, Case, Load, Pattern};

use super::combination::chunk_bytes;
use super::stream::{self, RingTexts, Sizes};
use super::text::Texts;
use crate::buffer::slots_within;
use crate::inputs::{Inputs, advance, counter, random_bytes};

/// Answers of a ring that stays in the nearest cache, and what is received there: a quarter of one.
const SENDING_RING_BYTES: usize = 4 * 1024;
const RECEIVING_RING_BYTES: usize = 8 * 1024;
/// The same, for a suite with many associations: each of them is to get packets.
const MANY_RING_BYTES: usize = 256 << 20;
const MOST_SLOTS: usize = 64;
/// Message with which a key setup is checked.
const SETUP_CHECK_BYTES: usize = 64;
/// Keys that patterns which set one for each message take in turn: more than any library would
/// remember, and few enough to lie in the nearest cache.
pub const KEYS_IN_TURN: u32 = 32;

/// The parts of its slots that a message and its answer take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    pub input_bytes: usize,
    pub answer_bytes: usize,
}

/// What is processed, message by message.
pub struct Series {
    key: Vec<u8>,
    nonce: Vec<u8>,
    pub operation: Operation,
    kind: Kind,
    expansion: Expansion,
    /// Bytes of a message, or of the longest of a profile.
    message_bytes: usize,
    /// Messages that one call takes.
    pub lanes: usize,
    /// Lengths of a profile's messages in turn; empty where all have `message_bytes`.
    lengths: Vec<usize>,
    /// Distinct keys; the n-th message has the first key advanced n modulo so many times.
    keys: u64,
    /// Messages after which what lies in a ring comes again; absent where nothing does.
    pub distinct: Option<usize>,
    /// Bytes of each message that repeat its first chunk, the only part of it that lies in a buffer;
    /// 0 unless buffers are `repeated`.
    repeated_bytes: usize,
    texts: Texts,
    /// Texts of a ring that all cases of a worker share.
    ring_texts: Option<RingTexts>,
    is_ordered: bool,
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
    let longest = case.messages.lengths().iter().max();
    longest.map_or(SETUP_CHECK_BYTES, |&bytes| bytes as usize)
}

/// Rings of a case that are in use at once: each session has its own.
fn rings(case: &Case) -> usize {
    match &case.load {
        Load::Sessions(load) => load.sessions.max(1) as usize,
        Load::Single { .. } | Load::Packets(_) => 1,
    }
}

/// Whether a block of a cipher is the pad of several nonces that follow each other, which
/// implementations keep: UMAC's of two or four (RFC 4418, section 3.3), and its of 2000.
fn shares_pads(algorithm: &Algorithm) -> bool {
    algorithm.name.starts_with("umac")
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
        rings if rings.are_rings() => TextsOf::Ring(rings),
        _ => TextsOf::Series,
    }
}

impl Series {
    pub fn of(case: &Case, algorithm: &Algorithm, seed: u64) -> Self {
        let message_bytes = longest(case);
        let Inputs { key, nonce, .. } = Inputs::new(seed, algorithm, 0);
        let mut series = Self {
            key,
            nonce,
            operation: case.operation,
            kind: algorithm.kind,
            expansion: Expansion::of(algorithm),
            message_bytes,
            lanes: case.lanes as usize,
            lengths: case.messages.profile().map_or_else(Vec::new, |profile| {
                profile.lengths.iter().map(|&bytes| bytes as usize).collect()
            }),
            keys: u64::from(keys(case)),
            distinct: None,
            repeated_bytes: 0,
            texts: Texts::new(0, 0),
            ring_texts: None,
            is_ordered: algorithm.kind == Kind::Suite || shares_pads(algorithm),
        };
        if case.buffers == Buffers::Repeated {
            series.repeated_bytes = message_bytes.saturating_sub(chunk_bytes(case, algorithm));
        }
        let texts_seed = random_bytes(seed, &format!("texts for {}", algorithm.name), 8);
        let texts_seed = texts_seed.iter().fold(0, |seed, &byte| seed << 8 | u64::from(byte));
        series.texts = Texts::new(texts_seed, message_bytes - series.repeated_bytes);
        series.distinct = series.distinct(case);
        if case.buffers.are_rings() && !series.receives() {
            let slots = series.ring_slots(case, series.lanes);
            series.ring_texts = Some(RingTexts::new(seed, message_bytes, slots));
        }
        series
    }

    /// Messages of a ring that differ: as many as stay in the nearest cache.
    fn distinct(&self, case: &Case) -> Option<usize> {
        let of_sessions = matches!(case.load, Load::Sessions(_));
        let returns = of_sessions || (case.buffers.are_rings() && self.receives());
        if !returns {
            return None;
        }
        let fitting = match self.receives() {
            true => slots_within(self.slot_bytes(), RECEIVING_RING_BYTES, MOST_SLOTS),
            false => slots_within(self.answer_bytes(), SENDING_RING_BYTES, MOST_SLOTS),
        };
        let hot = whole_calls(fitting, self.unit());
        // Else but a few of many associations would ever get a packet.
        let most = slots_within(self.slot_bytes(), MANY_RING_BYTES, usize::MAX);
        let wanted = if self.receives() { (associations(case) as usize).min(most) } else { 1 };
        Some(if wanted > 1 { hot.max(wanted.next_multiple_of(self.unit())) } else { hot })
    }

    /// For a loop whose functions do nothing with messages of so many bytes.
    pub fn nothing(operation: Operation, lanes: usize, bytes: usize) -> Self {
        Self {
            key: vec![1; bytes],
            nonce: vec![2; bytes],
            operation,
            kind: Kind::Aead,
            expansion: Expansion::Tag(0),
            message_bytes: bytes,
            lanes,
            lengths: Vec::new(),
            keys: u64::from(KEYS_IN_TURN),
            distinct: None,
            repeated_bytes: 0,
            texts: Texts::new(0, bytes),
            ring_texts: None,
            is_ordered: false,
        }
    }

    /// Whether what is processed was made by the sending side.
    pub fn receives(&self) -> bool {
        receives(self.operation)
    }

    /// Whether messages must keep their order: packets that come late are another case for whoever
    /// receives them, and so are nonces out of turn where neighbours share a pad.
    pub fn is_ordered(&self) -> bool {
        self.is_ordered
    }

    /// What grows from message to message: the nonce or, where keys are set, the key.
    pub fn growing(&self) -> &[u8] {
        if self.operation == Operation::Setup { &self.key } else { &self.nonce }
    }

    /// Messages of which all runs have a multiple: those of a call, or of a whole profile.
    pub fn unit(&self) -> usize {
        if self.lengths.is_empty() { self.lanes } else { self.lengths.len() }
    }

    /// Slots of the rings that the case's messages and answers lie in: a multiple of `unit`.
    pub fn ring_slots(&self, case: &Case, unit: usize) -> usize {
        stream::slots(case.buffers, self.sizes(), unit, rings(case))
    }

    /// What a slot of each of these rings holds.
    pub fn sizes(&self) -> Sizes {
        Sizes { message_bytes: self.message_bytes, answer_bytes: self.answer_bytes() }
    }

    /// Bytes that are given to the function for the longest message.
    pub fn input_bytes(&self) -> usize {
        self.extent_of(self.message_bytes).input_bytes
    }

    /// Bytes of them that lie in a buffer.
    pub fn slot_bytes(&self) -> usize {
        self.input_bytes() - self.repeated_bytes
    }

    /// Bytes of the message at this place that lie in its buffer.
    #[inline]
    pub fn slot_extent(&self, index: u64) -> usize {
        self.extent(index).input_bytes - self.repeated_bytes
    }

    /// Bytes of the answer to the longest message.
    pub fn answer_bytes(&self) -> usize {
        self.extent_of(self.message_bytes).answer_bytes
    }

    /// What the message at this place and its answer take.
    #[inline]
    pub fn extent(&self, index: u64) -> Extent {
        self.extent_of(self.message_bytes(index))
    }

    /// Bytes of this message, without the tag that comes with it.
    #[inline]
    pub fn message_bytes(&self, index: u64) -> usize {
        match index.checked_rem(self.lengths.len() as u64) {
            Some(turn) => self.lengths[turn as usize],
            None => self.message_bytes,
        }
    }

    #[inline]
    fn extent_of(&self, message_bytes: usize) -> Extent {
        // A key setup is checked by using the key.
        let operation = match self.operation {
            Operation::Setup => self.kind.sending(),
            operation => operation,
        };
        Extent {
            input_bytes: input_bytes(operation, message_bytes, self.expansion),
            answer_bytes: output_bytes(operation, message_bytes, self.expansion),
        }
    }

    /// The number of the message that is processed at this place: it tells key and nonce.
    #[inline]
    pub fn number(&self, index: u64) -> u64 {
        match self.distinct {
            Some(distinct) if self.receives() => index % distinct as u64,
            _ => index,
        }
    }

    /// The key of a message; for a key setup, the key that is set.
    pub fn key(&self, number: u64) -> Vec<u8> {
        advanced(&self.key, self.key_turn(number))
    }

    fn key_turn(&self, number: u64) -> u64 {
        if self.operation == Operation::Setup { number } else { number % self.keys }
    }

    /// Which of so many keys or contexts has its turn. What is received under one key goes to all
    /// contexts in turn.
    pub fn turn(&self, index: u64, turns: usize) -> usize {
        match turns {
            1 => 0,
            _ if self.keys == 1 => (index % turns as u64) as usize,
            _ => (self.number(index) % turns as u64) as usize,
        }
    }

    /// Sets the key of a message where it is not the one that was `set` before.
    pub fn set_key(
        &self,
        function: &mut (dyn Function + 'static),
        number: u64,
        set: &mut Option<u64>,
    ) -> Result<(), CallError> {
        let turn = self.key_turn(number);
        if *set != Some(turn) {
            function.set_key(&self.key(number))?;
            *set = Some(turn);
        }
        Ok(())
    }

    pub fn nonce(&self, number: u64) -> Vec<u8> {
        advanced(&self.nonce, number)
    }

    /// Bytes of the stream of texts between the beginnings of two.
    pub fn texts_step(&self) -> usize {
        self.texts.step
    }

    /// Fills a buffer with the stream of texts from this one on.
    pub fn fill(&self, index: u64, bytes: &mut [u8]) {
        self.texts.fill(self.text_number(index), bytes);
    }

    fn text_number(&self, index: u64) -> u64 {
        self.distinct.map_or(index, |distinct| index % distinct as u64)
    }

    /// Writes the text of the message at this place, before anything is done to it.
    pub fn text(&self, index: u64, text: &mut Vec<u8>) {
        text.clear();
        if self.kind.sending() == Operation::Keystream {
            return; // which is asked for by length alone
        }
        let bytes = self.message_bytes(index);
        if let Some(texts) = &self.ring_texts {
            texts.write(index, bytes, text);
            return;
        }
        text.resize(bytes.saturating_sub(self.repeated_bytes), 0);
        self.fill(index, text);
        let chunk = text.len();
        text.resize(bytes, 0);
        for byte in chunk..bytes {
            text[byte] = text[byte - chunk];
        }
    }

    /// Writes what lies in a buffer for the receiving side, made by the sending side, whose key is
    /// set: of a message that repeats its first chunk, that and the tag.
    pub fn send_to_slot(
        &self,
        sender: &mut (dyn Function + 'static),
        index: u64,
        slot: &mut [u8],
    ) -> Result<(), CallError> {
        let (mut text, mut sent) = (Vec::new(), Vec::new());
        self.send(sender, index, &mut text, &mut sent)?;
        let text_bytes = sent.len() - input_bytes(self.operation, 0, self.expansion);
        sent.drain(text_bytes - self.repeated_bytes..text_bytes);
        slot[..sent.len()].copy_from_slice(&sent);
        Ok(())
    }

    /// Writes what the receiving side is given for a message, made by the sending side, whose key is
    /// set.
    pub fn send(
        &self,
        sender: &mut (dyn Function + 'static),
        index: u64,
        text: &mut Vec<u8>,
        sent: &mut Vec<u8>,
    ) -> Result<(), CallError> {
        let nonce = self.nonce(self.number(index));
        self.text(index, text);
        sent.clear();
        // A verified message travels with its tag behind it; the others are the sender's answer.
        if self.operation == Operation::Verify {
            sent.extend_from_slice(text);
        }
        let text_bytes = sent.len();
        sent.resize(self.extent(index).input_bytes, 0);
        sender.process(&Message::new(&nonce, text), &mut sent[text_bytes..])
    }
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
