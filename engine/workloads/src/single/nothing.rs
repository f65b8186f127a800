//! The loop around functions that do nothing, for measuring what it costs.

use ciphermark_providers::api::{Adapter, Operation, Parts, Renewed};
use ciphermark_providers::empty;
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
    adapter: Adapter,
    /// Whether the loop itself comes from memory too.
    pub is_cold: bool,
}

impl Single {
    pub fn loop_kind(&self) -> LoopKind {
        let (calls, adapter) = (self.calls.kind(), self.calls.adapter());
        LoopKind { calls, adapter, is_cold: self.is_cold() }
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
        Self::new(idle_calls(kind), series, buffers)
    }
}

fn idle_calls(LoopKind { calls, adapter, .. }: LoopKind) -> Calls {
    let function = || empty::function(adapter, SMALL);
    let keyed = |renewed| Calls::Keyed {
        function: function(),
        keys: Slots::new(SMALL, KEYS_IN_TURN as usize),
        renewed,
    };
    match calls {
        CallKind::Pattern(Pattern::ReusedKey) => Calls::Reused(function()),
        CallKind::Pattern(Pattern::Rekeyed) => keyed(None),
        CallKind::Pattern(Pattern::OneShot) => keyed(Some(Renewed::Context)),
        CallKind::Pattern(Pattern::Fetched) => keyed(Some(Renewed::Algorithm)),
        CallKind::Pattern(Pattern::Incremental) => {
            Calls::InParts { function: function(), parts: Parts::Chunks(SMALL) }
        }
        CallKind::Many => {
            let functions = (0..CONTEXTS).map(|_| function());
            Calls::Many { functions: functions.collect(), bytes: 0 }
        }
        CallKind::Lanes(lanes) => {
            Calls::Batches { function: empty::lanes(adapter, SMALL, lanes), lanes }
        }
        CallKind::Setup => Calls::Setup(function()),
    }
}
