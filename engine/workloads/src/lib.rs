//! What is run on a provider's functions: deterministic inputs, the timed loops, and the checks
//! that their answers are right. One file per workload.

pub mod agreement;
pub mod buffer;
pub mod call;
pub mod checks;
pub mod inputs;
pub mod sessions;
pub mod single;
mod stack;
pub mod vectors;
