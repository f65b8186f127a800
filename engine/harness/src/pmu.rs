//! The hardware cycle counter, where the kernel gives one.

use perf_event::events::{Event, Hardware};
use perf_event::{Builder, Counter, Sampler};

/// Counts core cycles of this thread in user mode. A system call around each slice would be thousands of
/// cycles beside some ten thousand, and go through the kernel's code in the caches, so the counter is
/// read by an instruction (RDPMC) where the kernel maps the page that says how.
pub struct CycleCounter(Source);

enum Source {
    /// By an instruction, or by a system call while the counter is not in the processor.
    Page(Sampler),
    Call(Counter),
}

impl CycleCounter {
    /// Opens and starts the counter; else a sentence that says why not.
    pub fn open() -> Result<Self, String> {
        Self::of(Hardware::CPU_CYCLES)
    }

    fn of(event: impl Event + Clone) -> Result<Self, String> {
        // The page may be refused where the counter is not: what may be locked in memory is bounded.
        if let Ok(sampler) = build(event.clone())?.sampled(0) {
            return Ok(Self(Source::Page(sampler)));
        }
        build(event).map(|counter| Self(Source::Call(counter)))
    }

    /// Cycles so far; none when the reading failed.
    #[inline]
    pub fn read(&mut self) -> Option<u64> {
        match &mut self.0 {
            Source::Page(sampler) => {
                sampler.read_user().count().or_else(|| sampler.as_counter_mut().read().ok())
            }
            Source::Call(counter) => counter.read().ok(),
        }
    }
}

fn build(event: impl Event) -> Result<Counter, String> {
    let counter = Builder::new(event).exclude_kernel(true).exclude_hv(true).build();
    let mut counter = counter.map_err(|error| explain(&error))?;
    counter.enable().map_err(|error| explain(&error))?;
    Ok(counter)
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

#[cfg(test)]
mod tests {
    use perf_event::events::Software;

    use super::*;

    /// Spins until a counter has moved by so much, or for long.
    fn moves(counter: &mut CycleCounter, by: u64) -> bool {
        let start = counter.read().expect("it can be read");
        (0..100_000_000).any(|_| counter.read().is_some_and(|now| now - start >= by))
    }

    /// Software events have the page of hardware ones and no instruction that reads them.
    #[test]
    fn what_no_instruction_reads_is_asked_of_the_kernel() {
        let Ok(mut counter) = CycleCounter::of(Software::TASK_CLOCK) else {
            println!("skipped: the kernel gives no counters here");
            return;
        };
        assert!(moves(&mut counter, 1_000), "nanoseconds pass");
        let by_call = build(Software::TASK_CLOCK).expect("it was opened before");
        assert!(moves(&mut CycleCounter(Source::Call(by_call)), 1_000));
    }

    #[test]
    fn what_an_instruction_reads_is_what_the_kernel_counts() {
        let Ok(CycleCounter(Source::Page(mut sampler))) = CycleCounter::open() else {
            println!("skipped: no cycle counter with a page here");
            return;
        };
        let Some(first) = sampler.read_user().count() else {
            println!("skipped: the kernel lets no user code read it");
            return;
        };
        let between = sampler.as_counter_mut().read().expect("it can be read");
        let last = sampler.read_user().count().expect("it could be read before");
        assert!(first <= between && between <= last, "{first} {between} {last}");
    }
}
