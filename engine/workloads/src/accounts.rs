//! What became of the time of the CPUs, by the kernel's own accounts.

use ciphermark_harness::environment::{self, Ticks};
use ciphermark_harness::usage;
use ciphermark_record::sessions::CpuShares;

/// Accounts of the CPUs and of this process up to a moment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Accounts {
    cpus: usize,
    ticks: Option<Ticks>,
    process_ns: u64,
}

impl Accounts {
    pub fn read(cpus: &[u32]) -> Self {
        Self {
            cpus: cpus.len(),
            ticks: environment::cpu_ticks(cpus),
            process_ns: usage::process_cpu_ns(),
        }
    }

    /// CPU time of this process since an earlier reading.
    pub fn process_ns_since(&self, earlier: &Self) -> u64 {
        self.process_ns - earlier.process_ns
    }

    /// Shares of the CPUs' time in the `wall_ns` since an earlier reading; all 0 where the kernel does
    /// not tell.
    pub fn shares_since(&self, earlier: &Self, wall_ns: f64) -> CpuShares {
        let (Some(now), Some(then)) = (self.ticks, earlier.ticks) else {
            return CpuShares::default();
        };
        let steal = now.steal_share_since(then).unwrap_or(0.0);
        let idle = now.idle_share_since(then).unwrap_or(0.0);
        let used = self.process_ns_since(earlier) as f64;
        let workload = if wall_ns > 0.0 { used / wall_ns / self.cpus as f64 } else { 0.0 };
        CpuShares { busy: (1.0 - steal - idle).max(0.0), workload, steal, idle }
    }
}
