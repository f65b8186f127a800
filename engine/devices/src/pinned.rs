//! Threads that stay on one CPU.

use std::io;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use ciphermark_harness::pinning;

/// Starts a thread on a CPU; the error of one that cannot be there is the kernel's.
pub fn start(
    cpu: u32,
    what: &str,
    body: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    let (tell, told) = mpsc::channel();
    let thread = thread::Builder::new().name(format!("{what} {cpu}")).spawn(move || {
        let pinned = pinning::pin(cpu);
        let usable = pinned.is_ok();
        if tell.send(pinned).is_ok() && usable {
            body();
        }
    })?;
    told.recv().unwrap_or_else(|_| Err(io::Error::other("its thread has ended")))?;
    Ok(thread)
}
