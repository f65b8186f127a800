//! UDP packets through a path: what the sender has offered, and what arrived.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::sessions::LatencyCount;

/// What `traffic send` prints at its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sent {
    /// Of all flows.
    pub packets: u64,
    /// Of these packets, their IP and UDP headers among them.
    pub bytes: u64,
    /// From the first packet to the end of the last call.
    pub wall_ns: u64,
    /// Of the sender's process in that time; where the kernel delivers in the sender's context, that
    /// is in it.
    pub cpu_ns: u64,
    /// Packets per second that were asked of all flows together; absent without a limit.
    pub asked_per_second: Option<f64>,
    /// Packets of each flow.
    pub flows: Vec<u64>,
    /// Packets that the kernel refused for want of room in a queue.
    pub refused: u64,
}

/// What `traffic receive` prints at its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Received {
    /// Of all flows.
    pub packets: u64,
    /// Of these packets, their IP and UDP headers among them.
    pub bytes: u64,
    /// From the first packet to the last.
    pub wall_ns: u64,
    /// Of the receiver's process, from the first packet to its end.
    pub cpu_ns: u64,
    /// Packets of each flow.
    pub flows: Vec<u64>,
    /// Packets with a lower number than one of their flow that came before (RFC 4737, section 3.3).
    pub reordered: u64,
    /// Packets, of those that were looked at, whose content was not what the sender wrote.
    pub altered: u64,
    /// Packets whose whole content was looked at.
    pub examined: u64,
    /// What was too short for a header of ours, or of no flow.
    pub foreign: u64,
    /// Bytes of the socket's buffer, as the kernel gave it.
    pub buffer_bytes: u64,
    /// From just before the call that sent a packet until it was received, good to 1 %,
    /// ascending.
    pub latencies: Vec<LatencyCount>,
}
