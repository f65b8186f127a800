//! UDP packets through a path: a sender that offers them at a rate, and a receiver that counts what
//! arrives, in which order and after how long.
//!
//! Both run on one machine, in network namespaces of their own, so that one monotonic clock tells how
//! long a packet was under way. Both take whole batches from the kernel and give it whole batches, as
//! a system call for each packet would cost more than a packet does.

mod datagrams;
mod header;
mod pace;
mod process;
mod receive;
mod send;

pub use header::{HEADERS, MOST_FLOWS, SHORTEST};
pub use receive::{Receiving, receive};
pub use send::{Sending, send};

/// Longest time that packets are sent or waited for.
pub const LONGEST_S: f64 = 600.0;
/// Packets per second that can be asked at most.
pub const HIGHEST_RATE: f64 = 20e6;
