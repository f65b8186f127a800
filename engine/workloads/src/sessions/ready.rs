//! What is seen to before the threads start.

use ciphermark_harness::environment;
use ciphermark_providers::api::{Expansion, input_bytes, output_bytes};
use ciphermark_record::plan::{Buffers, Offload};
use ciphermark_record::sessions::Threads;

use super::Execution;
use crate::caches;
use crate::failure::Failure;
use crate::single::longest;

/// Memory that a thread touches: stack, histogram, what the library keeps for it.
const THREAD_BYTES: u64 = 96 << 10;
/// Memory that a session takes besides its messages: contexts, keys, answers kept for checking.
const SESSION_BYTES: u64 = 24 << 10;

/// Refuses what the machine has no memory for, before it is taken.
pub fn check_room(execution: &Execution<'_>) -> Result<(), Failure> {
    let load = execution.load;
    let each = session_bytes(execution);
    let threads = u64::from(threads(execution));
    let neighbours = u64::from(load.neighbours) * caches::beyond_bytes() as u64;
    let needed = u64::from(load.sessions) * each + threads * THREAD_BYTES + neighbours;
    match environment::available_bytes() {
        Some(free) if needed > free / 2 => Err(Failure::Machine(format!(
            "{} sessions of {} kB and {threads} threads of {} kB would take {:.1} GB, over half of \
             the {:.1} GB that are free: write fewer --sessions or smaller --sizes",
            load.sessions,
            each / 1000,
            THREAD_BYTES / 1000,
            needed as f64 / 1e9,
            free as f64 / 1e9,
        ))),
        _ => Ok(()),
    }
}

/// Threads that carry the sessions.
pub fn threads(execution: &Execution<'_>) -> u32 {
    match execution.load.threads {
        Threads::PerSession => execution.load.sessions,
        Threads::PerCpu => execution.load.sessions.min(execution.load.cpus.len() as u32),
    }
}

/// The message as it was made, as it is given to the function, and its answer; what is under way to
/// other CPUs once more.
fn session_bytes(execution: &Execution<'_>) -> u64 {
    let (case, expansion) = (execution.case, Expansion::of(execution.algorithm));
    let longest = longest(case);
    let given = input_bytes(case.operation, longest, expansion)
        + output_bytes(case.operation, longest, expansion);
    let under_way = if case.offload == Offload::Cores { given } else { 0 };
    let ring = match case.buffers {
        Buffers::Stream => 2 * caches::beyond_bytes() / execution.load.sessions.max(1) as usize,
        _ => 0,
    };
    SESSION_BYTES + (longest + given + under_way + ring) as u64
}
