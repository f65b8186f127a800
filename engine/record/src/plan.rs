//! What the engine is asked to measure.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::de::{Error, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

pub use crate::call::{Buffers, Offload, Operation, Pattern};
use crate::description::Implementation;
use crate::packets::PacketLoad;
use crate::sessions::SessionLoad;
use crate::version::SchemaVersion;

/// Cases of one plan: twice as many as a survey of all that 18 providers have, at ten sizes.
pub const MOST_CASES: usize = 50_000;

/// The ordered cases of one run and the rules of measuring them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    pub schema: SchemaVersion,
    pub workload: Workload,
    /// Seed of all keys, nonces, messages and of the order within rounds.
    pub seed: u64,
    /// Wanted half-width of the 95 % interval of the median, as a share of the median (0.01 = ±1 %).
    pub precision: f64,
    /// Wall time after which what has not converged stays so, seconds.
    pub budget_s: f64,
    /// The CPU to measure on; the last one allowed when absent.
    #[serde(default)]
    pub cpu: Option<u32>,
    /// Provider to the path of the library to open instead of the installed one. One library may
    /// be measured in several builds: what follows an `@` in a provider's name tells them apart
    /// (`openssl@old`, `openssl@new`).
    #[serde(default)]
    pub libraries: BTreeMap<String, String>,
    #[serde(default)]
    pub sampling: Sampling,
    /// Implementations whose code path is known already, so that nobody need look again.
    #[serde(default)]
    pub code_paths: Vec<Implementation>,
    #[serde(deserialize_with = "cases_within_bounds")]
    pub cases: Vec<Case>,
}

/// Reads cases until there are too many, so that no plan takes memory for more.
fn cases_within_bounds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Case>, D::Error> {
    struct Cases;

    impl<'de> Visitor<'de> for Cases {
        type Value = Vec<Case>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of cases")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<Case>, A::Error> {
            let mut cases = Vec::new();
            while cases.len() < MOST_CASES {
                match list.next_element()? {
                    Some(case) => cases.push(case),
                    None => return Ok(cases),
                }
            }
            match list.next_element::<IgnoredAny>()? {
                Some(_) => {
                    let what = format!("more than {MOST_CASES} cases: measure fewer at once");
                    Err(A::Error::custom(what))
                }
                None => Ok(cases),
            }
        }
    }

    deserializer.deserialize_seq(Cases)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Workload {
    /// One thread, one message at a time.
    Single,
    /// Many threads at once, each with a session of its own.
    Sessions,
    /// A queue of packets from one core to others.
    Packets,
}

/// How samples are taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Sampling {
    /// Shortest wall time of a timed slice, microseconds. Short slices mostly fit between
    /// scheduler ticks; the number of messages is a power of two, so a slice takes up to twice this.
    pub slice_us: f64,
    /// Slices in a group, taken one after the other in one round.
    pub slices_per_group: u32,
    /// Groups that every case gets before it may converge.
    pub min_groups: u32,
    /// Worker processes that every case is measured in before it may converge; at least 6, the fewest
    /// with which the 95 % interval of a median exists. 0, as where it is absent, is of format 1.8 and
    /// older: there each group was an observation, whichever process took it.
    #[serde(default)]
    pub min_processes: u32,
    /// Shortest time between the first and the last group of a case, milliseconds: a burst of other
    /// work on the machine can make groups taken at once agree on a wrong figure.
    pub min_span_ms: f64,
    /// Rounds after which all worker processes are replaced by fresh ones: the groups that a process
    /// takes of a case. Up to format 1.8 each generation of processes lasted twice as long as the one
    /// before.
    pub rounds_per_process: u32,
    /// What moves a figure from run to run on one machine though the processes of each run agree, as
    /// a share: half-width of its 95 % interval. A row's interval has it beside what processes
    /// differ by. 0, as where it is absent, is of format 1.12 and older.
    #[serde(default)]
    pub reproducibility: f64,
}

/// With it some 95 % of the intervals hold the median over surveys, where a neighbour uses the cores
/// most of the time and keeps to one state for longer than a survey takes (`benchmarks/coverage.py`
/// prints the share for this and other values).
pub const REPRODUCIBILITY: f64 = 0.004;

impl Default for Sampling {
    fn default() -> Self {
        Self {
            slice_us: 12.0,
            slices_per_group: 5,
            min_groups: 6,
            min_processes: 6,
            min_span_ms: 5.0,
            rounds_per_process: 3,
            reproducibility: REPRODUCIBILITY,
        }
    }
}

/// One implementation × operation × message size × workload parameters: what gets one row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Case {
    /// Number of the case within the plan, counted from 0.
    pub case: u32,
    /// Canonical name, for example `aes-128-gcm`.
    pub algorithm: String,
    pub operation: Operation,
    pub provider: String,
    /// `default` lets the library choose its code path.
    pub backend: String,
    #[serde(default)]
    pub pattern: Pattern,
    /// Bytes that the library is given at a time; only with the pattern `incremental`.
    #[serde(default)]
    pub chunk_bytes: Option<u32>,
    #[serde(default)]
    pub offload: Offload,
    /// The CPUs that are the device, with the offload `cores`; those that share each message, with
    /// the offload `split`, whether or not the calling one is named among them.
    #[serde(default)]
    pub offload_cpus: Vec<u32>,
    /// Bytes of one message; absent for `setup` and with a profile.
    pub message_bytes: Option<u64>,
    /// Name of the mix of message sizes that `lengths` come from.
    #[serde(default)]
    pub profile: Option<String>,
    /// Bytes of each message in turn, begun anew after the last; only with a profile. As many as
    /// fill whole calls.
    #[serde(default)]
    pub lengths: Vec<u64>,
    /// Messages that one call takes.
    #[serde(default = "one")]
    pub lanes: u32,
    /// Distinct keys in use, each with a context of its own. Messages go round them: one by one, in
    /// an order that no prefetcher follows; with several lanes, which a number of keys divides, lane
    /// by lane.
    #[serde(default = "one")]
    pub keys: u32,
    #[serde(default)]
    pub buffers: Buffers,
    /// An algorithm of the same library that is called before each message, to seal, encrypt, sign or
    /// digest one as long; the figures are what the case's own function adds to it. Only of the
    /// workload `single`.
    #[serde(default)]
    pub after: Option<String>,
    /// Environment variables that the worker process is started with (capability masks).
    #[serde(default)]
    pub switches: BTreeMap<String, String>,
    /// Only of the workload `sessions`.
    #[serde(default)]
    pub sessions: Option<SessionLoad>,
    /// Only of the workload `packets`.
    #[serde(default)]
    pub packets: Option<PacketLoad>,
}

fn one() -> u32 {
    1
}
