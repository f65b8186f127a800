//! What the kernel says of this process and of time.

use std::io;

/// Of the monotonic clock, which all network namespaces of a machine share.
pub fn now_ns() -> u64 {
    clock_ns(libc::CLOCK_MONOTONIC)
}

/// CPU time of this process, that within the kernel too.
pub fn cpu_ns() -> u64 {
    clock_ns(libc::CLOCK_PROCESS_CPUTIME_ID)
}

fn clock_ns(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes to a structure of ours that lives longer than the call; both clocks
    // exist on every Linux, so that the call cannot fail.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Lets the kernel wake this thread when it asks to be woken, and not up to 50 µs later.
pub fn wake_in_time() {
    // SAFETY: the call takes numbers alone; where it fails, waking is less exact.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1_u64, 0_u64, 0_u64, 0_u64) };
}

/// Waits until the socket has something or standard input has been closed, at most so many
/// milliseconds, and returns whether that has been closed. One that is known to be closed is not
/// watched: it would be ready at all times.
pub fn wait(socket: i32, milliseconds: i32, is_closed: bool) -> io::Result<bool> {
    let entry = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    let mut both = [entry(socket), entry(0)];
    let count = if is_closed { 1 } else { 2 };
    // SAFETY: there are two entries, and at most two are said to be there.
    let ready = unsafe { libc::poll(both.as_mut_ptr(), count, milliseconds) };
    if ready < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    Ok(is_closed || both[1].revents != 0)
}
