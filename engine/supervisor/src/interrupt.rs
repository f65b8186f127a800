//! Ctrl-C and its kin: remembered, and asked for between two pieces of work.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGINT, SIGTERM};

/// Whether, and how long ago, the user asked to stop.
#[derive(Clone)]
pub struct Interrupt {
    started: Instant,
    /// Nanoseconds from `started` to the first signal; 0 for none.
    at_ns: Arc<AtomicU64>,
}

impl Interrupt {
    /// Takes over SIGINT and SIGTERM of this process.
    pub fn install() -> std::io::Result<Self> {
        let interrupt = Self::none();
        for signal in [SIGINT, SIGTERM] {
            let (started, at_ns) = (interrupt.started, Arc::clone(&interrupt.at_ns));
            // SAFETY: the handler reads a monotonic clock and stores to an atomic; both are
            // async-signal-safe.
            unsafe {
                signal_hook::low_level::register(signal, move || {
                    let now = (started.elapsed().as_nanos() as u64).max(1);
                    let _ = at_ns.compare_exchange(0, now, Ordering::SeqCst, Ordering::SeqCst);
                })?;
            }
        }
        Ok(interrupt)
    }

    /// One that never comes.
    pub fn none() -> Self {
        Self { started: Instant::now(), at_ns: Arc::new(AtomicU64::new(0)) }
    }

    /// Time since the user asked to stop; none when nobody did.
    pub fn since(&self) -> Option<Duration> {
        match self.at_ns.load(Ordering::SeqCst) {
            0 => None,
            at => Some(self.started.elapsed().saturating_sub(Duration::from_nanos(at))),
        }
    }

    pub fn requested(&self) -> bool {
        self.since().is_some()
    }
}
