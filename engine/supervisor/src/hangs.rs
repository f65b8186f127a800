//! What functions that hang have cost: their time is their own, and others have their budget all the
//! same.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use ciphermark_record::event::{Failure, FailureKind};
use ciphermark_record::plan::{Case, Messages, Operation};

use crate::worker_handle::failure;
use crate::worker_key::{WorkerKey, key_of};

/// A function that hangs for one message may answer shorter ones. One that has hung so often is not
/// asked again.
const MOST: usize = 2;

/// By so much at least a budget may be exceeded for what hung: that of three functions.
const LEAST_EXTENSION: Duration = Duration::from_secs(60);

/// An implementation of an operation.
type Function = (WorkerKey, String, String, Operation);

#[derive(Default)]
pub struct Hangs {
    /// What each has hung for, as people read it.
    of: BTreeMap<Function, Vec<String>>,
    lost: Duration,
}

impl Hangs {
    /// A worker that had to be ended has taken so long.
    pub fn lose(&mut self, time: Duration) {
        self.lost += time;
    }

    /// The function of this case has hung.
    pub fn note(&mut self, case: &Case) {
        let messages = match case.messages {
            Messages::Absent => "a key".into(),
            Messages::Equal(bytes) => format!("{bytes} bytes"),
            Messages::Mixed(_) => "messages of mixed lengths".into(),
        };
        self.of.entry(function(case)).or_default().push(messages);
    }

    /// Why a case's function is not asked any more.
    pub fn refusal(&self, case: &Case) -> Option<Failure> {
        let hung = self.of.get(&function(case)).filter(|hung| hung.len() >= MOST)?;
        let message = format!(
            "it gave no answer within its time to {}, and was not asked again",
            hung.join(" and ")
        );
        Some(failure(FailureKind::Timeout, message))
    }

    /// Time that workers took that had to be ended, all in all.
    pub fn lost(&self) -> Duration {
        self.lost
    }
}

fn function(case: &Case) -> Function {
    (key_of(case), case.algorithm.clone(), case.backend.clone(), case.operation)
}

/// The time that a plan gives to measuring, with what was lost to functions that hung since it began.
pub struct Budget {
    began: Instant,
    lost_before: Duration,
    whole: Duration,
}

impl Budget {
    /// Begins now, when so much was lost already.
    pub fn begin(seconds: f64, lost: Duration) -> Self {
        Self { began: Instant::now(), lost_before: lost, whole: Duration::from_secs_f64(seconds) }
    }

    /// What is left of it, when so much was lost all in all.
    pub fn left(&self, lost: Duration) -> Duration {
        (self.whole + self.extension(lost)).saturating_sub(self.began.elapsed())
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

    fn case(operation: &str, message_bytes: u64) -> Case {
        serde_json::from_value(serde_json::json!({
            "case": 0, "algorithm": "aes-128-gcm", "operation": operation,
            "provider": "openssl", "backend": "default", "message_bytes": message_bytes
        }))
        .expect("the case is valid")
    }

    #[test]
    fn a_function_that_has_hung_twice_is_not_asked_for_its_other_sizes() {
        let mut hangs = Hangs::default();
        hangs.note(&case("seal", 64));
        assert_eq!(hangs.refusal(&case("seal", 1000)), None);
        hangs.note(&case("seal", 1000));
        assert_eq!(
            hangs.refusal(&case("seal", 16)).map(|it| (it.kind, it.message)),
            Some((
                FailureKind::Timeout,
                "it gave no answer within its time to 64 bytes and 1000 bytes, and was not asked \
                 again"
                    .into()
            ))
        );
        assert_eq!(hangs.refusal(&case("open", 64)), None);
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
    fn a_budget_grows_by_itself_or_a_minute_and_no_more() {
        assert_eq!(Budget::begin(10.0, Duration::ZERO).extension(seconds(900)), seconds(60));
        assert_eq!(Budget::begin(100.0, Duration::ZERO).extension(seconds(900)), seconds(100));
    }
}
