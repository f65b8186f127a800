//! What the clocks cost and how fast the core runs, measured before anything else.
//!
//! Without a hardware counter, core cycles come from a chain of dependent additions, each of
//! which takes one cycle on every current core. The chain is timed beside each slice, so that a
//! core whose clock moves is followed. What cannot be checked against a counter is checked against
//! a second chain of another instruction.

mod comparison;
mod width;

use ciphermark_record::environment::{Clocks, CycleSource};
use serde::{Deserialize, Serialize};

use crate::clock::{Clock, median};
use crate::processor_state;

use self::comparison::{Comparison, LARGEST_RESIDUAL};
pub(crate) use self::width::{Chains, quickest_ratio};

/// Additions in a chain: about 2 µs, so that one tick of the clock is a small part of it.
const CHAIN_ADDITIONS: u32 = 8192;

/// How long to wait for a moment in which the chains agree, and then for an uncrowded one.
const LONGEST_WAIT_NS: f64 = 5e8;

/// Looks that differ by less saw the same clock.
pub(crate) const SAME_CLOCK: f64 = 0.01;

/// Looks from which the share of crowded moments is told, and additions between two of them: a
/// third of a millisecond, so that all of them take 30 ms.
const LOOKS: u32 = 100;
const BETWEEN_LOOKS: u32 = 1_000_000;

/// How often each cost is measured; the median is taken.
const REPEATS: usize = 301;

/// Constants that turn readings of the clocks into cycles.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Calibration {
    pub source: CycleSource,
    pub chain_additions: u32,
    /// Ticks of a slice, or of a chain, in which nothing is done: reading the clock.
    pub slice_cost_ticks: f64,
    /// Counted cycles of a slice in which nothing is done.
    pub slice_cost_cycles: f64,
    /// Time of a step of the wide chain over that of one addition in quiet moments.
    pub width_ratio: f64,
    /// Share of looks at which the core was crowded.
    pub crowded_share: f64,
    /// How many times as long legacy SSE code takes while upper halves of vector registers are in use.
    pub dirty_vectors_ratio: Option<f64>,
    /// Core cycles of a change from code of AVX that leaves them in use to legacy SSE code, and back.
    pub dirty_change_cycles: Option<f64>,
    pub ticks_per_ns: f64,
    pub core_hz: f64,
    pub core_hz_spread: f64,
    pub residual: f64,
    pub wall_read_ns: f64,
    pub thread_cpu_read_ns: f64,
}

/// The core at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    pub core_hz: f64,
    /// Whether another thread was using the core.
    pub crowded: bool,
    /// Thread CPU time is turned into cycles by this: the clock that was seen or, where cycles
    /// cannot be measured, the nominal one.
    pub cycle_hz: f64,
}

impl Look {
    /// The clock between two looks. A reading is too high as often as too low where they agree; an
    /// interruption can only make one too low.
    pub fn cycle_hz_until(&self, later: &Self) -> f64 {
        let (low, high) = (self.cycle_hz.min(later.cycle_hz), self.cycle_hz.max(later.cycle_hz));
        if low > high * (1.0 - SAME_CLOCK) { (low + high) / 2.0 } else { high }
    }
}

impl Calibration {
    /// Measures all costs; about 50 ms, and up to a second more on a disturbed core. `nominal_hz`
    /// is used when cycles cannot be measured.
    pub fn measure<C: Clock>(clock: &mut C, nominal_hz: f64) -> Self {
        clock.additions(50 * CHAIN_ADDITIONS); // wakes the core from a low clock
        let Comparison { slice_cost_ticks, core_hz, core_hz_spread, residual, .. } =
            Comparison::agreed(clock);
        let source = match clock.pmu_cycles() {
            _ if residual > LARGEST_RESIDUAL => CycleSource::Nominal,
            Some(_) => CycleSource::Pmu,
            None => CycleSource::Calibrated,
        };
        let mut calibration = Self {
            source,
            chain_additions: CHAIN_ADDITIONS,
            slice_cost_ticks,
            slice_cost_cycles: median(&mut repeat(|| empty_slice(clock).1)),
            width_ratio: width::quiet_ratio(clock, slice_cost_ticks),
            crowded_share: 0.0,
            dirty_vectors_ratio: processor_state::cost_of_upper_halves(clock),
            dirty_change_cycles: processor_state::cost_of_changes(clock)
                .map(|ticks| ticks / clock.ticks_per_ns() * core_hz / 1e9),
            ticks_per_ns: clock.ticks_per_ns(),
            core_hz: if source == CycleSource::Nominal { nominal_hz } else { core_hz },
            core_hz_spread,
            residual,
            wall_read_ns: read_cost(clock, |clock| {
                clock.ticks();
            }),
            thread_cpu_read_ns: read_cost(clock, |clock| {
                clock.thread_cpu_ns();
            }),
        };
        calibration.crowded_share = calibration.watch(clock);
        calibration
    }

    /// Looks at the core for a while: the share of looks at which it was crowded.
    fn watch<C: Clock>(&self, clock: &mut C) -> f64 {
        let mut crowded = 0;
        for _ in 0..LOOKS {
            clock.additions(BETWEEN_LOOKS);
            crowded += u32::from(self.look(clock).crowded);
        }
        f64::from(crowded) / f64::from(LOOKS)
    }

