//! The machine's meters of energy and power: which there are, and reading them.
//!
//! Nothing here computes joules: a reading is a count of each meter and the time, and the workbench
//! works out what passed between two of them (`python/ciphermark/statistics/power.py`). Meters are read
//! by a thread of its own beside executions that take seconds, never within a timed slice.

mod battery;
mod hwmon;
mod iio;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod perf;
mod powercap;

use std::io::{self, ErrorKind};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use ciphermark_record::energy::{Meter, MeterScope, MeterSource, Quantity, Readings, Refusal};

use crate::environment::root::Root;
use crate::usage::ThreadUsage;

/// The folder that has `sys` in it, where that is not `/`: of a container that sees the host's files
/// elsewhere, and of tests.
pub const ROOT: &str = "CIPHERMARK_ENERGY_ROOT";

/// Readings take at most one part in so many of the time.
const MOST_SHARE: u32 = 1000;

/// After so long a processor's counter has many new values.
const SOON: Duration = Duration::from_millis(20);

/// How a count is read.
enum Gauge {
    /// A file that holds it.
    File(String),
    /// The product of two files: of a voltage and a current.
    Product(String, String),
    /// A battery's, which measures the machine only while it supplies it.
    Discharging { status: String, gauge: Box<Gauge> },
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    Event(perf::Event),
}

impl Gauge {
    fn read(&mut self, root: &Root) -> Result<i64, Refusal> {
        match self {
            Self::File(file) => number(root, file),
            Self::Product(first, second) => {
                let product = number(root, first)?.checked_mul(number(root, second)?);
                product.ok_or_else(|| broken(format!("{first} times {second} is too large")))
            }
            Self::Discharging { status, gauge } => match root.text(status).as_deref() {
                Some("Discharging") => gauge.read(root),
                state => Err(broken(format!(
                    "{status} says {}: a battery measures the machine only while it supplies it",
                    state.unwrap_or("nothing")
                ))),
            },
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            Self::Event(event) => event.read(),
        }
    }
}

/// Each with what its first reading says. Virtual machines show counters that stay at 0.
fn tried(mut found: Vec<Found>, root: &Root) -> Vec<Found> {
    let mut first: Vec<_> = found.iter_mut().map(|it| it.gauge.read(root)).collect();
    if first.contains(&Ok(0)) {
        thread::sleep(SOON);
    }
    for (Found { meter, gauge }, count) in found.iter_mut().zip(&mut first) {
        if *count == Ok(0) && meter.quantity == Quantity::Energy {
            *count = gauge.read(root);
        }
        meter.refused = match count {
            Ok(0) if meter.quantity == Quantity::Energy => {
                Some(broken(format!("{} stays at 0: nothing is counted here", meter.file)))
            }
            Ok(_) => None,
            Err(why) => Some(why.clone()),
        };
    }
    found
}

fn number(root: &Root, file: &str) -> Result<i64, Refusal> {
    let text = root.read(file).map_err(|why| refusal(file, &why))?;
    text.trim().parse().map_err(|_| broken(format!("{file} has no number: {:?}", text.trim())))
}

fn refusal(file: &str, why: &io::Error) -> Refusal {
    let permission = why.kind() == ErrorKind::PermissionDenied;
    Refusal { permission, message: format!("{file}: {why}") }
}

fn broken(message: String) -> Refusal {
    Refusal { permission: false, message }
}

/// A meter with the way to read it.
struct Found {
    meter: Meter,
    gauge: Gauge,
}

impl Found {
    /// A meter that never begins again, and does not say how often it has a new value: whoever knows
    /// more adds it.
    fn new(
        source: MeterSource,
        scope: MeterScope,
        name: String,
        quantity: Quantity,
        unit: f64,
        file: String,
        gauge: Gauge,
    ) -> Self {
        let (wraps_at, update_ms, refused) = (None, None, None);
        let meter =
            Meter { name, source, scope, quantity, unit, wraps_at, update_ms, file, refused };
        Self { meter, gauge }
    }

    fn updated_every(mut self, milliseconds: Option<f64>) -> Self {
        self.meter.update_ms = milliseconds;
        self
    }

    fn wrapping_at(mut self, counts: Option<u64>) -> Self {
        self.meter.wraps_at = counts;
        self
    }
}

/// Those that can be read.
pub struct Meters {
    root: Root,
    found: Vec<Found>,
}

