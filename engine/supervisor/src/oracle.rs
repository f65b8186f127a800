//! Judges what timed code has written.
//!
//! While all is well the answer of one other provider, computed without the timed loop, is enough;
//! it is asked for once, or for every group where no group processes the messages of another. In
//! doubt, whoever no longer gives the answers with which it was verified is
//! wrong; of providers that still do and yet differ, [`compare`] says who is believed.

use std::collections::{BTreeMap, HashMap};

use ciphermark_record::event::{Failure, FailureKind};
use ciphermark_record::plan::Case;

use crate::protocol::Answers;
use crate::verification::{Subject, asked_of, compare, compared};
use crate::worker_handle::failure;

/// Messages of a case that were processed one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Run {
    pub first: u64,
    pub messages: u64,
    /// How many of the last answers are judged.
    pub kept: u64,
}

/// Asks for the answers that a case leaves behind after a run.
pub type Ask<'f> = dyn FnMut(&Case, Run) -> Result<Answers, Failure> + 'f;

pub struct Oracle<'a> {
    answerers: BTreeMap<Subject, Vec<&'a Case>>,
    /// What each case answered when it was verified, by its number.
    verified: HashMap<u32, Answers>,
    /// The right answers, by the number of the case that they judge and the run. Not shared between
    /// cases: what one answers is no measure of itself. Only of runs from the first message on:
    /// cases that go on with later ones never come back to them.
    right: HashMap<(u32, Run), Answers>,
}

