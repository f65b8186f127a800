//! What the engine is asked to measure.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::de::{Error, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

pub use crate::call::{Buffers, Offload, Operation, Pattern};
pub use crate::case::{Case, Load, Messages, Profile, Workload};
use crate::description::Implementation;
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
    /// By so much the budget may be exceeded where cases would else lack the processes that an interval
    /// needs, seconds. 0, as where it is absent, is of format 1.15 and older.
    #[serde(default)]
    pub overtime_s: f64,
    /// The CPU to measure on; when absent, the one allowed whose core others use least, of single messages
    /// now and then another one when that is crowded.
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
    /// Numbers of cases from the least telling one on: they are measured after all others, the last of
    /// these first, as far as the budget has room for them in `min_processes` worker processes each.
    #[serde(default)]
    pub optional: Vec<u32>,
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
    /// For how long a case with hot buffers is called before a group, milliseconds, unless groups cost
    /// the same after a quarter or half of it: branch predictors and the like may take that long to
    /// settle after other cases. 0, as where it is absent, is of format 1.14 and older: there one slice was not timed.
    #[serde(default)]
    pub settling_ms: f64,
}

/// With it some 95 % of the intervals hold the median over surveys, where a neighbour uses the cores
/// most of the time and keeps to one state for longer than a survey takes (`benchmarks/coverage.py`
/// prints the share for this and other values).
pub const REPRODUCIBILITY: f64 = 0.005;

/// In a shorter time functions whose cost settles late have not settled, and they hardly move any more
/// in a longer one (`benchmarks/states.py`).
pub const SETTLING_MS: f64 = 4.0;

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
            settling_ms: SETTLING_MS,
        }
    }
}
