//! How the kernel schedules the calling thread.

use std::io;
use std::num::NonZeroU64;

use ciphermark_record::sessions::Policy;
use rustix::process::setpriority_process;
use rustix::thread::set_current_timer_slack;

/// Priority of a real-time thread: the lowest, as any of them is before all others.
const REAL_TIME_PRIORITY: i32 = 1;

/// Sets policy and nice level of the calling thread. Raising the priority needs a privilege.
pub fn set(policy: Policy, nice: i32) -> io::Result<()> {
    set_policy(policy)?;
    // On Linux no process is the calling thread.
    Ok(setpriority_process(None, nice)?)
}

/// Sets the policy of the calling thread, whose nice level stays.
pub fn set_policy(policy: Policy) -> io::Result<()> {
    let (number, priority) = match policy {
        Policy::Other => (libc::SCHED_OTHER, 0),
        Policy::Batch => (libc::SCHED_BATCH, 0),
        Policy::Idle => (libc::SCHED_IDLE, 0),
        Policy::RoundRobin => (libc::SCHED_RR, REAL_TIME_PRIORITY),
    };
    // The kernel itself is asked: musl refuses to, as POSIX means whole processes here. Its structure
    // of parameters is one number.
    let call = libc::SYS_sched_setscheduler;
    // SAFETY: the pointer is to parameters that live during the call; 0 names the calling thread.
    match unsafe { libc::syscall(call, 0, number, &raw const priority) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Lets the calling thread wake when it wanted to, where the kernel else adds 50 µs to save power.
pub fn wake_punctually() -> io::Result<()> {
    Ok(set_current_timer_slack(Some(NonZeroU64::MIN))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_may_lower_its_own_priority() {
        for policy in [Policy::Other, Policy::Batch, Policy::Idle] {
            std::thread::spawn(move || {
                set(policy, 19).expect("lower is always allowed");
                assert_eq!(rustix::process::getpriority_process(None), Ok(19));
                wake_punctually().expect("slack is the thread's own");
            })
            .join()
            .expect("the thread ends");
        }
    }
}
