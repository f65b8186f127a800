//! Runs a plan.
//!
//! The supervisor starts one worker process per provider and set of switches, all pinned to the
//! same CPU, and lets one of them work at a time:
//!
//! 1. [`verification`]: every implementation passes its vectors and agrees with the others.
//! 2. [`rounds`]: cases are measured in rounds of shuffled order until each has converged; or
//!    [`sessions`]: each is executed by many threads at once, judged, and executed again.
//!
//! A worker that dies turns the case it was working on into an error; a new one takes its place.

mod active;
mod agreement;
mod bounds;
mod budget;
mod cases;
mod code_paths;
mod descendants;
mod driver_caches;
mod energy;
mod events;
mod extent;
mod facts;
mod files;
mod hangs;
mod interrupt;
mod measuring_cpu;
mod memory;
mod oracle;
mod output;
mod packets;
mod parts;
mod pool;
mod process;
mod protocol;
mod refusal;
mod round;
mod rounds;
mod run;
mod selection;
mod sentence;
mod sessions;
mod settling;
mod switches;
mod timing;
mod unrest;
mod validate;
mod vectors;
mod verification;
mod waiting;
mod withdrawal;
mod worker;
mod worker_handle;
mod worker_key;

pub use agreement::Lengths;
pub use facts::describe;
pub use interrupt::Interrupt;
pub use output::Output;
pub use run::{RunError, Surroundings, run};
pub use selection::Selection;
pub use sentence::shortened;
pub use validate::validate;
pub use vectors::verify;
pub use worker::{Start, serve};