impl<'a> Oracle<'a> {
    /// Takes the cases that were verified, with their answers to the messages [`compared`].
    pub fn new(cases: &[(&'a Case, Answers)]) -> Self {
        let mut answerers: BTreeMap<Subject, Vec<&'a Case>> = BTreeMap::new();
        for (case, _) in cases {
            answerers.entry(Subject::of(case)).or_default().push(case);
        }
        let verified = cases.iter().map(|(case, answers)| (case.case, *answers)).collect();
        Self { answerers, verified, right: HashMap::new() }
    }

    /// Judges what a case has written while this run was timed.
    pub fn judge(
        &mut self,
        case: &Case,
        run: Run,
        timed: Answers,
        ask: &mut Ask<'_>,
    ) -> Result<(), Failure> {
        let key = (case.case, run);
        let right = self.right.get(&key).copied();
        let right =
            right.or_else(|| self.others(case).find_map(|it| ask(&asked_of(it, case), run).ok()));
        if right != Some(timed) {
            self.doubt(case, run, timed, ask)?;
        }
        if run.first == 0 {
            self.right.insert(key, timed);
        }
        Ok(())
    }

    fn others(&self, case: &Case) -> impl Iterator<Item = &'a Case> {
        let alike = self.answerers.get(&Subject::of(case)).into_iter().flatten();
        alike.copied().filter(move |other| other.provider != case.provider)
    }

    /// Finds out who is wrong, asking everybody anew.
    fn doubt(
        &self,
        case: &Case,
        run: Run,
        timed: Answers,
        ask: &mut Ask<'_>,
    ) -> Result<(), Failure> {
        if !self.is_steady(case, ask)? {
            return Err(wrong("it no longer gives the answers with which it was verified"));
        }
        if ask(case, run)? != timed {
            return Err(wrong("what it wrote while it was timed is not the right answer"));
        }
        let mut given = Vec::new();
        for other in self.others(case) {
            if self.is_steady(other, ask).unwrap_or(false)
                && let Ok(answers) = ask(&asked_of(other, case), run)
            {
                given.push((other, answers));
            }
        }
        compare(case, timed, &given).map(drop)
    }

    /// Whether a case still gives the answers with which it was verified.
    fn is_steady(&self, case: &Case, ask: &mut Ask<'_>) -> Result<bool, Failure> {
        Ok(self.verified.get(&case.case) == Some(&ask(case, compared(case))?))
    }
}

fn wrong(what: &str) -> Failure {
    failure(FailureKind::WrongWhileTimed, what.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIGHT: Answers = [1; 32];
    const WRONG: Answers = [2; 32];
    const VERIFIED: Answers = [3; 32];
    const RUN: Run = Run { first: 0, messages: 100, kept: 2 };

    fn case(number: u32, provider: &str) -> Case {
        serde_json::from_value(serde_json::json!({
            "case": number, "algorithm": "sha256", "operation": "digest",
            "provider": provider, "backend": "default", "message_bytes": 64
        }))
        .expect("the case is valid")
    }

    /// What a provider says now: when it is verified again, and about the messages that were timed.
    type Says = (Answers, Answers);

    /// Judges the first provider, which has written `timed`.
    fn judged(timed: Answers, says: &[Says]) -> Result<(), FailureKind> {
        let cases: Vec<Case> =
            ["a", "b", "c"].iter().zip(says).zip(0..).map(|((name, _), n)| case(n, name)).collect();
        let verified: Vec<_> = cases.iter().map(|case| (case, VERIFIED)).collect();
        let mut ask = |case: &Case, run| {
            let (again, now) = says[usize::from(case.provider.as_bytes()[0] - b'a')];
            Ok(if run == compared(case) { again } else { now })
        };
        let verdict = Oracle::new(&verified).judge(&cases[0], RUN, timed, &mut ask);
        verdict.map_err(|failure| failure.kind)
    }

    const SOUND: Says = (VERIFIED, RIGHT);
    const STEADY_BUT_WRONG: Says = (VERIFIED, WRONG);
    const WRONG_BY_NOW: Says = (WRONG, WRONG);

    #[test]
    fn the_right_answer_passes() {
        assert_eq!(judged(RIGHT, &[SOUND]), Ok(()));
        assert_eq!(judged(RIGHT, &[SOUND, SOUND]), Ok(()));
    }

    #[test]
    fn what_is_wrong_only_while_timed_is_not_believed() {
        assert_eq!(judged(WRONG, &[SOUND]), Err(FailureKind::WrongWhileTimed));
        assert_eq!(judged(WRONG, &[SOUND, SOUND]), Err(FailureKind::WrongWhileTimed));
    }

    #[test]
    fn what_has_become_wrong_is_not_believed() {
        assert_eq!(judged(WRONG, &[WRONG_BY_NOW]), Err(FailureKind::WrongWhileTimed));
        assert_eq!(judged(WRONG, &[WRONG_BY_NOW, SOUND]), Err(FailureKind::WrongWhileTimed));
    }

    #[test]
    fn another_that_has_become_wrong_is_no_witness() {
        assert_eq!(judged(RIGHT, &[SOUND, WRONG_BY_NOW]), Ok(()));
    }

    #[test]
    fn of_two_steady_ones_that_differ_neither_is_believed() {
        assert_eq!(judged(RIGHT, &[SOUND, STEADY_BUT_WRONG]), Err(FailureKind::Disagreement));
        assert_eq!(judged(WRONG, &[STEADY_BUT_WRONG, SOUND]), Err(FailureKind::Disagreement));
    }

    #[test]
    fn of_three_steady_ones_two_are_believed() {
        assert_eq!(judged(RIGHT, &[SOUND, STEADY_BUT_WRONG, SOUND]), Ok(()));
        let outvoted = [STEADY_BUT_WRONG, SOUND, SOUND];
        assert_eq!(judged(WRONG, &outvoted), Err(FailureKind::Disagreement));
    }

    #[test]
    fn what_two_share_is_asked_of_each_once() {
        let (a, b) = (case(0, "a"), case(1, "b"));
        let mut oracle = Oracle::new(&[(&a, VERIFIED), (&b, VERIFIED)]);
        let mut asked = Vec::new();
        for judged in [&a, &b, &a, &b] {
            let mut ask = |case: &Case, _| {
                asked.push(case.provider.clone());
                Ok(RIGHT)
            };
            assert_eq!(oracle.judge(judged, RUN, RIGHT, &mut ask), Ok(()));
        }
        assert_eq!(asked, ["b", "a"]);
    }

    #[test]
    fn another_is_asked_for_the_messages_of_the_case_that_is_judged() {
        let (a, b) = (Case { keys: 1000, ..case(0, "a") }, case(1, "b"));
        let mut oracle = Oracle::new(&[(&a, VERIFIED), (&b, VERIFIED)]);
        let run = Run { first: 50, messages: 10, kept: 10 };
        let mut ask = |case: &Case, asked| {
            assert_eq!((case.provider.as_str(), case.keys, asked), ("b", 1000, run));
            Ok(RIGHT)
        };
        assert_eq!(oracle.judge(&a, run, RIGHT, &mut ask), Ok(()));
    }

    #[test]
    fn what_is_not_asked_again_is_not_kept() {
        let (a, b) = (case(0, "a"), case(1, "b"));
        let mut oracle = Oracle::new(&[(&a, VERIFIED), (&b, VERIFIED)]);
        for first in [0, 100, 200] {
            let run = Run { first, ..RUN };
            assert_eq!(oracle.judge(&a, run, RIGHT, &mut |_, _| Ok(RIGHT)), Ok(()));
        }
        assert_eq!(oracle.right.len(), 1);
    }
}
