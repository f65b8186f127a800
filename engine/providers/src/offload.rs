//! Work that is done elsewhere than on the calling core.
//!
//! What can do so is a [`crate::api::Device`]. [`Synchronous`] makes a function of one, so that vectors,
//! agreement and the workload `sessions` call it as any other; [`Cores`] makes a device of other CPUs
//! of this machine, for the functions of any provider.

mod cores;
pub(crate) mod pinned;
mod synchronous;

pub use cores::Cores;
pub use synchronous::Synchronous;
