//! Answer to `ciphermark-engine limits`: what the processor executes in a cycle, and how near to that
//! kernels come.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plan::Operation;
use crate::version::SchemaVersion;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    pub schema: SchemaVersion,
    /// Why there are no rates here, in a sentence; absent where there are.
    pub unavailable: Option<String>,
    pub rates: Vec<Rate>,
    pub kernels: Vec<KernelLimit>,
}

/// How fast this processor executes one kind of instruction where nothing waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rate {
    /// `permutation of two vectors`; `load`, `store`; `any` for what enters the processor at all.
    pub kind: String,
    /// Of its registers; 64 for general ones.
    pub bits: u32,
    /// What was executed: `vpermi2b`.
    pub instruction: String,
    /// Core cycles from one to the next.
    pub cycles: f64,
    /// What one takes, in core cycles, of all units that compute with vectors together; absent where it
    /// takes none.
    pub vector_cycles: Option<f64>,
    /// Kinds with whose unit it shares its own: where both are executed, their cycles add up.
    pub shares: Vec<String>,
}

/// A kernel, the limit by its instructions, and the time that it takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KernelLimit {
    pub algorithm: String,
    pub operation: Operation,
    pub backend: String,
    /// Messages of a call, each under a key of its own.
    pub lanes: u32,
    /// Of each message.
    pub message_bytes: u64,
    /// Instructions executed for a byte, those of the C library left out; a long message's follow from
    /// two shorter ones that are executed one by one.
    pub instructions: f64,
    pub loads: f64,
    pub stores: f64,
    /// Those of each kind, for a byte.
    pub kinds: Vec<ExecutedKind>,
    /// Core cycles for a byte at least, by the rates; absent where these are.
    pub limit_cycles: Option<f64>,
    /// What takes them: `permutation`, `vectors`, `instructions`.
    pub limited_by: Option<String>,
    /// Core cycles for a byte, the fewest of many calls; absent where it could not be called.
    pub cycles: Option<f64>,
    /// Why nothing was counted, in a sentence.
    pub error: Option<String>,
}

/// Instructions of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExecutedKind {
    /// As in rates.
    pub kind: String,
    pub bits: u32,
    /// For a byte of the messages.
    pub times: f64,
}
