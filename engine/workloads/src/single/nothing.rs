//! Functions that do nothing, for measuring the loops alone.

use std::cell::RefCell;
use std::rc::Rc;

use ciphermark_providers::api::{CallError, Function, Lanes, Message, Parts, Renewed};
use ciphermark_record::plan::{Buffers, Pattern};

use super::answers::{Answers, Streamed};
use super::calls::{Batches, CallKind, Calls};
use super::lengths::Cut;
use super::series::{KEYS_IN_TURN, MOST_SLOTS, Series, whole_calls};
use super::source::{Fresh, Growing, Replay};
use super::stream::Rings;
use super::{Messages, Single, Work};
use crate::buffer::{Aligned, Shape, Slots};

/// Bytes of everything in a loop without a function, and of its chunks.
const SMALL: usize = 16;
/// Contexts that take turns in one. Finding one costs the same among any number.
const CONTEXTS: usize = 64;

/// Name of a loop, for measuring what it costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LoopKind {
    Setup {
        is_cold: bool,
    },
    Process {
        /// Whether prepared messages are replayed.
        replays: bool,
        /// Whether messages and answers lie in rings.
        streams: bool,
        /// Whether the loop itself comes from memory too.
        is_cold: bool,
        /// Whether lengths are those of a profile.
        mixes: bool,
        calls: CallKind,
    },
}

impl Single {
    pub fn loop_kind(&self) -> LoopKind {
        match &self.work {
            Work::Setup { .. } => LoopKind::Setup { is_cold: self.is_cold() },
            Work::Process { messages, calls } => LoopKind::Process {
                replays: matches!(messages, Messages::Replay(_)),
                streams: matches!(self.answers, Answers::Stream(_)),
                is_cold: self.is_cold(),
                mixes: !self.series.cuts.is_empty(),
                calls: calls.kind(),
            },
        }
    }

    /// The loop around a function that does nothing, in the shape of the loops of real cases.
    pub fn nothing(kind: LoopKind) -> Self {
        let mut single = Self::idle(kind);
        if let LoopKind::Setup { is_cold: true } | LoopKind::Process { is_cold: true, .. } = kind {
            (single.buffers, single.goes_on) = (Buffers::Cold, true);
        }
        single
    }

    fn idle(kind: LoopKind) -> Self {
        let LoopKind::Process { replays, streams, mixes, calls, .. } = kind else {
            let work =
                Work::Setup { function: Box::new(Nothing), keys: Growing::new(&[1; SMALL], 1) };
            let answers = Answers::Hot(Slots::new(SMALL, 1));
            return Self::new(work, answers, Series::nothing(1, Vec::new()));
        };
        let lanes = if let CallKind::Lanes(lanes) = calls { lanes } else { 1 };
        let slots = whole_calls(MOST_SLOTS, lanes);
        let messages = if replays {
            Messages::Replay(Replay {
                nonces: Slots::new(SMALL, slots),
                messages: Slots::new(SMALL, slots),
            })
        } else {
            let messages = vec![vec![3; SMALL]; lanes];
            Messages::Fresh(Fresh { nonces: Growing::new(&[2; SMALL], lanes), messages })
        };
        let answers = match streams {
            true => Answers::Stream(streamed(slots)),
            false => Answers::Hot(Slots::new(SMALL, slots)),
        };
        let work = Work::Process { messages, calls: idle_calls(calls) };
        let cut = Cut { input_bytes: SMALL, answer_bytes: SMALL };
        let cuts = if mixes { vec![cut; slots] } else { Vec::new() };
        Self::new(work, answers, Series::nothing(lanes, cuts))
    }
}

fn streamed(slots: usize) -> Streamed {
    let shape = Shape::new(SMALL, slots);
    let ring = || Aligned::new(shape.bytes());
    let rings = Rings { messages: ring(), answers: ring() };
    Streamed { rings: Rc::new(RefCell::new(rings)), messages: shape, answers: shape }
}

fn idle_calls(kind: CallKind) -> Calls {
    let keyed = |renewed| Calls::Keyed {
        function: Box::new(Nothing),
        keys: Slots::new(SMALL, KEYS_IN_TURN as usize),
        renewed,
    };
    match kind {
        CallKind::Pattern(Pattern::ReusedKey) => Calls::Reused(Box::new(Nothing)),
        CallKind::Pattern(Pattern::Rekeyed) => keyed(None),
        CallKind::Pattern(Pattern::OneShot) => keyed(Some(Renewed::Context)),
        CallKind::Pattern(Pattern::Fetched) => keyed(Some(Renewed::Algorithm)),
        CallKind::Pattern(Pattern::Incremental) => {
            Calls::InParts { function: Box::new(Nothing), parts: Parts::Chunks(SMALL) }
        }
        CallKind::Many => {
            let functions = (0..CONTEXTS).map(|_| Box::new(Nothing) as Box<dyn Function>);
            Calls::Many { functions: functions.collect(), bytes: 0 }
        }
        CallKind::Lanes(lanes) => Calls::Batches(Batches::new(Box::new(Nothing), lanes)),
    }
}

struct Nothing;

impl Function for Nothing {
    fn set_key(&mut self, _: &[u8]) -> Result<(), CallError> {
        Ok(())
    }

    fn process(&mut self, _: &Message<'_>, _: &mut [u8]) -> Result<(), CallError> {
        Ok(())
    }

    fn process_parts(&mut self, _: &Message<'_>, _: Parts, _: &mut [u8]) -> Result<(), CallError> {
        Ok(())
    }

    fn renew(&mut self, _: Renewed) -> Result<(), CallError> {
        Ok(())
    }
}

impl Lanes for Nothing {
    fn set_key(&mut self, _: usize, _: &[u8]) -> Result<(), CallError> {
        Ok(())
    }

    fn process(&mut self, _: &[Message<'_>], _: &mut [&mut [u8]]) -> Result<(), CallError> {
        Ok(())
    }

    fn process_under(
        &mut self,
        _: &[u32],
        _: &[Message<'_>],
        _: &mut [&mut [u8]],
    ) -> Result<(), CallError> {
        Ok(())
    }
}
