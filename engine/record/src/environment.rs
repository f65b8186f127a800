//! The machine and its state: what a reader must know to judge a figure.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::energy::Meter;

/// What the machine is. Names only: an identity never contains a measured speed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// Salted hash of the operating system's machine id, 16 hex digits.
    pub machine_id: String,
    /// Short readable name, for example `epyc-9b45-kvm`.
    pub machine_name: String,
    /// CPU vendor, family, model, features (hashed), cores and virtualisation in one string; two
    /// machines with the same kind can be compared.
    pub machine_kind: String,
    pub architecture: String,
    pub cpu_vendor: String,
    pub cpu_name: String,
    pub cpu_family: Option<u32>,
    pub cpu_model: Option<u32>,
    pub cpu_stepping: Option<u32>,
    pub microcode: Option<String>,
    /// CPU features as the kernel names them, sorted.
    pub cpu_features: Vec<String>,
    /// Logical CPUs that are online.
    pub cpus_online: u32,
    /// Physical cores, where the kernel tells.
    pub cores_physical: Option<u32>,
    pub l1d_cache_bytes: Option<u64>,
    pub l2_cache_bytes: Option<u64>,
    pub l3_cache_bytes: Option<u64>,
    pub memory_bytes: Option<u64>,
    /// `none`, or the hypervisor's name.
    pub virtualisation: String,
    pub operating_system: String,
    pub kernel: String,
}

/// What state the machine was in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct State {
    /// CPUs that this process may run on.
    pub cpus_allowed: Vec<u32>,
    /// The CPU that was measured on at first: single messages may move to a quieter one (`cpu` of samples).
    pub cpu: u32,
    /// Other logical CPUs that share the core of `cpu`.
    pub smt_siblings: Vec<u32>,
    /// The logical CPUs of each core that this process may run on, those of one core together; empty
    /// where the kernel does not tell of each.
    #[serde(default)]
    pub core_cpus: Vec<Vec<u32>>,
    /// cpufreq governor of `cpu`; absent where the kernel shows none (usual in guests).
    pub governor: Option<String>,
    /// Whether turbo or boost is on; absent where the kernel does not tell.
    pub turbo: Option<bool>,
    pub load_1min: Option<f64>,
    /// Share of CPU time stolen by the hypervisor since boot.
    pub steal_share_since_boot: Option<f64>,
    /// The kernel's `perf_event_paranoid`; absent where there is no such file.
    pub perf_event_paranoid: Option<i32>,
    /// Whether a hardware cycle counter could be opened, or the reason why not.
    pub pmu: Pmu,
    pub clocksource: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pmu {
    pub usable: bool,
    /// Why not; empty when usable.
    pub reason: String,
}

/// Where core cycles come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CycleSource {
    /// Counted by the processor's performance monitoring unit.
    Pmu,
    /// Wall time times the clock measured beside each slice with a chain of dependent additions.
    Calibrated,
    /// Wall time times the processor's nominal clock.
    Nominal,
}

/// The clocks as they were found at the start of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Clocks {
    pub cycle_source: CycleSource,
    /// Relative difference between two independent chains (additions, 3-cycle multiplications)
    /// that should give the same clock, or between the chain and the PMU.
    pub cycle_residual: f64,
    /// What `wall_ns` is read from: `tsc`, `cntvct` or `monotonic`.
    pub wall_source: String,
    pub wall_ticks_per_ns: f64,
    /// Cost of an empty timed slice, already subtracted from `wall_ns`.
    pub slice_cost_ns: f64,
    /// Cost of one reading of the wall clock.
    pub wall_read_ns: f64,
    /// Cost of one reading of the thread CPU clock.
    pub thread_cpu_read_ns: f64,
    /// Core clock at the start, median.
    pub core_hz: f64,
    /// Spread of the core clock at the start: (90th − 10th percentile) / median.
    pub core_hz_spread: f64,
    /// Time of four independent additions over that of one, in the quietest tenth of the readings: 1 on a
    /// core with four adders to itself and 0.8 on one with five; more on a narrower core, or on one that
    /// is shared with a neighbour all the time. Earlier engines gave 1 for five, too.
    #[serde(default)]
    pub width_ratio: Option<f64>,
    /// Share of looks at the start at which something else was using the physical core.
    #[serde(default)]
    pub crowded_share: Option<f64>,
    /// How many times as long legacy SSE code takes while upper halves of vector registers are in use, as
    /// a function leaves them that forgets VZEROUPPER; absent where there are none.
    #[serde(default)]
    pub dirty_vectors_ratio: Option<f64>,
    /// Core cycles that it takes to go from code of AVX that leaves upper halves in use to legacy SSE code,
    /// and back; absent where there are none.
    #[serde(default)]
    pub dirty_change_cycles: Option<f64>,
    /// Additions in one calibration chain.
    pub chain_additions: u32,
}

/// Machine, state and clocks together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Environment {
    pub machine: Machine,
    pub state: State,
    pub clocks: Clocks,
    /// Meters of energy and power that the kernel shows, readable or not.
    #[serde(default)]
    pub meters: Vec<Meter>,
}
