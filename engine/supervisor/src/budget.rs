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

    /// The same with the overtime.
    pub fn left_with_overtime(&self, lost: Duration) -> Duration {
        (self.whole + self.overtime + self.extension(lost)).saturating_sub(self.began.elapsed())
    }

    /// What was spent of it, without what is given back.
    pub fn spent(&self, lost: Duration) -> Duration {
        self.began.elapsed().saturating_sub(self.extension(lost))
    }

    /// Time since it began, without any that was lost: the pace of what is measured shows in it.
    pub fn measured(&self, lost: Duration) -> Duration {
        self.began.elapsed().saturating_sub(lost.saturating_sub(self.lost_before))
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
    fn what_hung_says_nothing_of_the_pace() {
        let began = Instant::now() - seconds(500);
        let budget = Budget { began, ..Budget::begin(10.0, seconds(20)) };
        assert_eq!(budget.measured(seconds(509)).as_secs(), 11, "also what is not given back");
        assert_eq!(budget.spent(seconds(509)).as_secs(), 440);
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
    fn overtime_comes_after_the_budget() {
        let spent = |by: u64| Budget {
            began: Instant::now() - seconds(by),
            ..Budget::begin(60.0, Duration::ZERO).with_overtime(30.0)
        };
        let left_s = |left: Duration| left.as_secs_f64().round();
        assert_eq!(left_s(spent(50).left(Duration::ZERO)), 10.0);
        assert_eq!(left_s(spent(50).left_with_overtime(Duration::ZERO)), 40.0);
        assert_eq!(left_s(spent(61).left_with_overtime(Duration::ZERO)), 29.0);
        assert_eq!(left_s(spent(91).left_with_overtime(Duration::ZERO)), 0.0);
    }

    #[test]
    fn a_budget_grows_by_itself_or_a_minute_and_no_more() {
        assert_eq!(Budget::begin(10.0, Duration::ZERO).extension(seconds(900)), seconds(60));
        assert_eq!(Budget::begin(100.0, Duration::ZERO).extension(seconds(900)), seconds(100));
    }
}
