//! Answer to `ciphermark-engine breakdown`: which instructions calls have executed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::Failure;
use crate::plan::Operation;
use crate::version::SchemaVersion;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Breakdown {
    pub schema: SchemaVersion,
    pub calls: Vec<ExecutedCall>,
    /// Of the queue of the workload `packets`.
    pub queue: QueueInstructions,
}

/// Packets that one thread submits, takes and delivers, in batches, and does nothing to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QueueInstructions {
    pub packets: u64,
    /// Packets of a batch.
    pub batch: u32,
    /// All instructions executed for all of them.
    pub instructions: u64,
    /// Why nothing could be counted.
    pub error: Option<Failure>,
}

/// One call of one implementation, executed instruction by instruction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExecutedCall {
    pub algorithm: String,
    pub provider: String,
    pub backend: String,
    /// `setup` for the setting of a key, which is that of one message.
    pub operation: Operation,
    /// Of each message; absent for `setup`.
    pub message_bytes: Option<u64>,
    /// Messages that the call took, each under a key of its own.
    pub lanes: u32,
    /// All instructions executed, those of the C library and of the engine's way to the function too.
    pub instructions: u64,
    /// Whether the call was too long to be followed to its end.
    pub cut: bool,
    /// Where these instructions lie; they are as many.
    pub files: Vec<InstructionsOfFile>,
    /// Why nothing could be counted.
    pub error: Option<Failure>,
}

/// How often instructions of one file were executed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InstructionsOfFile {
    /// Path of the file; empty for code that was made at run time.
    pub file: String,
    /// Addresses, ascending, as the file's own symbols count them.
    pub addresses: Vec<u64>,
    /// How often each of them was executed.
    pub times: Vec<u64>,
}
