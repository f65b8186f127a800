//! The CPUs: how fast each runs, whether their wall clocks agree, and which share a core.

mod siblings;

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use ciphermark_harness::{Calibration, Clock, HostClock, crew};

use crate::failure::Failure;

/// Looks from which a CPU's clock is told. An interruption can only make a look slow.
const LOOKS: usize = 25;

/// Readings that two CPUs exchange; that with the shortest way counts.
const EXCHANGES: u64 = 500;

/// The core clock of the CPU that the calling thread is on: the best of some looks.
pub fn core_hz(calibration: &Calibration, clock: &mut impl Clock, looks: usize) -> f64 {
    (0..looks).map(|_| calibration.look(clock).core_hz).fold(0.0, f64::max)
}

/// A CPU that nothing of ours runs on.
#[derive(Clone, Copy, Debug)]
pub struct Alone {
    pub cpu: u32,
    pub core_hz: f64,
    /// How much later its wall clock is than that of the first CPU.
    pub offset_ns: f64,
    /// Whether work on another of them slows it; absent where there is no other.
    pub shares_core: Option<bool>,
}

/// Looks at all these CPUs.
pub fn alone(cpus: &[u32], calibration: &Calibration) -> Result<Vec<Alone>, Failure> {
    // First of each by itself: a CPU that cannot be used is found before two wait for each other.
    let hz: Result<Vec<f64>, Failure> =
        cpus.iter().map(|&cpu| core_hz_on(cpu, calibration)).collect();
    let hz = hz?;
    let shares_core = siblings::shares_core(cpus, calibration);
    let look = |((&cpu, core_hz), shares_core)| {
        let offset_ns = offset_ticks(cpus[0], cpu)? / calibration.ticks_per_ns;
        Ok(Alone { cpu, core_hz, offset_ns, shares_core })
    };
    cpus.iter().zip(hz).zip(shares_core).map(look).collect()
}

/// The core clock of one CPU, from a thread that is moved there for it.
fn core_hz_on(cpu: u32, calibration: &Calibration) -> Result<f64, Failure> {
    on(cpu, || core_hz(calibration, &mut HostClock::without_pmu(calibration.ticks_per_ns), LOOKS))
}

/// How many ticks later the wall clock of `cpu` is than that of `first`: half the difference between
/// the way there and the way back.
fn offset_ticks(first: u32, cpu: u32) -> Result<f64, Failure> {
    if first == cpu {
        return Ok(0.0);
    }
    let exchange = Exchange::default();
    thread::scope(|scope| {
        let answers = scope.spawn(|| on(cpu, || exchange.answer()));
        let offset = on(first, || exchange.ask())?;
        answers.join().unwrap_or(Ok(()))?;
        Ok(offset)
    })
}

/// Does something on one CPU.
fn on<T: Send>(cpu: u32, action: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    crew::run_on(cpu, action)
        .map_err(|why| Failure::Machine(format!("CPU {cpu} cannot be used: {why}")))
}

/// Two CPUs that tell each other the time.
#[derive(Default)]
struct Exchange {
    /// Question n is asked by writing n.
    asked: AtomicU64,
    /// It is answered by writing n, after the time.
    answered: AtomicU64,
    time: AtomicU64,
}

impl Exchange {
    fn ask(&self) -> f64 {
        let mut clock = HostClock::without_pmu(1.0);
        let (mut shortest, mut offset) = (u64::MAX, 0.0);
        for number in 1..=EXCHANGES {
            let sent = clock.ticks();
            self.asked.store(number, Ordering::Release);
            wait_for(&self.answered, number);
            let back = clock.ticks();
            let there = self.time.load(Ordering::Relaxed);
            if back.wrapping_sub(sent) < shortest {
                shortest = back.wrapping_sub(sent);
                offset = there as f64 - (sent as f64 + back as f64) / 2.0;
            }
        }
        offset
    }

    fn answer(&self) {
        let mut clock = HostClock::without_pmu(1.0);
        for number in 1..=EXCHANGES {
            wait_for(&self.asked, number);
            self.time.store(clock.ticks(), Ordering::Relaxed);
            self.answered.store(number, Ordering::Release);
        }
    }
}

/// The other may be off its CPU: after some time the waiting one gives its own up now and then.
fn wait_for(value: &AtomicU64, number: u64) {
    const SPINS: u32 = 10_000;
    let mut spins = 0_u32;
    while value.load(Ordering::Acquire) != number {
        spins += 1;
        if spins.is_multiple_of(SPINS) {
            thread::yield_now();
        } else {
            std::hint::spin_loop();
        }
    }
}
