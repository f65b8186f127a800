//! What the kernel says that a thread or this process has used.

use rustix::time::{ClockId, clock_gettime};

/// A thread's account up to now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadUsage {
    pub cpu_ns: u64,
    /// Times that it was taken off its CPU against its will.
    pub preemptions: u64,
    /// Times that it gave its CPU up, to wait.
    pub waits: u64,
}

impl ThreadUsage {
    /// Of the calling thread. The CPU clock is read last.
    pub fn read() -> Self {
        let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: the pointer is to a writable rusage, all of whose bit patterns are valid.
        let usage = unsafe {
            libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
            usage.assume_init()
        };
        Self {
            preemptions: usage.ru_nivcsw as u64,
            waits: usage.ru_nvcsw as u64,
            cpu_ns: nanoseconds(ClockId::ThreadCPUTime),
        }
    }

    /// What was used since an earlier reading.
    pub fn since(self, earlier: Self) -> Self {
        Self {
            cpu_ns: self.cpu_ns - earlier.cpu_ns,
            preemptions: self.preemptions - earlier.preemptions,
            waits: self.waits - earlier.waits,
        }
    }
}

/// CPU time of all threads of this process, those that have ended included.
pub fn process_cpu_ns() -> u64 {
    nanoseconds(ClockId::ProcessCPUTime)
}

pub(crate) fn nanoseconds(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn working_takes_cpu_time_and_sleeping_is_a_wait() {
        let (thread, process) = (ThreadUsage::read(), process_cpu_ns());
        let mut sum = 0_u64;
        (0..3_000_000_u64).for_each(|it| sum = std::hint::black_box(sum.wrapping_add(it)));
        std::thread::sleep(std::time::Duration::from_millis(1));
        let used = ThreadUsage::read().since(thread);
        assert!(used.cpu_ns > 0 && used.waits > 0, "{used:?}");
        assert!(process_cpu_ns() - process >= used.cpu_ns);
    }
}
