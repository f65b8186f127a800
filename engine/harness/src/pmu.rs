//! The hardware cycle counter, where the kernel gives one.

use perf_event::events::Hardware;
use perf_event::{Builder, Counter};

/// Counts core cycles of this thread in user mode.
pub struct CycleCounter(Counter);

impl CycleCounter {
    /// Opens and starts the counter; else a sentence that says why not.
    pub fn open() -> Result<Self, String> {
        let mut counter = Builder::new(Hardware::CPU_CYCLES)
            .exclude_kernel(true)
            .exclude_hv(true)
            .build()
            .map_err(|error| explain(&error))?;
        counter.enable().map_err(|error| explain(&error))?;
        Ok(Self(counter))
    }

    /// Cycles so far; none when the reading failed.
    pub fn read(&mut self) -> Option<u64> {
        self.0.read().ok()
    }
}

fn explain(error: &std::io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => "the kernel forbids it".into(),
        Some(libc::ENOENT | libc::EOPNOTSUPP | libc::ENODEV) => {
            "this machine has no cycle counter (usual in virtual machines)".into()
        }
        Some(libc::ENOSYS) => "the kernel has no perf_event_open".into(),
        _ => format!("perf_event_open failed: {error}"),
    }
}
