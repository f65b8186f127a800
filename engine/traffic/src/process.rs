//! What the kernel says of this process and of time.

use std::io;
use std::net::UdpSocket;
use std::num::NonZeroU64;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::thread::set_current_timer_slack;
use rustix::time::{ClockId, clock_gettime};

/// Of the monotonic clock, which all network namespaces of a machine share.
pub fn now_ns() -> u64 {
    clock_ns(ClockId::Monotonic)
}

/// CPU time of this process, that within the kernel too.
pub fn cpu_ns() -> u64 {
    clock_ns(ClockId::ProcessCPUTime)
}

fn clock_ns(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Lets the kernel wake this thread when it asks to be woken, and not up to 50 µs later.
pub fn wake_in_time() {
    // Where that fails, waking is less exact.
    let _ = set_current_timer_slack(Some(NonZeroU64::MIN));
}

/// Waits until the socket has something or standard input has been closed, at most so long, and returns
/// whether that has been closed. One that is known to be closed is not watched: it would be ready at all
/// times.
pub fn wait(socket: &UdpSocket, longest: Duration, is_closed: bool) -> io::Result<bool> {
    let input = rustix::stdio::stdin();
    let mut both = [PollFd::new(socket, PollFlags::IN), PollFd::new(&input, PollFlags::IN)];
    let watched = if is_closed { &mut both[..1] } else { &mut both[..] };
    let longest = Timespec::try_from(longest).map_err(io::Error::other)?;
    match poll(watched, Some(&longest)) {
        Ok(_) | Err(Errno::INTR) => Ok(is_closed || !both[1].revents().is_empty()),
        Err(error) => Err(error.into()),
    }
}
