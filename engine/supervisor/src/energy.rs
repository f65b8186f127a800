//! Reading the machine's meters beside executions that take seconds.

use std::thread;
use std::time::{Duration, Instant};

use ciphermark_harness::energy::Meters;
use ciphermark_harness::{Clock, HostClock};
use ciphermark_record::energy::Readings;

use crate::interrupt::Interrupt;

/// Readings of an execution, unless it is so short that they would be further apart than
/// [`CLOSEST`].
const WANTED: u32 = 500;

/// A processor's counter has some five new values between two readings.
const CLOSEST: Duration = Duration::from_millis(5);
const FURTHEST: Duration = Duration::from_secs(1);

/// The meters that can be read, between two executions.
#[derive(Default)]
pub struct Metering {
    meters: Option<Meters>,
    start_ticks: u64,
    ticks_per_ns: f64,
}

impl Metering {
    /// Times are since the start of the run.
    pub fn open(start_ticks: u64, ticks_per_ns: f64) -> Self {
        let (_, meters) = Meters::open();
        Self { meters: Some(meters).filter(|it| !it.is_empty()), start_ticks, ticks_per_ns }
    }

    /// Leaves the machine idle for a while and does then what takes about so long, reading all meters
    /// meanwhile. Where none can be read it is done at once.
    pub fn beside<T>(
        &mut self,
        lasts: Duration,
        interrupt: &Interrupt,
        work: impl FnOnce() -> T,
    ) -> (T, Option<Readings>) {
        let Some(meters) = self.meters.take() else { return (work(), None) };
        let idle = meters.idle_for(lasts);
        let apart = (lasts / WANTED).clamp(CLOSEST, FURTHEST);
        let (start_ticks, ticks_per_ns) = (self.start_ticks, self.ticks_per_ns);
        let now = move || {
            let since = HostClock::without_pmu(ticks_per_ns).ticks().saturating_sub(start_ticks);
            (since as f64 / ticks_per_ns) as u64
        };
        let watch = meters.watch(apart, now);
        rest(idle, interrupt);
        let idle_until_ns = now();
        let outcome = work();
        let Some((meters, readings)) = watch.end() else { return (outcome, None) };
        self.meters = Some(meters);
        (outcome, Some(Readings { idle_until_ns, ..readings }))
    }
}

/// Does nothing for so long, or until the user asks for an end.
fn rest(idle: Duration, interrupt: &Interrupt) {
    const LOOK: Duration = Duration::from_millis(50);
    let until = Instant::now() + idle;
    while Instant::now() < until && !interrupt.requested() {
        thread::sleep(LOOK.min(until.saturating_duration_since(Instant::now())));
    }
}
