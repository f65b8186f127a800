//! Answer to `ciphermark-engine questions`: what test vectors ask, one question a line. Bytes are
//! hexadecimal.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plan::Operation;

/// One call of a function, with what is right of its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    /// File and name of the vector.
    pub vector: String,
    pub algorithm: String,
    /// The parameters by which it is of another function than its algorithm's usual one.
    pub variant: Option<String>,
    pub operation: Operation,
    pub key: String,
    pub nonce: String,
    pub aad: String,
    /// Absent where it is too long for any target.
    pub input: Option<String>,
    /// Low bits of the last byte of the message that are no part of it.
    pub unused_bits: u8,
    /// How often the operation is done, each time on the answer before.
    pub iterations: u32,
    /// Absent where only a digest of it is known.
    pub answer: Option<Answer>,
}

/// What is right of an output.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// Whether the tag is wrong; then nothing else is said.
    pub is_refused: bool,
    /// Where in the output the bytes stand.
    pub offset_bytes: u64,
    pub bytes: String,
    /// How many bits of them count.
    pub bits: u64,
}
