//! Functions that do nothing, for measuring the loop alone.

use ciphermark_providers::api::{CallError, Function, Lanes, Message, Operation, Parts, Renewed};
use ciphermark_record::plan::{Buffers, Pattern};

use super::Single;
use super::calls::{CallKind, Calls};
use super::series::{KEYS_IN_TURN, Series};
use crate::buffer::Slots;

/// Bytes of everything in a loop without a function, and of its chunks.
const SMALL: usize = 16;
/// Contexts that take turns in one. Finding one costs the same among any number.
const CONTEXTS: usize = 64;

/// Name of a loop, for measuring what it costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LoopKind {
    calls: CallKind,
    /// Whether the loop itself comes from memory too.
    pub is_cold: bool,
}

impl Single {
    pub fn loop_kind(&self) -> LoopKind {
        LoopKind { calls: self.calls.kind(), is_cold: self.is_cold() }
    }

    /// The loop around a function that does nothing, in the shape of the loops of real cases.
    pub fn nothing(kind: LoopKind) -> Self {
        let lanes = if let CallKind::Lanes(lanes) = kind.calls { lanes } else { 1 };
        let operation = match kind.calls {
            CallKind::Setup => Operation::Setup,
            _ => Operation::Seal,
        };
        let buffers = if kind.is_cold { Buffers::Cold } else { Buffers::Hot };
        let series = Series::nothing(operation, lanes, SMALL);
        Self::new(idle_calls(kind.calls), series, buffers)
    }
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
        CallKind::Lanes(lanes) => Calls::Batches { function: Box::new(Nothing), lanes },
        CallKind::Setup => Calls::Setup(Box::new(Nothing)),
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
