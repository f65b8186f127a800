//! Ctrl-C and its kin: remembered, and asked for between two pieces of work.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Signal, set_parent_process_death_signal};
use signal_hook::consts::{SIGINT, SIGTERM};

/// Between two looks at whether Ctrl-C was pressed.
pub const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// What is under way when Ctrl-C is pressed may finish within this time.
const GRACE: Duration = Duration::from_millis(400);

/// Whether, and how long ago, the user asked to stop.
#[derive(Clone)]
pub struct Interrupt {
    started: Instant,
    /// Nanoseconds from `started` to the first signal; 0 for none.
    at_ns: Arc<AtomicU64>,
}

impl Interrupt {
    /// Takes over SIGINT and SIGTERM of this process, and has it go on when its parent has died, if it was
    /// stopped: else nothing would end it, as nobody reads its output.
    pub fn install() -> std::io::Result<Self> {
        set_parent_process_death_signal(Some(Signal::CONT))?;
        let interrupt = Self::none();
        for signal in [SIGINT, SIGTERM] {
            let interrupt = interrupt.clone();
            // SAFETY: the handler reads a monotonic clock and stores to an atomic; both are
            // async-signal-safe.
            unsafe { signal_hook::low_level::register(signal, move || interrupt.request()) }?;
        }
        Ok(interrupt)
    }

    /// One that never comes.
    pub fn none() -> Self {
        Self { started: Instant::now(), at_ns: Arc::new(AtomicU64::new(0)) }
    }

    /// Asks to stop, as Ctrl-C does. Only the first time counts.
    pub fn request(&self) {
        let now = (self.started.elapsed().as_nanos() as u64).max(1);
        let _ = self.at_ns.compare_exchange(0, now, Ordering::SeqCst, Ordering::SeqCst);
    }

    /// Asks to stop when nobody reads our standard output any more. Writing to it would say so too,
    /// but while a worker is waited for there is nothing to write.
    pub fn request_if_unread(&self) {
        let output = std::io::stdout();
        let mut pipe = [PollFd::new(&output, PollFlags::empty())];
        let polled = poll(&mut pipe, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
        if polled == Ok(1) && pipe[0].revents().contains(PollFlags::ERR) {
            self.request();
        }
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

    /// Whether what was under way when the user asked to stop has had its time to finish.
    pub fn is_due(&self) -> bool {
        self.since().is_some_and(|since| since > GRACE)
    }
}
