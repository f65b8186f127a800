//! Which worker process a case belongs to.

use std::collections::BTreeMap;

use ciphermark_record::plan::Case;

/// One worker for each of these.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WorkerKey {
    pub provider: String,
    /// Environment variables of the process (capability masks).
    pub switches: BTreeMap<String, String>,
}

/// The worker that a case belongs to.
pub fn key_of(case: &Case) -> WorkerKey {
    WorkerKey { provider: case.provider.clone(), switches: case.switches.clone() }
}
