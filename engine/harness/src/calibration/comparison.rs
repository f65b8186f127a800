//! Whether the chain of additions tells the core's clock: compared with a second chain, or with the
//! hardware's counter, again and again until a moment comes in which they agree.

use super::{
    CHAIN_ADDITIONS, LONGEST_WAIT_NS, REPEATS, empty_slice, hz, mean, middle_mean, quickest_tenth,
    repeat, timed, waited_ns,
};
use crate::clock::{Clock, median, quantile};

/// Length of the chains that are compared, in cycles: both loops consist of 32 instructions, those
/// of the control chain of up to three cycles each, so that both can be as long as this.
const COMPARED_CYCLES: u32 = 85 * 3 * 32;

/// Beyond this difference between the two chains (or chain and counter) neither is believed.
pub(super) const LARGEST_RESIDUAL: f64 = 0.05;

/// What two chains, or chain and counter, showed in the same few milliseconds.
pub(super) struct Comparison {
    pub slice_cost_ticks: f64,
    pub core_hz: f64,
    pub core_hz_spread: f64,
    /// Relative difference in the quietest tenth of the readings: what else runs on the core can
    /// slow one chain more than the other, but hardly without a pause.
    pub residual: f64,
    /// Relative difference over all of them, which tells whether `core_hz` was disturbed.
    difference: f64,
}

impl Comparison {
    /// The first in which the chains agree; where none does for half a second, the one in which
    /// they differ least.
    pub fn agreed<C: Clock>(clock: &mut C) -> Self {
        let start = clock.ticks();
        let mut best = Self::make(clock);
        while best.difference > LARGEST_RESIDUAL && waited_ns(clock, start) < LONGEST_WAIT_NS {
            let next = Self::make(clock);
            if next.difference < best.difference {
                best = next;
            }
        }
        best
    }

    fn make<C: Clock>(clock: &mut C) -> Self {
        let slice_cost_ticks = slice_cost(clock);
        let (mut additions, mut control): (Vec<_>, Vec<_>) =
            (0..REPEATS).map(|_| time_compared(clock, slice_cost_ticks)).unzip();
        let mut ratios: Vec<_> = control.iter().zip(&additions).map(|(a, b)| a / b).collect();
        let ticks_per_ns = clock.ticks_per_ns();
        let mut rates: Vec<_> =
            additions.iter().map(|ticks| hz(COMPARED_CYCLES, *ticks, ticks_per_ns)).collect();
        let core_hz = middle_mean(&mut rates); // sorts
        let counted = pmu_residual(clock);
        let between_chains = |ratio: f64| counted.unwrap_or((ratio - 1.0).abs());
        Self {
            slice_cost_ticks,
            core_hz,
            core_hz_spread: (quantile(&rates, 0.9) - quantile(&rates, 0.1)) / core_hz,
            residual: between_chains(quickest_tenth(&mut control) / quickest_tenth(&mut additions)),
            difference: between_chains(middle_mean(&mut ratios)),
        }
    }
}

/// Ticks of an empty slice: the median of stretches, since others use the core at times, of each the
/// mean but for the longest, which were interrupted.
///
/// Some clocks advance in steps that are half as long as this (10 ns of some 20). Their readings are one
/// step too many or too few, evenly only where empty slices begin at all moments of a step; so each
/// begins after a chain of another length. What is wrong here is in the clock that the chains beside
/// slices show, and with it in every figure of a run: 5 ns were 0.2 %.
fn slice_cost<C: Clock>(clock: &mut C) -> f64 {
    const STRETCHES: u32 = 9;
    const EMPTY_SLICES: u32 = 300;
    const INTERRUPTED: usize = 10;
    let mut stretch = || {
        let mut ticks: Vec<f64> = (0..EMPTY_SLICES)
            .map(|number| {
                clock.control_chain(96 * (1 + number % 37));
                empty_slice(clock).0
            })
            .collect();
        ticks.sort_by(f64::total_cmp);
        mean(&ticks[..ticks.len() - INTERRUPTED])
    };
    median(&mut (0..STRETCHES).map(|_| stretch()).collect::<Vec<_>>())
}

