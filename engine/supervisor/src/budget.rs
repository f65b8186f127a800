//! The time that a plan gives to measuring: what is left of it, and for how many cases that is enough.
//! The time of functions that hang is their own, and others have their budget all the same.

use std::time::{Duration, Instant};

/// By so much at least a budget may be exceeded for what hung: that of three functions.
const LEAST_EXTENSION: Duration = Duration::from_secs(60);

/// The time that a plan gives to measuring, with what was lost to functions that hung since it began.
pub struct Budget {
    began: Instant,
    lost_before: Duration,
    whole: Duration,
    overtime: Duration,
}

impl Budget {
    /// Begins now, when so much was lost already.
    pub fn begin(seconds: f64, lost: Duration) -> Self {
        let whole = Duration::from_secs_f64(seconds);
        Self { began: Instant::now(), lost_before: lost, whole, overtime: Duration::ZERO }
    }

    /// The same, which may be exceeded by so much.
    pub fn with_overtime(self, seconds: f64) -> Self {
        Self { overtime: Duration::from_secs_f64(seconds), ..self }
    }

    /// What is left of it, when so much was lost all in all.
    pub fn left(&self, lost: Duration) -> Duration {
        (self.whole + self.extension(lost)).saturating_sub(self.began.elapsed())
    }

    /// What is left for a part of the work of which this share is done: the overtime too, if all of it
    /// is done by then when it goes on like this.
    pub fn left_for(&self, share: f64, lost: Duration) -> Duration {
        if share >= 1.0 || !self.is_in_time(share, lost) {
            return self.left(lost);
        }
        (self.whole + self.overtime + self.extension(lost)).saturating_sub(self.began.elapsed())
    }

    /// Whether all of a part of the work of which this share is done will be done in time, with the
    /// overtime, when it goes on like this.
    pub fn is_in_time(&self, share: f64, lost: Duration) -> bool {
        self.spent(lost) <= (self.whole + self.overtime).mul_f64(share)
    }

    /// What was spent of it, without what is given back.
    pub fn spent(&self, lost: Duration) -> Duration {
        self.began.elapsed().saturating_sub(self.extension(lost))
    }

    /// Why no further case begins once it is spent; `left` of all cases have not begun.
    pub fn over(&self, lost: Duration, left: usize, cases: usize) -> Option<String> {
        self.left(lost).is_zero().then(|| {
            let begun = cases.saturating_sub(left).max(1);
            let enough = (self.whole.as_secs_f64() * cases as f64 / begun as f64).ceil();
            format!(
                "the budget was spent before {left} cases began; give more with --budget {enough:.0}s"
            )
        })
    }

    /// How many of so many cases can be measured in `generations` more processes each, when the last
    /// took this long for all of them.
    pub fn room(
        &self,
        lost: Duration,
        cases: usize,
        generations: u32,
        generation: Duration,
    ) -> usize {
        let left = self.left(lost);
        let needed = generation.mul_f64(f64::from(generations));
        if needed <= left {
            return cases;
        }
        (cases as f64 * left.as_secs_f64() / needed.as_secs_f64()) as usize
    }

    /// What was lost since it began, as far as that is given back: the budget once more, or a minute.
    fn extension(&self, lost: Duration) -> Duration {
        lost.saturating_sub(self.lost_before).min(self.whole.max(LEAST_EXTENSION))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    #[test]
    fn what_hung_takes_nothing_from_the_others() {
        let budget = Budget::begin(10.0, seconds(20));
        assert_eq!(budget.extension(seconds(20)), Duration::ZERO);
        assert_eq!(budget.extension(seconds(60)), seconds(40));
        assert!(budget.left(seconds(60)) > seconds(45));
    }

    #[test]
    fn no_case_begins_once_the_budget_is_spent() {
        let budget = Budget::begin(10.0, seconds(0));
        assert_eq!(budget.over(seconds(0), 3, 4), None);
        let spent = Budget { began: Instant::now() - seconds(11), ..budget };
        assert_eq!(
            spent.over(seconds(0), 3, 4).as_deref(),
            Some("the budget was spent before 3 cases began; give more with --budget 40s")
        );
        assert_eq!(spent.over(seconds(5), 3, 4), None, "time of functions that hung is given back");
    }

    #[test]
    fn overtime_is_for_what_is_done_by_its_end() {
        let spent = |by: u64| Budget {
            began: Instant::now() - seconds(by),
            ..Budget::begin(60.0, Duration::ZERO).with_overtime(30.0)
        };
        let left_s = |by, share| spent(by).left_for(share, Duration::ZERO).as_secs_f64().round();
        assert_eq!(left_s(61, 5.0 / 6.0), 29.0);
        assert_eq!(left_s(89, 0.99), 1.0);
        assert_eq!(left_s(91, 1.0 / 6.0), 0.0);
        assert_eq!(left_s(61, 3.0 / 6.0), 0.0, "it would take 122 s");
        assert_eq!(left_s(61, 1.0), 0.0, "it is done");
        assert_eq!(left_s(50, 0.0), 10.0);
    }

    #[test]
    fn a_budget_grows_by_itself_or_a_minute_and_no_more() {
        assert_eq!(Budget::begin(10.0, Duration::ZERO).extension(seconds(900)), seconds(60));
        assert_eq!(Budget::begin(100.0, Duration::ZERO).extension(seconds(900)), seconds(100));
    }

    #[test]
    fn a_budget_has_room_for_as_many_cases_as_end_before_it() {
        let budget = Budget::begin(100.0, Duration::ZERO);
        assert_eq!(budget.room(Duration::ZERO, 1000, 5, seconds(10)), 1000);
        let room = budget.room(Duration::ZERO, 1000, 5, seconds(40));
        assert!((499..=500).contains(&room), "100 s of 200 s: {room}");
        let spent = Budget { began: Instant::now() - seconds(101), ..budget };
        assert_eq!(spent.room(Duration::ZERO, 1000, 1, seconds(1)), 0);
        assert_eq!(spent.room(Duration::ZERO, 1000, 0, seconds(1)), 1000, "all have had enough");
    }
}
