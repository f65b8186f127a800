//! Workload `sessions`: many sessions at once, each with its own key, nonces and buffers.
//!
//! One execution: threads make their sessions ready and park; all start together; the measurement
//! window opens when every thread has run. Each session's messages and CPU time are noted at both
//! edges of the window by the thread that carries it, so that what it did and what it used belong
//! together whenever the kernel lets it run. Its last answers are checked afterwards.

mod arrivals;
mod carrier;
mod controller;
mod gather;
pub(crate) mod neighbour;
mod ready;
mod session;
mod shared;
#[cfg(test)]
mod tests;
mod watch;

use ciphermark_harness::quota::Quota;
use ciphermark_record::sessions::{Contexts, SessionLoad, SessionsRun};

pub use controller::STACK_BYTES;

use crate::failure::Failure;
use crate::offloaded::wrapped;
use shared::Shared;

/// What an execution is made of.
pub type Execution<'a> = crate::execution::Execution<'a, SessionLoad>;

/// Runs the sessions once. Takes the execution time and what getting ready and checking take.
pub fn execute(execution: &Execution<'_>) -> Result<SessionsRun, Failure> {
    ready::check_room(execution)?;
    // Held until the execution is over.
    let _quota =
        execution.load.quota_cpus.map(Quota::of_cpus).transpose().map_err(Failure::Machine)?;
    let offloaded = wrapped(execution.provider, execution.case)?;
    offloaded.check(execution.algorithm, execution.case, execution.seed)?;
    let provider = offloaded.provider();
    match execution.load.contexts {
        Contexts::Own => controller::execute(&Execution { provider, ..*execution }, &offloaded),
        Contexts::Shared => {
            let provider = Shared::of(provider);
            controller::execute(&Execution { provider: &provider, ..*execution }, &offloaded)
        }
    }
}
