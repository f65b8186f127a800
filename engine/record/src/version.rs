//! The two numbers of the contract's format.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// History of the format:
///
/// * 1.0: first version.
/// * 1.1: calling patterns with their chunks, `buffers`, what an implementation can do (`patterns`,
///   `most_lanes`), how its code path is reached and known (`switches`, `features`), a provider's
///   `notice`. The implementation in `case` names the code path that ran.
/// * 1.2: `profile` and `lengths` of cases. `keys` counts the distinct keys with several lanes too,
///   where it was 1 before and meant a key for each lane.
/// * 1.3: the buffers `repeated`, and whether an implementation can be given such messages
///   (`takes_repeats`).
/// * 1.4: the workload `sessions`: how a case's sessions run, and the event of one execution.
/// * 1.5: the workload `packets`, with the event of all passes of a case; offloads, and the CPUs that
///   are the device of one. The answer `breakdown`.
/// * 1.6: the buffers `l2` and `cold`. The answer `questions`.
/// * 1.7: the kind `suite`, with what a suite is composed of, its framing and the limits of its keys;
///   `keys` of its cases counts the security associations. `fips_approved` of algorithms.
/// * 1.8: the failure `out-of-bounds`.
/// * 1.9: `min_processes`: the worker process is the observation, and each takes `rounds_per_process`
///   groups. What an implementation leaves behind in the processor (`leaves_vectors_dirty`), and what
///   that costs the code after it (`dirty_vectors_ratio` and `dirty_change_cycles` of the clocks).
/// * 1.10: the answers `sent` and `received` of the command `traffic`.
/// * 1.11: `reproducibility` of a plan's sampling.
/// * 1.12: `meters` of the environment, the readings of meters (`energy`) beside sessions and passes of
///   packets, and when each pass began.
/// * 1.13: latencies of packets by their priority, and the policy of the threads that process them.
/// * 1.14: `optional` cases of a plan.
/// * 1.15: `settling_ms` of a plan's sampling, and the mark `settling` of samples.
/// * 1.16: `overtime_s` of a plan.
/// * 1.17: `cpu` of samples, since a run may move to a quieter one.
/// * 1.18: `sha256` of providers.
/// * 1.19: the file of a run that `bench` writes. Without the answer `breakdown`.
pub const SCHEMA: SchemaVersion = SchemaVersion { major: 1, minor: 19 };

/// A reader refuses another `major`, and ignores what a newer `minor` added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SchemaVersion {
    /// Grows when a reader of the old format would misunderstand the new one.
    pub major: u32,
    /// Grows when something was added that an old reader can ignore.
    pub minor: u32,
}
