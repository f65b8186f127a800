//! More chains of additions than a core has adders, beside a single one: how much longer they take tells
//! whether another thread uses the core.

use super::{LONGEST_WAIT_NS, REPEATS, quickest_tenth, timed, waited_ns};
use crate::clock::{CHAINS, Clock};

/// Steps of the wide chain: about 0.6 µs.
const WIDE_STEPS: u32 = 1024;

/// Additions of a chain about as long.
const SINGLE_ADDITIONS: u32 = 2048;

/// Four additions on a core to itself take four times as long as one over its adders, and at most this much
/// longer. Until that is seen, a quieter moment is waited for; a core with other numbers of them never shows it.
const UNCROWDED: f64 = 1.08;
const ADDERS: [f64; 5] = [4.0, 5.0, 6.0, 7.0, 8.0];

/// How long quieter moments are waited for at least: a neighbour may leave a core the time that one with fewer
/// adders takes alone.
const LEAST_WAIT_NS: f64 = 5e7;

/// Independent additions that take this much longer than in quiet moments share the core.
const CROWDING_TOLERANCE: f64 = 1.05;

/// Both chains, timed one beside the other; in the ticks is the cost of reading the clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chains {
    wide_ticks: f64,
    pub single_ticks: f64,
    additions: u32,
}

impl Chains {
    /// Times the wide chains and next to it a single one of so many additions.
    pub fn timed<C: Clock>(clock: &mut C, additions: u32) -> Self {
        let wide_ticks = timed(clock, |clock| clock.wide_additions(WIDE_STEPS));
        let single_ticks = timed(clock, |clock| clock.additions(additions));
        Self { wide_ticks, single_ticks, additions }
    }

    /// The same with a single chain that is about as long.
    pub fn timed_alike<C: Clock>(clock: &mut C) -> Self {
        Self::timed(clock, SINGLE_ADDITIONS)
    }

    /// Whether another thread uses the core, where this is the ratio in quiet moments.
    pub fn are_crowded(&self, cost_ticks: f64, quiet_ratio: f64) -> bool {
        self.ratio(cost_ticks) > quiet_ratio * CROWDING_TOLERANCE
    }

    /// Time of four independent additions over that of one.
    fn ratio(&self, cost_ticks: f64) -> f64 {
        let four = (self.wide_ticks - cost_ticks) / f64::from(WIDE_STEPS * CHAINS / 4);
        four / ((self.single_ticks - cost_ticks) / f64::from(self.additions))
    }
}

/// The ratio of the quickest chains of each sort; there must be some, all equally long.
///
/// Whatever disturbs a chain makes it longer. In the ratio of two that ran side by side, a single chain
/// that was interrupted would pass for a wide chain quicker than there is, and every later look for one
/// beside a neighbour.
pub(crate) fn quickest_ratio(chains: &[Chains], cost_ticks: f64) -> f64 {
    let quickest = |ticks: fn(&Chains) -> f64| {
        let mut all: Vec<f64> = chains.iter().map(ticks).collect();
        quickest_tenth(&mut all)
    };
    let both = Chains {
        wide_ticks: quickest(|it| it.wide_ticks),
        single_ticks: quickest(|it| it.single_ticks),
        ..chains[0]
    };
    // A step takes at least as long as one addition.
    both.ratio(cost_ticks).max(4.0 / f64::from(CHAINS))
}

/// The ratio in the quietest stretch of 50 ms, or of half a second at most: a neighbour on the same core comes and
/// goes.
pub(super) fn quiet_ratio<C: Clock>(clock: &mut C, cost_ticks: f64) -> f64 {
    let start = clock.ticks();
    let mut quietest = f64::INFINITY;
    loop {
        let chains: Vec<_> = (0..REPEATS).map(|_| Chains::timed_alike(clock)).collect();
        quietest = quietest.min(quickest_ratio(&chains, cost_ticks));
        let wait_ns = if is_of_one_thread(quietest) { LEAST_WAIT_NS } else { LONGEST_WAIT_NS };
        if waited_ns(clock, start) > wait_ns {
            return quietest;
        }
    }
}

fn is_of_one_thread(ratio: f64) -> bool {
    ADDERS.iter().any(|adders| (1.0..UNCROWDED).contains(&(ratio * adders / 4.0)))
}

#[cfg(test)]
mod tests {
    use super::super::Calibration;
    use crate::clock::fake::FakeClock;

    #[test]
    fn a_neighbour_that_leaves_is_waited_for() {
        let crowding_changes = vec![(3_000, 1.0)];
        let mut clock = FakeClock { crowding: 1.5, crowding_changes, ..FakeClock::at(3e9) };
        let calibration = Calibration::measure(&mut clock, 1e9);
        assert!((calibration.width_ratio - 1.0).abs() < 0.01, "{}", calibration.width_ratio);
        assert!(!calibration.look(&mut clock).crowded);
        clock.crowding = 1.3;
        assert!(calibration.look(&mut clock).crowded);
    }

    #[test]
    fn interrupted_chains_do_not_make_a_core_look_crowded_for_good() {
        // Of the single chains two in five take a quarter longer, as the host runs something else.
        let interruption_ns: fn(u32) -> f64 = |chain| if chain % 5 < 2 { 170.0 } else { 0.0 };
        let mut clock = FakeClock { crowding: 1.14, interruption_ns, ..FakeClock::at(3e9) };
        let calibration = Calibration::measure(&mut clock, 1e9);
        assert!((calibration.width_ratio - 1.14).abs() < 0.01, "{}", calibration.width_ratio);
        assert_eq!(calibration.crowded_share, 0.0);
    }

    #[test]
    fn a_core_to_itself_is_told_by_a_whole_number_of_adders() {
        // Golden Cove has five, and takes 0.85 where all are free.
        for alone in [1.01, 0.849, 0.69, 0.5] {
            assert!(super::is_of_one_thread(alone), "{alone}");
        }
        for crowded in [0.93, 0.75, 1.2, 1.6] {
            assert!(!super::is_of_one_thread(crowded), "{crowded}");
        }
    }

    #[test]
    fn a_narrow_core_is_not_taken_for_a_crowded_one() {
        let mut clock = FakeClock { crowding: 1.33, ..FakeClock::at(3e9) };
        let calibration = Calibration::measure(&mut clock, 1e9);
        assert!((calibration.width_ratio - 1.33).abs() < 0.01, "{}", calibration.width_ratio);
        assert!(!calibration.look(&mut clock).crowded);
    }
}
