//! Many sessions at once: how they are to run, and what one execution of them has shown.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::energy::Readings;

/// Sessions that run at once, each with a key, nonces and buffers of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionLoad {
    pub sessions: u32,
    /// The CPUs that they run on.
    pub cpus: Vec<u32>,
    #[serde(default)]
    pub placement: Placement,
    #[serde(default)]
    pub threads: Threads,
    #[serde(default)]
    pub contexts: Contexts,
    /// Execution time t: from the start of all sessions to their end, milliseconds.
    pub execution_ms: f64,
    /// t1: when the measurement window opens after the start, milliseconds. It opens later where not
    /// every thread has run by then.
    pub opens_ms: f64,
    /// t2: when it closes, milliseconds after the start; moved with t1.
    pub closes_ms: f64,
    /// How long each session lives before another takes its place; absent where all live as long as
    /// the execution.
    #[serde(default)]
    pub life: Option<Life>,
    /// Messages per second that come to all sessions together, at random moments (a Poisson process);
    /// absent where each session takes its next message as soon as it can.
    #[serde(default)]
    pub offered_per_s: Option<f64>,
    #[serde(default)]
    pub policy: Policy,
    /// Nice level of the threads.
    #[serde(default)]
    pub nice: i32,
    /// Most CPU time that all of them may take, in CPUs: 0.5 is half of one. Needs a control group
    /// that the user may write.
    #[serde(default)]
    pub quota_cpus: Option<f64>,
    /// Threads beside them that write through more memory than the caches hold, one on each of the
    /// CPUs in turn.
    #[serde(default)]
    pub neighbours: u32,
    /// Between two looks at the whole while it runs, milliseconds.
    pub look_ms: f64,
    /// Executions at most, until one is valid.
    pub most_attempts: u32,
}

/// Which of its CPUs a thread runs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Placement {
    /// Any of them: the kernel decides and may change its mind.
    #[default]
    Free,
    /// One of them, in turn.
    Fixed,
}

/// What a session has for a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Threads {
    /// A thread of its own.
    #[default]
    PerSession,
    /// A turn on the thread of a CPU, where the others that it serves have theirs.
    PerCpu,
}

/// Whose the function and its key schedule are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Contexts {
    /// Each session has one.
    #[default]
    Own,
    /// All sessions have one together, behind a lock.
    Shared,
}

/// How the kernel schedules the threads; see sched(7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    #[default]
    Other,
    Batch,
    Idle,
    RoundRobin,
}

/// Lengths of life between these, each as likely, milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Life {
    pub shortest_ms: f64,
    pub longest_ms: f64,
}

/// One execution of a case of the workload `sessions`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionsRun {
    pub case: u32,
    /// Executions of this case before it.
    pub attempt: u32,
    /// As it ran: what was asked for, or what an invalid attempt was adjusted to.
    pub load: SessionLoad,
    /// Start, nanoseconds since the start of the run.
    pub at_ns: u64,
    /// When the window opened and closed, nanoseconds after the start of the sessions.
    pub opened_ns: u64,
    pub closed_ns: u64,
    /// Threads that carried the sessions.
    pub threads: u32,
    /// Those that had not run when the window would not wait any longer.
    pub threads_late: u32,
    /// Memory that each session took, bytes: resident set with all of them ready, less that before,
    /// over their number.
    pub session_bytes: u64,
    pub core_clocks: Vec<CoreClock>,
    pub shares: CpuShares,
    /// Where the work was done, as the device says itself; absent without an offload.
    #[serde(default)]
    pub device: Option<String>,
    /// CPU time of the device's threads within the window or, where it does not tell, of this process
    /// besides the sessions; absent without an offload.
    #[serde(default)]
    pub device_cpu_ns: Option<u64>,
    /// What the sessions did beside a neighbour and without one; absent in runs of engines that did
    /// not look.
    #[serde(default)]
    pub stretches: Option<Stretches>,
    /// One of so many messages was timed by itself.
    pub timed_every: u64,
    /// How long those took that were timed within the window, the cost of reading the clock
    /// subtracted. With an offered load from when they were due, so that waiting counts.
    pub latencies: Vec<LatencyCount>,
    pub moments: Vec<Moment>,
    /// What the machine's meters showed meanwhile; absent where none can be read.
    #[serde(default)]
    pub energy: Option<Readings>,
    pub figures: SessionFigures,
    /// Why it does not count; empty when it is valid.
    pub objections: Vec<Objection>,
}

