//! First line of a file that `ciphermark-engine bench` writes; the events of its run follow.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::description::Algorithm;
use crate::plan::Plan;
use crate::version::SchemaVersion;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BenchHead {
    /// Version of the contract. Its key begins the file, which is recognised by that.
    pub ciphermark_bench: SchemaVersion,
    /// The command as it was typed.
    pub command: String,
    /// `bench` or `bench-quick`.
    pub plan_name: String,
    pub plan: Plan,
    /// Facts of the algorithms in the plan.
    pub algorithms: Vec<Algorithm>,
    /// Libraries that were left out, one sentence.
    pub notes: Vec<String>,
}
