//! Judges what timed code has written.
//!
//! While all is well the answers of one other provider, computed without the timed loop, are enough.
//! In doubt, whoever no longer gives the answers with which it was verified, or other answers to the
//! same messages, is wrong; of providers that do neither and yet differ, [`compare`] says who is
//! believed.

use std::collections::{BTreeMap, HashMap, HashSet};

use ciphermark_record::event::{Failure, FailureKind};
use ciphermark_record::plan::Case;

use crate::protocol::{Answers, MessageRange};
use crate::verification::{Subject, asked_of, compare, compared};
use crate::worker_handle::failure;

/// Asks for the answers that a case leaves behind after a run.
pub type Ask<'f> = dyn FnMut(&Case, MessageRange) -> Result<Answers, Failure> + 'f;

pub struct Oracle<'a> {
    answerers: BTreeMap<Subject, Vec<&'a Case>>,
    /// What each case answered when it was verified, by its number.
    verified: HashMap<u32, Answers>,
    /// Cycles of a message of each case that was timed, by its number.
    paces: HashMap<u32, f64>,
    /// The numbers of cases that have failed, which are not asked any more.
    failed: HashSet<u32>,
    /// Cases that were asked about another and failed, with what was wrong.
    faults: Vec<(&'a Case, Failure)>,
}