    /// Looks at the core: how fast it runs, and whether something else uses it.
    pub fn look<C: Clock>(&self, clock: &mut C) -> Look {
        let chains = Chains::timed(clock, self.chain_additions);
        let cost = self.slice_cost_ticks;
        let core_hz = hz(self.chain_additions, chains.single_ticks - cost, self.ticks_per_ns);
        let is_nominal = self.source == CycleSource::Nominal;
        Look {
            core_hz,
            crowded: chains.are_crowded(cost, self.width_ratio),
            cycle_hz: if is_nominal { self.core_hz } else { core_hz },
        }
    }

    /// The same facts in the form of the record.
    pub fn clocks(&self, wall_source: &str) -> Clocks {
        Clocks {
            cycle_source: self.source,
            cycle_residual: self.residual,
            wall_source: wall_source.into(),
            wall_ticks_per_ns: self.ticks_per_ns,
            slice_cost_ns: self.slice_cost_ticks / self.ticks_per_ns,
            wall_read_ns: self.wall_read_ns,
            thread_cpu_read_ns: self.thread_cpu_read_ns,
            core_hz: self.core_hz,
            core_hz_spread: self.core_hz_spread,
            width_ratio: Some(self.width_ratio),
            crowded_share: Some(self.crowded_share),
            dirty_vectors_ratio: self.dirty_vectors_ratio,
            dirty_change_cycles: self.dirty_change_cycles,
            chain_additions: self.chain_additions,
        }
    }
}

fn waited_ns<C: Clock>(clock: &mut C, start_ticks: u64) -> f64 {
    (clock.ticks() - start_ticks) as f64 / clock.ticks_per_ns()
}

fn repeat(mut measure: impl FnMut() -> f64) -> Vec<f64> {
    (0..REPEATS).map(|_| measure()).collect()
}

fn hz(additions: u32, ticks: f64, ticks_per_ns: f64) -> f64 {
    f64::from(additions) / (ticks / ticks_per_ns) * 1e9
}

fn timed<C: Clock>(clock: &mut C, work: impl FnOnce(&mut C)) -> f64 {
    let start = clock.ticks();
    work(clock);
    (clock.ticks() - start) as f64
}

/// Mean of the middle half. Some wall clocks advance in steps (the TSC of Zen cores: 10 ns), and the
/// median of short times would lie on a step too.
fn middle_mean(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let quarter = values.len() / 4;
    mean(&values[quarter..values.len() - quarter])
}

/// Mean of the shortest tenth, at least one: nothing makes a chain quicker than it is.
fn quickest_tenth(ticks: &mut [f64]) -> f64 {
    ticks.sort_by(f64::total_cmp);
    mean(&ticks[..ticks.len().div_ceil(10)])
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Ticks and counted cycles of a slice that does nothing.
fn empty_slice<C: Clock>(clock: &mut C) -> (f64, f64) {
    let cycles = clock.pmu_cycles();
    let ticks = timed(clock, |_| std::hint::black_box(()));
    let counted = clock.pmu_cycles().zip(cycles).map_or(0.0, |(end, start)| (end - start) as f64);
    (ticks, counted)
}

/// Cost of one reading, from eight in a row.
fn read_cost<C: Clock>(clock: &mut C, read: impl Fn(&mut C)) -> f64 {
    const IN_A_ROW: usize = 8;
    let ticks =
        median(&mut repeat(|| timed(clock, |clock| (0..IN_A_ROW).for_each(|_| read(clock)))));
    ticks / IN_A_ROW as f64 / clock.ticks_per_ns()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::fake::FakeClock;

    #[test]
    fn the_clock_of_the_core_is_found() {
        let mut clock = FakeClock { read_ns: 20.0, ..FakeClock::at(3.2e9) };
        let calibration = Calibration::measure(&mut clock, 1e9);
        assert!((calibration.core_hz / 3.2e9 - 1.0).abs() < 1e-3, "{calibration:?}");
        assert_eq!(calibration.source, CycleSource::Calibrated);
        assert!(calibration.residual < 1e-3);
    }

    #[test]
    fn the_cost_of_reading_the_clock_is_found() {
        let mut clock = FakeClock { read_ns: 20.0, ..FakeClock::at(3.2e9) };
        let calibration = Calibration::measure(&mut clock, 1e9);
        assert!((calibration.slice_cost_ticks - 20.0).abs() <= 1.0);
    }

    #[test]
    fn the_cost_of_reading_a_clock_that_advances_in_steps_is_found() {
        for read_ns in [18.0, 22.0, 24.7, 29.3] {
            let mut clock = FakeClock { read_ns, step_ns: 10.0, ..FakeClock::at(3.69e9) };
            let cost = Calibration::measure(&mut clock, 1e9).slice_cost_ticks;
            assert!((cost - read_ns).abs() < 0.5, "{cost} for {read_ns}");
        }
    }

    #[test]
    fn a_counter_that_agrees_with_the_chain_is_used() {
        let mut clock = FakeClock { has_pmu: true, ..FakeClock::at(2e9) };
        assert_eq!(Calibration::measure(&mut clock, 1e9).source, CycleSource::Pmu);
    }
}
