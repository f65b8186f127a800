//! Answer to `ciphermark-engine verify`.

use crate::plan::Operation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verification {
    pub results: Vec<Verified>,
    /// Sums over `results`.
    pub passed: u32,
    pub failed: u32,
    /// Vectors in all files read.
    pub vectors: u32,
    /// Vectors that at least one implementation passed.
    pub covered: u32,
    /// Algorithms in the files that no implementation here has, with their number of vectors.
    pub without_implementation: Vec<Uncovered>,
    /// Whether implementations agree with each other; absent where nobody asked.
    #[serde(default)]
    pub agreement: Option<Agreement>,
}

/// All implementations of each algorithm on the same random inputs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Agreement {
    /// Seed of the inputs.
    pub seed: u64,
    /// Pairs of implementations that were compared.
    pub pairs: u32,
    /// Inputs that were answered, over all implementations and operations.
    pub inputs: u64,
    pub disagreements: Vec<Disagreement>,
    /// Algorithms that have one implementation here, with nothing to compare it with.
    pub alone: Vec<String>,
    /// Implementations that gave no answers; a sentence each.
    pub failures: Vec<String>,
}

/// An implementation that does not answer as most do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Disagreement {
    pub algorithm: String,
    pub operation: Operation,
    pub provider: String,
    pub backend: String,
    /// Providers that agree with each other against it.
    pub differs_from: Vec<String>,
    /// Lengths at which it differs.
    pub lengths: u32,
    /// The smallest of them.
    pub message_bytes: u64,
    pub shown_by: Shown,
}

/// The plainest input that shows a disagreement: parts that can be are zeros. Bytes are
/// hexadecimal, the first 64 of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Shown {
    pub key: String,
    pub nonce: String,
    pub aad: String,
    pub message: String,
    /// Of the implementation that disagrees; the reason where it gives none.
    pub answer: String,
    pub their_answer: String,
}

/// One implementation on all vectors of its algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verified {
    pub algorithm: String,
    pub provider: String,
    pub backend: String,
    pub passed: u32,
    pub failed: u32,
    pub unsupported: u32,
    /// One sentence for each failed vector, at most ten.
    pub failures: Vec<String>,
    /// The parameters that are not supported: `nonce of 8 bytes`.
    pub unsupported_parameters: Vec<String>,
    /// Set when the worker died or the provider could not be used.
    pub error: Option<crate::event::Failure>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Uncovered {
    pub algorithm: String,
    pub vectors: u32,
}
