//! Answer to `ciphermark-engine verify`.

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
