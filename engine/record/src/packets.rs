//! Packets that pass from one core to others: how they are to pass, and what their passes have shown.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::call::Operation;
use crate::energy::Readings;
use crate::sessions::{CoreClock, CpuShares, LatencyCount, Policy};

/// Packets that are submitted on one core and processed on others, through a bounded queue of batches.
///
/// A case's `keys` are its flows, each with a key of its own: packet n is of flow n modulo so many.
/// Its `lanes` are the packets that one call of the library takes, at most a batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PacketLoad {
    pub packets: u64,
    /// The CPUs that process them.
    pub cpus: Vec<u32>,
    /// The CPU that submits them. Where it is one of `cpus`, it processes packets too whenever the
    /// queue is full and when all are submitted.
    pub submit_cpu: u32,
    /// What is done to the answer of the first operation: `decrypt` after `encrypt`.
    #[serde(default)]
    pub then: Option<Operation>,
    /// Most packets of a batch, which is what the queue passes on.
    pub batch: u32,
    /// A batch is passed on so long after its first packet though it is not full, microseconds;
    /// absent where it waits until it is.
    #[serde(default)]
    pub flush_us: Option<f64>,
    /// Batches that each queue holds; a power of two.
    pub queue_batches: u32,
    #[serde(default)]
    pub delivery: Delivery,
    #[serde(default)]
    pub architecture: Architecture,
    #[serde(default)]
    pub waiting: Waiting,
    #[serde(default)]
    pub key_setup: KeySetup,
    /// Priorities that flows have in turn, 0 being the most urgent; each has a queue.
    #[serde(default = "one")]
    pub priorities: u32,
    /// Groups that flows belong to in turn: the CPUs of each, out of `cpus`; empty where all CPUs take
    /// all work.
    #[serde(default)]
    pub groups: Vec<Vec<u32>>,
    /// How the kernel schedules the threads that process them.
    #[serde(default)]
    pub policy: Policy,
    /// Packets submitted per second, evenly; absent where the next is submitted as soon as there is
    /// room for it.
    #[serde(default)]
    pub offered_per_s: Option<f64>,
    /// Batches that each CPU has at a device at once; 1 is synchronous. Only with an offload.
    #[serde(default = "one")]
    pub in_flight: u32,
    /// Pairs of passes, one without and one with the cryptographic work, at least.
    pub least_pairs: u32,
    /// After so long no further pair is begun, milliseconds.
    pub measure_ms: f64,
}

fn one() -> u32 {
    1
}

/// In which order packets are delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Delivery {
    /// As they are done.
    #[default]
    Unordered,
    /// As they were submitted within each flow, of which one CPU at a time has packets (atomic).
    PerFlow,
    /// As they were submitted. Several CPUs work on one flow at once.
    Ordered,
}

/// Which CPU does what of a packet's work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Architecture {
    /// The CPU that takes a packet does all of it.
    #[default]
    RunToCompletion,
    /// Each operation has CPUs of its own, and packets change between them.
    PinnedPipeline,
    /// Packets change between the operations, and any CPU does either.
    FreePipeline,
}

/// What a CPU does that finds no work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Waiting {
    /// It looks again.
    #[default]
    Poll,
    /// It sleeps until it is told that there is some.
    Block,
}

/// How often a key schedule is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KeySetup {
    /// Once for each flow and CPU, before the clock starts.
    #[default]
    Cached,
    /// Once for each flow in a batch.
    PerBatch,
    PerPacket,
}

/// All passes of a case of the workload `packets`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PacketsRun {
    pub case: u32,
    pub load: PacketLoad,
    /// Start, nanoseconds since the start of the run.
    pub at_ns: u64,
    /// Memory of packets, answers and queues, allocated before the clock starts.
    pub buffer_bytes: u64,
    /// In the order in which they were made, pair by pair, without the one that warms up.
    pub passes: Vec<Pass>,
    /// Of the CPUs that process packets and the one that submits them.
    pub core_clocks: Vec<CoreClock>,
    pub shares: CpuShares,
    /// One thread that processes the same packets from memory, without queue: what the function costs
    /// hot (a few packets that stay in the nearest cache) and cold (all of them, one after the other).
    pub alone: Option<Alone>,
    /// The implementation whose answers the packets' were compared with.
    pub checked_against: String,
    /// What the machine's meters showed during the passes; absent where none can be read.
    #[serde(default)]
    pub energy: Option<Readings>,
    /// Where the work was done, as the device says itself; absent without an offload.
    pub device: Option<String>,
}

/// Core cycles of the function alone, of all packets together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Alone {
    pub hot_cycles: f64,
    pub cold_cycles: f64,
}

/// All packets once through the queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pass {
    pub kind: PassKind,
    /// The first submission, nanoseconds since the start of the run; 0 in runs of engines that did
    /// not note it.
    #[serde(default)]
    pub at_ns: u64,
    /// From the first submission to the last delivery.
    pub wall_ns: f64,
    /// Core clock beside it: the median of the CPUs.
    pub core_hz: f64,
    /// Of the CPU that submits them first; those that process packets follow in the order of `cpus`.
    pub cores: Vec<CoreFigures>,
    /// From the submission of the first and of the last packet of each batch, which may wait for
    /// others, to its delivery. With an offered load from when they were due.
    pub latencies: Vec<LatencyCount>,
    /// The same of the packets of each priority, the most urgent first; empty where all have the same.
    #[serde(default)]
    pub latencies_by_priority: Vec<Vec<LatencyCount>>,
    /// Packets that were never delivered, or whose answer is not right.
    pub lost: u64,
    /// Deliveries of packets that were delivered before.
    pub duplicated: u64,
    /// Packets that were delivered after one that had to follow them.
    pub out_of_order: u64,
    /// Times that the queue had no room for a batch.
    pub queue_full: u64,
    /// Batches passed on because their time was over and not because they were full.
    pub flushed: u64,
    /// What the device told; only with an offload.
    pub device: Option<DeviceTimes>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PassKind {
    /// With the cryptographic work left out.
    Transfer,
    Processing,
}

/// What one CPU did in a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CoreFigures {
    pub cpu: u32,
    pub packets: u64,
    pub batches: u64,
    /// Thread CPU time within the pass.
    pub cpu_ns: u64,
    pub preemptions: u32,
    pub waits: u32,
    /// Useful work that was done while a device worked: core cycles of a chain of additions.
    pub useful_cycles: f64,
    /// Stretches of the pass between two looks at the core, some 5 ms apart, and those of them in
    /// which one of both found another thread on it.
    #[serde(default)]
    pub stretches: u32,
    #[serde(default)]
    pub crowded: u32,
}

/// Times of a device, summed over its submissions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceTimes {
    pub submissions: u64,
    /// Messages to the device; absent where it does not tell it apart, as the others.
    pub in_ns: Option<f64>,
    pub compute_ns: Option<f64>,
    /// Answers back.
    pub out_ns: Option<f64>,
    /// From submission to the answers, by the wall clock.
    pub wall_ns: f64,
}