/// Ticks of the two chains, each beside the other.
fn time_compared<C: Clock>(clock: &mut C, cost_ticks: f64) -> (f64, f64) {
    let additions = timed(clock, |clock| clock.additions(COMPARED_CYCLES)) - cost_ticks;
    let control = timed(clock, |clock| clock.control_chain(COMPARED_CYCLES)) - cost_ticks;
    (additions, control)
}

/// Relative difference between counted cycles and the additions executed; none without a counter.
fn pmu_residual<C: Clock>(clock: &mut C) -> Option<f64> {
    clock.pmu_cycles()?;
    let mut counted = |additions| {
        median(&mut repeat(|| {
            let before = clock.pmu_cycles().unwrap_or(0);
            clock.additions(additions);
            clock.pmu_cycles().unwrap_or(0) as f64 - before as f64
        }))
    };
    let difference = counted(2 * CHAIN_ADDITIONS) - counted(CHAIN_ADDITIONS);
    Some((difference / f64::from(CHAIN_ADDITIONS) - 1.0).abs())
}

#[cfg(test)]
mod tests {
    use ciphermark_record::environment::CycleSource;

    use super::super::Calibration;
    use super::*;
    use crate::clock::fake::FakeClock;

    /// A core on which the control chain takes too long: an emulator, or one that is disturbed.
    struct Odd {
        clock: FakeClock,
        /// Whether it takes as long as it should beside so many chains of additions.
        quiet_at: fn(chains: u32) -> bool,
    }

    impl Clock for Odd {
        fn ticks(&mut self) -> u64 {
            self.clock.ticks()
        }
        fn ticks_per_ns(&self) -> f64 {
            1.0
        }
        fn thread_cpu_ns(&mut self) -> u64 {
            self.clock.thread_cpu_ns()
        }
        fn involuntary_switches(&mut self) -> u64 {
            0
        }
        fn cpu(&mut self) -> usize {
            0
        }
        fn additions(&mut self, count: u32) {
            self.clock.additions(count);
        }
        fn wide_additions(&mut self, steps: u32) {
            self.clock.wide_additions(steps);
        }
        fn control_chain(&mut self, cycles: u32) {
            let quiet = (self.quiet_at)(self.clock.chains);
            self.clock.work(f64::from(cycles) * if quiet { 1.0 } else { 1.4 });
        }
        fn pmu_cycles(&mut self) -> Option<u64> {
            None
        }
    }

    #[test]
    fn chains_that_never_agree_are_not_believed() {
        let mut clock = Odd { clock: FakeClock::at(3e9), quiet_at: |_| false };
        let calibration = Calibration::measure(&mut clock, 2.5e9);
        assert_eq!(calibration.source, CycleSource::Nominal);
        assert_eq!(calibration.core_hz, 2.5e9);
        assert!((calibration.residual - 0.4).abs() < 1e-3, "{}", calibration.residual);
        assert!(clock.clock.now_ns < 1e9, "waited until {} ns", clock.clock.now_ns);
    }

    #[test]
    fn chains_that_agree_later_are_believed_and_what_they_said_then_is_kept() {
        const SETTLES_AFTER: u32 = 1050;
        let clock_changes = vec![(SETTLES_AFTER, 3.2e9)];
        let clock = FakeClock { clock_changes, ..FakeClock::at(2e9) };
        let mut clock = Odd { clock, quiet_at: |chains| chains >= SETTLES_AFTER };
        let calibration = Calibration::measure(&mut clock, 2.5e9);
        assert_eq!(calibration.source, CycleSource::Calibrated);
        assert!((calibration.core_hz / 3.2e9 - 1.0).abs() < 1e-3, "{calibration:?}");
        assert!(calibration.core_hz_spread < 1e-3, "{calibration:?}");
        assert!(calibration.residual < 1e-3, "{calibration:?}");
    }

    #[test]
    fn pauses_of_a_disturbance_that_stays_are_enough() {
        let mut clock = Odd { clock: FakeClock::at(3e9), quiet_at: |chains| chains % 8 == 0 };
        let calibration = Calibration::measure(&mut clock, 2.5e9);
        assert_eq!(calibration.source, CycleSource::Calibrated);
        assert!((calibration.core_hz / 3e9 - 1.0).abs() < 1e-3, "{calibration:?}");
        assert!(calibration.residual < 1e-3, "{calibration:?}");
    }
}