/// The clock of one CPU.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CoreClock {
    pub cpu: u32,
    /// Before the sessions began, with nothing else on it.
    pub alone_hz: f64,
    /// Median of what threads on it saw at both edges of the window; absent where none was there.
    pub loaded_hz: Option<f64>,
    /// The same of the opening and of the closing edge alone.
    pub opened_hz: Option<f64>,
    pub closed_hz: Option<f64>,
    /// How much later its wall clock is than that of the first CPU of the set, nanoseconds, as far as
    /// that can be told.
    pub offset_ns: f64,
    /// Whether work on another CPU of the set slows it, as where both are threads of one core; absent
    /// where there is no other, and where nobody looked.
    #[serde(default)]
    pub shares_core: Option<bool>,
}

/// What threads did between two looks at their core, about a millisecond apart: where neither found
/// another thread on it, and where one of them did. The looks themselves are in neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stretches {
    pub quiet: Stretch,
    pub crowded: Stretch,
}

/// A sum over stretches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stretch {
    /// How many.
    pub count: u64,
    /// Thread CPU time, and the same in cycles of the core clock at that time.
    pub cpu_ns: u64,
    pub cycles: f64,
    pub messages: u64,
    pub bytes: u64,
}

impl std::ops::Add for Stretch {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            cpu_ns: self.cpu_ns + other.cpu_ns,
            cycles: self.cycles + other.cycles,
            messages: self.messages + other.messages,
            bytes: self.bytes + other.bytes,
        }
    }
}

impl std::ops::Add for Stretches {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { quiet: self.quiet + other.quiet, crowded: self.crowded + other.crowded }
    }
}

/// Shares of the time of the CPUs within the window, by the kernel's own accounts (`/proc/stat`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CpuShares {
    /// All that ran there.
    pub busy: f64,
    /// This process alone.
    pub workload: f64,
    /// What the hypervisor took.
    pub steal: f64,
    pub idle: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LatencyCount {
    /// Longest time of those counted, good to 1 %.
    pub ns: u64,
    pub count: u64,
}

/// A look at the whole while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Moment {
    /// After the start of the sessions.
    pub at_ns: u64,
    /// Messages done by all sessions since their start.
    pub messages: u64,
    /// Core clock of one of the CPUs, in turn; only with an interval of half a second or longer.
    pub core_hz: Option<f64>,
    /// Of the hottest sensor, where the kernel shows one.
    pub temperature_c: Option<f64>,
    /// Times that the processor has throttled itself since boot, where the kernel counts them.
    pub throttles: Option<u64>,
}

/// What each session did within the window, in the order of their numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionFigures {
    pub messages: Vec<u64>,
    pub bytes: Vec<u64>,
    /// Thread CPU time. Sessions on a common thread have a part of its time by their messages.
    pub cpu_ns: Vec<u64>,
    /// Lives that began.
    pub begun: Vec<u32>,
    /// Times that the thread was taken off its CPU against its will; of a common thread the whole
    /// number stands with its first session.
    pub preemptions: Vec<u32>,
    /// Times that it waited of its own.
    pub waits: Vec<u32>,
    /// Times that it was found on another CPU than before.
    pub migrations: Vec<u32>,
}

/// Why an execution does not count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Objection {
    pub kind: ObjectionKind,
    /// What, how much, and what it should be.
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ObjectionKind {
    /// Others had too much of the CPUs.
    Overcommitted,
    /// The window opened before the rate was steady.
    NotSteady,
    /// Sessions did not run within the window.
    NeverRan,
    FewMessages,
    ClockMoved,
    /// CPU time differs too much between the sessions.
    Uneven,
    /// Others used the cores, if on other threads of them, nearly all the time.
    Crowded,
}
