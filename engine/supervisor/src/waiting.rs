//! How long a group may wait until a neighbour leaves the core.
//!
//! A group that is taken beside a neighbour counts for nothing, and neighbours come and go within
//! milliseconds or within seconds. So it pays to wait while one is there. Where none ever rests, waiting
//! brings nothing either, and upper bounds are all that can be had. So no more time goes into waiting
//! than into measuring, beside what may be waited at once.

use std::time::Duration;

/// However little was measured since the last wait.
const LEAST: Duration = Duration::from_millis(1);

/// What may be waited at once, as a share of the budget, and however large that is. A worker that does
/// not answer for longer is held for one that hangs.
const MOST_OF_BUDGET: f64 = 1.0 / 12.0;
const MOST: Duration = Duration::from_secs(5);

/// The account of time that may be waited.
#[derive(Debug)]
pub struct Waiting {
    left: Duration,
    most: Duration,
}

impl Waiting {
    /// Of a run with this budget, seconds.
    pub fn of_budget(budget_s: f64) -> Self {
        let most = Duration::from_secs_f64(MOST_OF_BUDGET * budget_s).min(MOST);
        Self { left: most, most }
    }

    /// How long the next group may wait.
    pub fn longest(&self) -> Duration {
        self.left.max(LEAST)
    }

    /// A group took so long, of which it waited.
    pub fn note(&mut self, whole: Duration, waited: Duration) {
        let measured = whole.saturating_sub(waited);
        self.left = (self.left + measured).saturating_sub(waited).min(self.most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUP: Duration = Duration::from_millis(2);

    /// Seconds that were waited and measured within a minute, beside a neighbour that is there as told.
    fn minute(crowded: impl Fn(f64) -> bool) -> (f64, f64) {
        let mut waiting = Waiting::of_budget(60.0);
        let (mut now, mut waited_in_all) = (Duration::ZERO, Duration::ZERO);
        while now < Duration::from_secs(60) {
            let longest = waiting.longest();
            let mut waited = Duration::ZERO;
            while waited < longest && crowded((now + waited).as_secs_f64()) {
                waited += LEAST / 10;
            }
            waiting.note(waited + GROUP, waited);
            now += waited + GROUP;
            waited_in_all += waited;
        }
        (waited_in_all.as_secs_f64(), (now - waited_in_all).as_secs_f64())
    }

    #[test]
    fn on_a_quiet_core_nothing_is_waited() {
        assert_eq!(minute(|_| false).0, 0.0);
    }

    #[test]
    fn bursts_of_seconds_are_waited_for() {
        let (waited, _) = minute(|seconds| seconds % 4.0 < 2.0);
        assert!((29.0..31.0).contains(&waited), "{waited} s of 30 s beside a neighbour");
    }

    #[test]
    fn beside_a_neighbour_that_never_rests_half_of_the_time_is_measured() {
        let (waited, measured) = minute(|_| true);
        assert!((30.0..34.0).contains(&waited) && measured > 26.0, "{waited} {measured}");
    }

    #[test]
    fn a_short_budget_is_not_spent_on_one_wait() {
        assert_eq!(Waiting::of_budget(6.0).longest(), Duration::from_millis(500));
        assert_eq!(Waiting::of_budget(3600.0).longest(), MOST);
    }
}