impl Meters {
    /// All meters that the machine shows, each with the reason why it cannot be read where it cannot;
    /// and those that can.
    pub fn open() -> (Vec<Meter>, Self) {
        Self::under(std::env::var_os(ROOT).map_or_else(Root::default, Root::at))
    }

    fn under(root: Root) -> (Vec<Meter>, Self) {
        let mut found = tried(powercap::find(&root), &root);
        if found.iter().all(|it| it.meter.refused.is_some()) {
            // The same counters.
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            found.extend(tried(perf::find(&root), &root));
        }
        let others = [hwmon::find(&root), iio::find(&root), battery::find(&root)];
        found.extend(others.into_iter().flat_map(|those| tried(those, &root)));
        let all = found.iter().map(|it| it.meter.clone()).collect();
        found.retain(|it| it.meter.refused.is_none());
        (all, Self { root, found })
    }

    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// How long the machine is to be idle before something begins that takes so long: meters that have
    /// new values once in seconds need longer, which pays for what takes minutes.
    pub fn idle_for(&self, execution: Duration) -> Duration {
        const SHORTEST: Duration = Duration::from_millis(500);
        const LONGEST: Duration = Duration::from_secs(60);
        let wanted = if self.are_slow() { execution / 5 } else { SHORTEST };
        wanted.clamp(SHORTEST, LONGEST)
    }

    /// Whether all have new values so seldom that seconds tell nothing, as a battery has.
    fn are_slow(&self) -> bool {
        self.found.iter().all(|it| it.meter.update_ms.is_none_or(|update_ms| update_ms > 1000.0))
    }

    fn read(&mut self) -> Vec<Option<i64>> {
        let root = &self.root;
        self.found.iter_mut().map(|it| it.gauge.read(root).ok()).collect()
    }

    /// Reads all of them by turns in a thread of its own, so far apart, or further where reading them
    /// would take more than its share of the time. `now` tells the time of a reading.
    pub fn watch(self, apart: Duration, now: impl Fn() -> u64 + Send + 'static) -> Watch {
        let (end, ended) = mpsc::channel();
        let thread = thread::spawn(move || {
            let mut log = Log::of(self, now);
            loop {
                let wait = log.read().max(apart);
                match ended.recv_timeout(wait) {
                    Err(RecvTimeoutError::Timeout) => (),
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => break log.end(),
                }
            }
        });
        Watch { end, thread }
    }
}

/// Meters that are being read.
pub struct Watch {
    end: Sender<()>,
    thread: JoinHandle<(Meters, Readings)>,
}

impl Watch {
    /// Takes a last reading. The meters are given back; none where the thread has failed.
    pub fn end(self) -> Option<(Meters, Readings)> {
        drop(self.end);
        self.thread.join().ok()
    }
}

/// The readings so far.
struct Log<Now> {
    meters: Meters,
    now: Now,
    began: Instant,
    readings: Readings,
    cpu_ns: u64,
}

impl<Now: Fn() -> u64> Log<Now> {
    fn of(meters: Meters, now: Now) -> Self {
        let readings = Readings {
            meters: meters.found.iter().map(|it| it.meter.clone()).collect(),
            ..Readings::default()
        };
        Self { meters, now, began: Instant::now(), readings, cpu_ns: 0 }
    }

    /// Takes a reading. Returns how long none may be taken after it.
    fn read(&mut self) -> Duration {
        let used = ThreadUsage::read();
        self.readings.at_ns.push((self.now)());
        let counts = self.meters.read();
        self.readings.counts.push(counts);
        self.cpu_ns += ThreadUsage::read().since(used).cpu_ns;
        self.pause(self.began.elapsed())
    }

    /// How long to wait, so long after the beginning, that the next reading and the last one, which
    /// comes when it must, are within their share of the time too.
    fn pause(&self, passed: Duration) -> Duration {
        let one = Duration::from_nanos(self.reading_ns() as u64);
        let all = Duration::from_nanos(self.cpu_ns) + 2 * one;
        (MOST_SHARE * all).saturating_sub(passed).max(MOST_SHARE * one)
    }

    fn reading_ns(&self) -> f64 {
        self.cpu_ns as f64 / self.readings.at_ns.len() as f64
    }

    fn end(mut self) -> (Meters, Readings) {
        self.read();
        self.readings.reading_ns = self.reading_ns();
        (self.meters, self.readings)
    }
}

#[cfg(test)]
mod tests;
