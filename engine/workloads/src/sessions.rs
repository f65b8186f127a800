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
mod neighbour;
mod ready;
mod session;
mod shared;
#[cfg(test)]
mod tests;
mod watch;

use ciphermark_harness::Calibration;
use ciphermark_harness::quota::Quota;
use ciphermark_providers::api::Provider;
use ciphermark_record::description::Algorithm;
use ciphermark_record::plan::Case;
use ciphermark_record::sessions::{Contexts, SessionLoad, SessionsRun};

use crate::failure::Failure;
use shared::Shared;

/// What an execution is made of.
pub struct Means<'a> {
    pub provider: &'a dyn Provider,
    pub algorithm: &'a Algorithm,
    pub case: &'a Case,
    /// How its sessions run.
    pub load: &'a SessionLoad,
    pub seed: u64,
    pub calibration: &'a Calibration,
}

/// Runs the sessions once. Takes the execution time and what getting ready and checking take.
pub fn execute(means: &Means<'_>) -> Result<SessionsRun, Failure> {
    ready::check_room(means)?;
    // Held until the execution is over.
    let _quota = means.load.quota_cpus.map(Quota::of_cpus).transpose().map_err(Failure::Machine)?;
    match means.load.contexts {
        Contexts::Own => controller::execute(means),
        Contexts::Shared => {
            let provider = Shared::of(means.provider);
            controller::execute(&Means { provider: &provider, ..*means })
        }
    }
}
