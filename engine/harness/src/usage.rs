//! What the kernel says that a thread or this process has used.

use std::os::unix::thread::JoinHandleExt;
use std::thread::JoinHandle;

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

/// The kernel's monotonic clock, which all processes share.
pub fn monotonic_ns() -> u64 {
    nanoseconds(ClockId::Monotonic)
}

/// CPU time of all threads of this process, those that have ended included.
pub fn process_cpu_ns() -> u64 {
    nanoseconds(ClockId::ProcessCPUTime)
}

/// What musl gives for the clock of a thread that has ended: the number of the clock of thread 0, and
/// to the kernel that is whoever asks.
const NOBODYS_CLOCK: libc::clockid_t = -2;

/// CPU time of another thread; 0 when it has ended.
pub fn cpu_ns_of<T>(thread: &JoinHandle<T>) -> u64 {
    let mut clock = 0;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a thread that was not joined or detached, as nobody can while its handle is borrowed, has
    // a valid identifier also when it has ended; both pointers are to writable values of their types.
    let told = unsafe {
        libc::pthread_getcpuclockid(thread.as_pthread_t() as libc::pthread_t, &raw mut clock) == 0
            && clock != NOBODYS_CLOCK
            && libc::clock_gettime(clock, &raw mut time) == 0
    };
    if told { time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64 } else { 0 }
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
        // The process's clock first, and last below: it has whatever the thread has between its two.
        let process = process_cpu_ns();
        let thread = ThreadUsage::read();
        let mut sum = 0_u64;
        (0..3_000_000_u64).for_each(|it| sum = std::hint::black_box(sum.wrapping_add(it)));
        std::thread::sleep(std::time::Duration::from_millis(1));
        let used = ThreadUsage::read().since(thread);
        assert!(used.cpu_ns > 0 && used.waits > 0, "{used:?}");
        assert!(process_cpu_ns() - process >= used.cpu_ns);
    }

    #[test]
    fn the_account_of_another_thread_is_its_own() {
        let (tell, told) = std::sync::mpsc::channel();
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            let mut sum = 0_u64;
            (0..3_000_000_u64).for_each(|it| sum = std::hint::black_box(sum.wrapping_add(it)));
            tell.send(ThreadUsage::read().cpu_ns).expect("the test listens");
            let _ = ended.recv();
        });
        let own = told.recv().expect("the thread tells");
        assert!(own > 0 && cpu_ns_of(&thread) >= own);
        drop(end);
    }
}
