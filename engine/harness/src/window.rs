//! Measurement window and end of an execution that many threads share.
//!
//! Threads get ready, then park at the [`Gate`](crate::crew::Gate). Whoever controls them opens it when all
//! are there, and the window when all have run. Each thread looks at the wall clock itself and needs nobody to
//! tell it that it is over: the end is set before the gate opens.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Where an execution is, as its threads see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Under way, but not measured yet.
    Before,
    Open,
    /// Measured, but still under way, so that the others are not alone at the end of theirs.
    Closed,
    Over,
}

/// The window on the wall clock that the threads read, in ticks.
pub struct Window {
    opens: AtomicU64,
    closes: AtomicU64,
    ends: AtomicU64,
    stopped: AtomicBool,
    /// Threads that have done something since the start.
    ran: AtomicU32,
}

impl Window {
    /// A window that nobody has opened by `ends` stays shut.
    pub fn until(ends: u64) -> Self {
        Self {
            opens: AtomicU64::new(u64::MAX),
            closes: AtomicU64::new(u64::MAX),
            ends: AtomicU64::new(ends),
            stopped: AtomicBool::new(false),
            ran: AtomicU32::new(0),
        }
    }

    /// Sets all three moments. The window closes and ends before it opens for nobody: threads see
    /// `opens` last.
    pub fn set(&self, opens: u64, closes: u64, ends: u64) {
        self.ends.store(ends, Ordering::Relaxed);
        self.closes.store(closes, Ordering::Relaxed);
        self.opens.store(opens, Ordering::Release);
    }

    /// Ends the execution now: what one thread has met makes the work of the others worthless.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    #[inline]
    pub fn phase(&self, now: u64) -> Phase {
        if self.is_stopped() || now >= self.ends.load(Ordering::Relaxed) {
            Phase::Over
        } else if now < self.opens.load(Ordering::Acquire) {
            Phase::Before
        } else if now < self.closes.load(Ordering::Relaxed) {
            Phase::Open
        } else {
            Phase::Closed
        }
    }

    /// When what comes after `now` begins; for whoever sleeps.
    pub fn next_change(&self, now: u64) -> u64 {
        let moments = [&self.opens, &self.closes, &self.ends];
        let moments = moments.map(|moment| moment.load(Ordering::Relaxed));
        moments.into_iter().filter(|&moment| moment > now).min().unwrap_or(now)
    }

    /// A thread says, once, that it has run.
    pub fn has_run(&self) {
        self.ran.fetch_add(1, Ordering::Relaxed);
    }

    pub fn ran(&self) -> u32 {
        self.ran.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_follow_each_other() {
        let window = Window::until(1000);
        assert_eq!([0, 999, 1000].map(|now| window.phase(now)), {
            [Phase::Before, Phase::Before, Phase::Over]
        });
        window.set(100, 200, 300);
        let phases = [99, 100, 199, 200, 299, 300].map(|now| window.phase(now));
        use Phase::{Before, Closed, Open, Over};
        assert_eq!(phases, [Before, Open, Open, Closed, Closed, Over]);
        assert_eq!([0, 100, 250, 300].map(|now| window.next_change(now)), [100, 200, 300, 300]);
    }

    #[test]
    fn a_stopped_execution_is_over_at_once() {
        let window = Window::until(1000);
        window.set(100, 200, 300);
        window.stop();
        assert_eq!(window.phase(150), Phase::Over);
    }
}