impl<'a> Oracle<'a> {
    /// Takes the cases that were verified, with their answers to the messages [`compared`].
    pub fn new(cases: &[(&'a Case, Answers)]) -> Self {
        let mut answerers: BTreeMap<Subject, Vec<&'a Case>> = BTreeMap::new();
        for (case, _) in cases {
            answerers.entry(Subject::of(case)).or_default().push(case);
        }
        let verified = cases.iter().map(|(case, answers)| (case.case, *answers)).collect();
        let (paces, failed, faults) = Default::default();
        Self { answerers, verified, paces, failed, faults }
    }

    /// Notes how quick a case is, so that the quickest are asked.
    pub fn note_pace(&mut self, case: &Case, cycles: f64) {
        self.paces.entry(case.case).or_insert(cycles);
    }

    /// Notes that a case has failed.
    pub fn note_failure(&mut self, case: &Case) {
        self.failed.insert(case.case);
    }

    /// Cases that failed when they were asked about another, each once, with what was wrong.
    pub fn faults(&mut self) -> Vec<(&'a Case, Failure)> {
        std::mem::take(&mut self.faults)
    }

    fn note_fault(&mut self, case: &'a Case, fault: Failure) {
        if !self.faults.iter().any(|(faulty, _)| *faulty == case) {
            self.faults.push((case, fault));
        }
    }

    /// What a case says when it is asked; `None`, and a fault of its own, if it ends or errs instead.
    ///
    /// Another case's question may have more keys than this one can have, so that an error that it
    /// returns to such a question is no fault.
    fn witness(
        &mut self,
        other: &'a Case,
        question: &Case,
        run: MessageRange,
        ask: &mut Ask<'_>,
    ) -> Option<Answers> {
        let fault = match ask(question, run) {
            Ok(answers) => return Some(answers),
            Err(fault) => fault,
        };
        let is_own_question = *question == Case { case: question.case, ..other.clone() };
        let is_fault = match fault.kind {
            FailureKind::Crash | FailureKind::Timeout | FailureKind::OutOfBounds => true,
            FailureKind::Failed => is_own_question,
            _ => false,
        };
        if is_fault {
            self.note_fault(other, fault);
        }
        None
    }

    /// Judges what a case has written while this run was timed.
    pub fn judge(
        &mut self,
        case: &Case,
        run: MessageRange,
        timed: Answers,
        ask: &mut Ask<'_>,
    ) -> Result<(), Failure> {
        let others = self.others(case);
        let asked = others.into_iter().find_map(|other| {
            self.witness(other, &asked_of(other, case), run, ask).map(|right| (other, right))
        });
        match asked {
            Some((_, right)) if right == timed => Ok(()),
            _ => self.doubt(case, run, timed, asked, ask),
        }
    }

    /// Cases of other providers that can be asked, the quickest first.
    fn others(&self, case: &Case) -> Vec<&'a Case> {
        let alike = self.answerers.get(&Subject::of(case)).into_iter().flatten().copied();
        let mut others: Vec<&Case> = alike
            .filter(|other| other.provider != case.provider && !self.failed.contains(&other.case))
            .collect();
        let pace = |case: &Case| self.paces.get(&case.case).copied().unwrap_or(f64::INFINITY);
        others.sort_by(|a, b| pace(a).total_cmp(&pace(b)));
        others
    }

    /// Finds out who is wrong, asking everybody anew, also the one who was `asked` before.
    fn doubt(
        &mut self,
        case: &Case,
        run: MessageRange,
        timed: Answers,
        asked: Option<(&'a Case, Answers)>,
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
            let question = asked_of(other, case);
            let again = self.witness(other, other, compared(other), ask);
            if again != self.verified.get(&other.case).copied() {
                continue;
            }
            let Some(answers) = self.witness(other, &question, run, ask) else { continue };
            let before = match asked {
                Some((first, before)) if first == other => Some(before),
                _ if answers == timed => Some(answers),
                _ => self.witness(other, &question, run, ask),
            };
            match before {
                Some(before) if before == answers => given.push((other, answers)),
                Some(_) => {
                    let what = "it gave other answers to the same messages the second time";
                    self.note_fault(other, wrong(what));
                }
                None => (),
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

    const RIGHT: Answers = 1;
    const WRONG: Answers = 2;
    const VERIFIED: Answers = 3;
    const RUN: MessageRange = MessageRange { first: 0, messages: 100 };

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
    fn whoever_answers_otherwise_the_second_time_is_no_witness_and_is_named() {
        let (a, b) = (case(0, "a"), case(1, "b"));
        // Always other answers, or a wrong one at first and then the right one.
        for answers in [|times: u64| 100 + times, |times| if times == 1 { WRONG } else { RIGHT }] {
            let mut oracle = Oracle::new(&[(&a, VERIFIED), (&b, VERIFIED)]);
            let mut times = 0;
            let mut ask = |case: &Case, run| {
                if run == compared(case) {
                    return Ok(VERIFIED);
                }
                if case.provider == "a" {
                    return Ok(RIGHT);
                }
                times += 1;
                Ok(answers(times))
            };
            assert_eq!(oracle.judge(&a, RUN, RIGHT, &mut ask), Ok(()));
            let faults = oracle.faults();
            assert_eq!(faults.iter().map(|(case, _)| *case).collect::<Vec<_>>(), [&b]);
            assert_eq!(faults[0].1.kind, FailureKind::WrongWhileTimed);
            assert_eq!(oracle.faults(), []);
        }
    }

    #[test]
    fn whoever_ends_instead_of_answering_fails_itself() {
        let (a, b, c) = (case(0, "a"), case(1, "b"), case(2, "c"));
        let many_keys = Case { keys: 1000, ..a.clone() };
        let faults = |judged: &Case, kind: FailureKind| {
            let mut oracle = Oracle::new(&[(judged, VERIFIED), (&b, VERIFIED), (&c, VERIFIED)]);
            let mut ask = |case: &Case, _| match case.provider.as_str() {
                "b" => Err(failure(kind, "planted".into())),
                _ => Ok(RIGHT),
            };
            assert_eq!(oracle.judge(judged, RUN, RIGHT, &mut ask), Ok(()));
            let numbered = oracle.faults().into_iter().map(|(case, fault)| (case.case, fault.kind));
            numbered.collect::<Vec<_>>()
        };
        for kind in [FailureKind::Crash, FailureKind::Timeout, FailureKind::OutOfBounds] {
            assert_eq!(faults(&a, kind), [(1, kind)]);
            assert_eq!(faults(&many_keys, kind), [(1, kind)]);
        }
        assert_eq!(faults(&a, FailureKind::Failed), [(1, FailureKind::Failed)]);
        assert_eq!(faults(&many_keys, FailureKind::Failed), [], "it need not have so many keys");
        assert_eq!(faults(&a, FailureKind::Unsupported), []);
    }

    #[test]
    fn the_quickest_of_the_others_is_asked() {
        let cases = [case(0, "a"), case(1, "b"), case(2, "c")];
        let verified: Vec<_> = cases.iter().map(|case| (case, VERIFIED)).collect();
        let mut oracle = Oracle::new(&verified);
        for (case, cycles) in cases.iter().zip([10.0, 30.0, 20.0]) {
            oracle.note_pace(case, cycles);
        }
        let mut asked = Vec::new();
        for judged in &cases {
            let mut ask = |case: &Case, _| {
                asked.push(case.provider.clone());
                Ok(RIGHT)
            };
            assert_eq!(oracle.judge(judged, RUN, RIGHT, &mut ask), Ok(()));
        }
        assert_eq!(asked, ["c", "a", "a"]);
    }

    #[test]
    fn whoever_has_failed_is_not_asked() {
        let (a, b, c) = (case(0, "a"), case(1, "b"), case(2, "c"));
        let mut oracle = Oracle::new(&[(&a, VERIFIED), (&b, VERIFIED), (&c, VERIFIED)]);
        oracle.note_failure(&b);
        let mut ask = |case: &Case, _| {
            assert_eq!(case.provider, "c");
            Ok(RIGHT)
        };
        assert_eq!(oracle.judge(&a, RUN, RIGHT, &mut ask), Ok(()));
    }

    #[test]
    fn another_is_asked_for_the_messages_of_the_case_that_is_judged() {
        let (a, b) = (Case { keys: 1000, ..case(0, "a") }, case(1, "b"));
        let mut oracle = Oracle::new(&[(&a, VERIFIED), (&b, VERIFIED)]);
        let run = MessageRange { first: 50, messages: 10 };
        let mut ask = |case: &Case, asked| {
            assert_eq!((case.provider.as_str(), case.keys, asked), ("b", 1000, run));
            Ok(RIGHT)
        };
        assert_eq!(oracle.judge(&a, run, RIGHT, &mut ask), Ok(()));
    }
}
