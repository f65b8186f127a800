//! What the engine writes while it measures: one JSON object a line, flushed as it happens.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::description::{EngineBuild, Implementation, Provider};
use crate::environment::Environment;
use crate::packets::PacketsRun;
use crate::plan::Case;
use crate::sessions::SessionsRun;
use crate::version::SchemaVersion;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Event {
    /// Always the first.
    Hello(Box<Hello>),
    /// A case has passed verification and will be timed.
    Case(Box<CaseReady>),
    Sample(Sample),
    Sessions(Box<SessionsRun>),
    Packets(Box<PacketsRun>),
    Warning(Warning),
    /// A case has failed; it gets no figure.
    Error(CaseError),
    Progress(Progress),
    /// Always the last.
    Bye(Bye),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Hello {
    pub schema: SchemaVersion,
    pub engine: EngineBuild,
    pub environment: Environment,
    pub providers: Vec<Provider>,
    /// Start of the run, nanoseconds since 1970 (UTC).
    pub started_unix_ns: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CaseReady {
    pub case: Case,
    /// Its path is the one that ran in this operation, where that can be seen.
    pub implementation: Implementation,
    /// Test vectors that this implementation has passed for this operation.
    pub vectors_passed: u32,
    /// Providers that gave the same answers on random inputs of this size; empty when no other
    /// provider has the algorithm.
    pub agrees_with: Vec<String>,
}

/// One timed batch of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sample {
    pub case: u32,
    /// The pass over all cases that it belongs to, counted from 0.
    pub round: u32,
    /// The worker process of this provider, counted from 0.
    pub process: u32,
    /// The CPU that it was taken on. Of runs before 1.17 it is that of the environment's state.
    #[serde(default)]
    pub cpu: Option<u32>,
    /// Number of the slice within the group, counted from 0.
    pub slice: u32,
    /// Start, nanoseconds since the start of the run.
    pub at_ns: u64,
    pub messages: u64,
    /// Wall time, the cost of an empty slice subtracted.
    pub wall_ns: f64,
    /// Core cycles, the cost of an empty slice subtracted, that of the loop not.
    pub cycles: f64,
    /// Cost of the loop around the function, core cycles per message, as measured in this process
    /// with an empty function. Figures are `cycles / messages − loop_cycles`.
    pub loop_cycles: f64,
    /// Core clock beside the slice.
    pub core_hz: f64,
    /// Thread CPU time of the whole group that this slice belongs to, calibration included.
    pub group_cpu_ns: u64,
    /// Wall time of that group.
    pub group_wall_ns: u64,
    /// Why the sample does not count; empty when nothing disturbed it.
    pub disturbed: Vec<Disturbance>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Disturbance {
    /// The clock beside the slice was more than 3 % below the best of its group on both sides.
    Clock,
    /// The thread was taken off the CPU within the group.
    Switch,
    /// The thread ran on another CPU after the group than before.
    Migration,
    /// Something else was using the same physical core (a neighbour's hyperthread): independent
    /// additions beside the slice, or beside more than one in five of its group, took over 8 % longer
    /// than on a core of its own.
    Shared,
    /// The thread's CPU time fell short of the wall time: steal, or other work on the CPU.
    Steal,
    /// What the loop costs was found in disturbed slices alone, so that what was subtracted may be too
    /// much.
    Loop,
    /// Taken right after other cases, before the processor had settled: the cost is another one than
    /// after `settling_ms` of calls in the same process.
    Settling,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Warning {
    /// Short stable name, for example `steal`.
    pub kind: String,
    /// What, how much, what to do.
    pub message: String,
    pub case: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CaseError {
    pub case: u32,
    pub error: Failure,
}

/// Why a case has no figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    pub kind: FailureKind,
    pub message: String,
    /// Name of the signal that ended the worker, where one did: `SIGSEGV`.
    pub signal: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The provider cannot be used on this machine.
    Unusable,
    /// The provider does not have the algorithm, operation or backend.
    Unsupported,
    /// A test vector failed.
    WrongAnswer,
    /// Providers gave different answers on the same random input.
    Disagreement,
    /// What was written while timed differs from the right answer.
    WrongWhileTimed,
    /// The function wrote or read beside its buffers, or changed what it was given to read.
    OutOfBounds,
    /// The library returned an error.
    Failed,
    /// The worker process died.
    Crash,
    /// The worker process did not answer in time and was ended.
    Timeout,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Progress {
    pub phase: Phase,
    pub done: u32,
    pub total: u32,
    /// Cases that have converged so far.
    pub converged: u32,
    pub round: u32,
    pub elapsed_s: f64,
    /// Estimate of the time left, at most what the budget leaves.
    pub left_s: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    Verifying,
    Measuring,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bye {
    pub cases: u32,
    pub converged: u32,
    pub errors: u32,
    pub samples: u64,
    pub rounds: u32,
    pub elapsed_s: f64,
    /// Ended early on request; what was measured counts.
    pub interrupted: bool,
    /// Share of the measured CPU's time that the hypervisor took while the run lasted.
    pub steal_share: Option<f64>,
}
