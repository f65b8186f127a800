//! How much memory a worker may take.

use ciphermark_harness::environment;
use ciphermark_record::plan::{Case, Load};
use ciphermark_workloads::sessions::STACK_BYTES;

/// Of what is free when a run begins. Cases are refused that would take half of what is free, and those
/// that are kept ready leave three quarters of it.
const SHARE: f64 = 0.75;

/// What libraries have besides, of which little is touched: tables, heaps of threads.
const OF_LIBRARIES: u64 = 128 << 20;
/// Stacks of the threads that devices and the harness start on each CPU.
const OF_EACH_CPU: u64 = 32 << 20;

/// Bytes for a worker of any of these cases, on a machine where it may use so many CPUs; absent where the
/// kernel does not tell how much is free.
///
/// Stacks of sessions count in whole, since the kernel's bound does not ask whether memory was touched.
pub fn of_worker(cases: &[Case], cpus: usize) -> Option<u64> {
    let free = environment::available_bytes()?;
    let threads = cases.iter().map(|case| match &case.load {
        Load::Sessions(load) => u64::from(load.sessions) + u64::from(load.neighbours),
        Load::Single { .. } | Load::Packets(_) => 0,
    });
    let stacks = threads.max().unwrap_or(0) * STACK_BYTES as u64;
    Some((free as f64 * SHARE) as u64 + OF_LIBRARIES + cpus as u64 * OF_EACH_CPU + stacks)
}
