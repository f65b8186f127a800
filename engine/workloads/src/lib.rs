//! What is run on a provider's functions: deterministic inputs, the timed loops, and the checks
//! that their answers are right. One file per workload.

mod accounts;
pub mod agreement;
pub mod bounds;
pub mod buffer;
pub mod caches;
pub mod call;
pub mod checks;
mod cores;
pub mod execution;
pub mod failure;
pub mod inputs;
mod latencies;
mod memory;
pub mod offloaded;
pub mod packets;
pub mod sessions;
pub mod single;
mod stack;
pub mod vectors;
pub mod watched;
