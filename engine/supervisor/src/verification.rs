//! No number for a wrong answer: before a case is timed, its implementation passes all vectors of
//! its algorithm and gives the same answers as the other providers on random inputs.

use std::collections::BTreeMap;
use std::io;

use ciphermark_record::description::Implementation;
use ciphermark_record::event::{CaseReady, Failure, FailureKind};
use ciphermark_record::plan::{Case, Load, Messages, Operation};
use ciphermark_record::verification::Verified;
use ciphermark_workloads::single;

use crate::bounds::Bounds;
use crate::code_paths;
use crate::pool::Pool;
use crate::protocol::{Answers, Command, MessageRange, Reply};
use crate::worker_handle::{failure, out_of_turn};
use crate::worker_key::{WorkerKey, key_of};

/// Random messages of a case on which the providers must agree before it is timed.
const COMPARED_MESSAGES: u64 = 3;

/// These messages, and of a profile one of each length.
pub fn compared(case: &Case) -> MessageRange {
    let messages = COMPARED_MESSAGES.max(case.messages.lengths().len() as u64);
    MessageRange { first: 0, messages }
}

/// What implementations must have in common to answer the same questions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Subject {
    algorithm: String,
    operation: Operation,
    messages: Messages,
}

impl Subject {
    pub fn of(case: &Case) -> Self {
        Self {
            algorithm: case.algorithm.clone(),
            operation: case.operation,
            messages: case.messages.clone(),
        }
    }
}

/// What is asked, whoever answers: cases that process the same messages, in whatever way they are
/// called, ask the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Question {
    subject: Subject,
    keys: u32,
    associations: u32,
    lanes: u32,
    texts: single::TextsOf,
}

impl Question {
    fn of(case: &Case) -> Self {
        Self {
            subject: Subject::of(case),
            keys: single::keys(case),
            associations: single::associations(case),
            lanes: case.lanes,
            texts: single::texts_of(case),
        }
    }
}

/// A case's question, to be answered by the implementation of another case.
pub fn asked_of(other: &Case, case: &Case) -> Case {
    Case {
        provider: other.provider.clone(),
        backend: other.backend.clone(),
        switches: other.switches.clone(),
        ..case.clone()
    }
}

/// A case that may be timed, or why it may not.
pub type Verdict = Result<Ready, Failure>;

#[derive(Clone, Debug)]
pub struct Ready {
    pub event: CaseReady,
    /// Its answers to the messages [`compared`].
    pub answers: Answers,
}

/// Verifies all cases, whose code paths are those of `code_paths` where they are there; `progress`
/// is told how many are done. Cases that are not reached because `stop` says so are left out, and so
/// is one that was ended for it.
pub fn verify(
    pool: &mut Pool,
    cases: &[Case],
    code_paths: &[Implementation],
    stop: &dyn Fn() -> bool,
    progress: &mut dyn FnMut(usize) -> io::Result<()>,
) -> io::Result<BTreeMap<u32, Verdict>> {
    let asked: Vec<Case> = cases.iter().map(as_single).collect();
    let (mut known, mut bounds) = (BTreeMap::new(), Bounds::default());
    let mut paths = code_paths.iter().map(|it| (which(it, 1), it.clone())).collect();
    let mut answers = BTreeMap::new();
    for (done, case) in asked.iter().enumerate() {
        if stop() {
            break;
        }
        let verdict = passed_vectors(pool, case, &mut known).and_then(|(implementation, count)| {
            bounds.check(pool, case)?;
            pool.prepare(case)?;
            let answers = pool.expected(case, compared(case))?;
            let implementation = Implementation {
                leaves_vectors_dirty: look_behind(pool, case)?,
                ..seen(pool, case, implementation, &mut paths)
            };
            Ok(((implementation, count), answers))
        });
        if verdict.is_err() && stop() {
            break;
        }
        answers.insert(case.case, verdict);
        progress(done + 1)?;
    }
    let mut verdicts = judge(&asked, answers, &mut |case| match stop() {
        true => Err(failure(FailureKind::Timeout, "ended on request".into())),
        false => pool.expected(case, compared(case)),
    });
    for case in cases {
        if let Some(Ok(ready)) = verdicts.get_mut(&case.case) {
            ready.event.case = case.clone();
        }
    }
    Ok(verdicts)
}

/// The case of one thread whose answers stand for those of a case. Packets may have more flows than
/// a call has lanes, or a number that does not divide theirs; all of them are compared later.
fn as_single(case: &Case) -> Case {
    let Load::Packets(_) = case.load else { return case.clone() };
    let keys = match case.lanes {
        1 => 1,
        lanes if lanes.is_multiple_of(case.keys) => case.keys,
        lanes => lanes,
    };
    Case { keys, load: Load::Single { after: None }, ..case.clone() }
}

/// The implementation with the code path of its sending side in calls of as many messages as the case
/// has; looked at once for each, and not where it is known.
fn seen(
    pool: &mut Pool,
    case: &Case,
    implementation: Implementation,
    known: &mut BTreeMap<Which, Implementation>,
) -> Implementation {
    let switched = Implementation { switches: case.switches.clone(), ..implementation };
    let which = which(&switched, case.lanes);
    if let Some(seen) = known.get(&which) {
        return Implementation {
            path: seen.path.clone(),
            features: seen.features.clone(),
            backend_evidence: seen.backend_evidence,
            ..switched
        };
    }
    let seen = code_paths::described(pool, &key_of(case), switched, case.lanes);
    known.insert(which, seen.clone());
    seen
}

/// Whether a call of a case leaves upper halves of vector registers in use, which the path alone does
/// not tell: sizes and operations differ.
fn look_behind(pool: &mut Pool, case: &Case) -> Result<Option<bool>, Failure> {
    match pool.ask_about(case, &Command::LookBehind { case: case.case })? {
        Reply::Left(left) => Ok(left),
        other => Err(out_of_turn(&other)),
    }
}

/// What tells one code path from all others: algorithm, provider, backend, switches, messages of a call.
type Which = (String, String, String, BTreeMap<String, String>, u32);

fn which(it: &Implementation, lanes: u32) -> Which {
    (it.algorithm.clone(), it.provider.clone(), it.backend.clone(), it.switches.clone(), lanes)
}

/// An implementation with the number of vectors it has passed.
type Passed = (Implementation, u32);

/// Vectors are run once for each implementation.
fn passed_vectors(
    pool: &mut Pool,
    case: &Case,
    known: &mut BTreeMap<(WorkerKey, String, String), Result<Passed, Failure>>,
) -> Result<Passed, Failure> {
    let key = (key_of(case), case.algorithm.clone(), case.backend.clone());
    if let Some(result) = known.get(&key) {
        return result.clone();
    }
    let result = run_vectors(pool, case);
    known.insert(key, result.clone());
    result
}

fn run_vectors(pool: &mut Pool, case: &Case) -> Result<Passed, Failure> {
    let implementation = implementation(pool, case)?;
    let command = Command::Vectors {
        algorithm: case.algorithm.clone(),
        backend: case.backend.clone(),
        folder: None,
    };
    match pool.ask(&key_of(case), &command)? {
        Reply::Verified { verified, .. } => passed(&verified).map(|count| (implementation, count)),
        other => Err(out_of_turn(&other)),
    }
}

fn passed(verified: &Verified) -> Result<u32, Failure> {
    match verified.failures.first() {
        None => Ok(verified.passed),
        Some(first) => Err(failure(
            FailureKind::WrongAnswer,
            format!("{} of its test vectors failed; the first: {first}", verified.failed),
        )),
    }
}

fn implementation(pool: &mut Pool, case: &Case) -> Result<Implementation, Failure> {
    pool.implementations(&key_of(case))?
        .into_iter()
        .find(|it| it.algorithm == case.algorithm && is_asked_for(it, &case.backend))
        .filter(|it| it.operations.contains(&case.operation))
        .ok_or_else(|| {
            failure(
                FailureKind::Unsupported,
                format!(
                    "{} has no {} of {} with backend {}",
                    case.provider, case.operation, case.algorithm, case.backend
                ),
            )
        })
}

/// Whether a case's backend means it: by its name, or as the one that is taken by itself.
fn is_asked_for(implementation: &Implementation, backend: &str) -> bool {
    implementation.backend == backend || (implementation.default && backend == "default")
}

/// Asks an implementation for its answers to the messages of a case that are [`compared`].
type Ask<'f> = dyn FnMut(&Case) -> Result<Answers, Failure> + 'f;

/// Compares the answers of each case with those of the other implementations, which are asked where
/// they have no case with the same question.
fn judge(
    cases: &[Case],
    answers: BTreeMap<u32, Result<(Passed, Answers), Failure>>,
    ask: &mut Ask<'_>,
) -> BTreeMap<u32, Verdict> {
    let mut given = Given::of(cases, &answers);
    let mut verdicts = BTreeMap::new();
    for case in cases {
        let Some(result) = answers.get(&case.case) else { continue };
        let verdict = result.clone().and_then(|((implementation, vectors_passed), answers)| {
            let agrees_with = compare(case, answers, &given.to(case, ask))?;
            let case = case.clone();
            let event = CaseReady { case, implementation, vectors_passed, agrees_with };
            Ok(Ready { event, answers })
        });
        verdicts.insert(case.case, verdict);
    }
    verdicts
}

/// An implementation: its worker and backend.
type Answerer = (WorkerKey, String);

/// Answers by question and implementation; absent where one cannot answer.
struct Given<'a> {
    answers: BTreeMap<(Question, Answerer), Option<Answers>>,
    /// A case of each implementation that has passed so far.
    answerers: BTreeMap<Subject, BTreeMap<Answerer, &'a Case>>,
}

impl<'a> Given<'a> {
    fn of(cases: &'a [Case], answers: &BTreeMap<u32, Result<(Passed, Answers), Failure>>) -> Self {
        let mut given = Self { answers: BTreeMap::new(), answerers: BTreeMap::new() };
        for case in cases {
            if let Some(Ok((_, answer))) = answers.get(&case.case) {
                given.answers.insert((Question::of(case), answerer(case)), Some(*answer));
                let alike = given.answerers.entry(Subject::of(case)).or_default();
                alike.insert(answerer(case), case);
            }
        }
        given
    }

    /// What the implementations of other providers answer to a case's question.
    fn to(&mut self, case: &Case, ask: &mut Ask<'_>) -> Vec<(&'a Case, Answers)> {
        let mut given = Vec::new();
        for (answerer, other) in self.answerers.get(&Subject::of(case)).into_iter().flatten() {
            if other.provider != case.provider {
                let key = (Question::of(case), answerer.clone());
                let ask = || ask(&asked_of(other, case)).ok();
                given.extend(self.answers.entry(key).or_insert_with(ask).map(|it| (*other, it)));
            }
        }
        given
    }
}

fn answerer(case: &Case) -> Answerer {
    (key_of(case), case.backend.clone())
}

/// The other providers that gave the same answer. With an equal or larger number against it the
/// answer is not believed: of two that differ, neither is.
pub fn compare(
    case: &Case,
    answer: Answers,
    given: &[(&Case, Answers)],
) -> Result<Vec<String>, Failure> {
    let others = |same: bool| -> Vec<String> {
        let mut names: Vec<String> = given
            .iter()
            .filter(|(other, theirs)| {
                other.provider != case.provider && (*theirs == answer) == same
            })
            .map(|(other, _)| other.provider.clone())
            .collect();
        names.sort();
        names.dedup();
        names
    };
    let (agrees, differs) = (others(true), others(false));
    if differs.is_empty() || agrees.len() + 1 > differs.len() {
        return Ok(agrees);
    }
    Err(failure(
        FailureKind::Disagreement,
        format!(
            "its answer to a random message differs from that of {}; neither is believed",
            differs.join(", ")
        ),
    ))
}

#[cfg(test)]
mod tests {
    use ciphermark_record::packets::PacketLoad;
    use ciphermark_record::plan::{Pattern, Profile};

    use super::*;

    fn case(number: u32, provider: &str) -> Case {
        serde_json::from_value(serde_json::json!({
            "case": number, "algorithm": "sha256", "operation": "digest",
            "provider": provider, "backend": "default", "message_bytes": 64
        }))
        .expect("the case is valid")
    }

    fn agreement(answers: &[(&str, u8)]) -> Vec<Result<Vec<String>, FailureKind>> {
        let cases: Vec<Case> =
            answers.iter().enumerate().map(|(n, (name, _))| case(n as u32, name)).collect();
        let given: Vec<(&Case, Answers)> = cases
            .iter()
            .zip(answers)
            .map(|(case, (_, answer))| (case, Answers::from(*answer)))
            .collect();
        given
            .iter()
            .map(|(case, answer)| compare(case, *answer, &given).map_err(|failure| failure.kind))
            .collect()
    }

    #[test]
    fn providers_that_agree_name_each_other() {
        let expected = [Ok(vec!["b".to_owned()]), Ok(vec!["a".to_owned()])];
        assert_eq!(agreement(&[("a", 1), ("b", 1)]), expected);
    }

    #[test]
    fn of_two_that_differ_neither_is_believed() {
        let neither = Err(FailureKind::Disagreement);
        assert_eq!(agreement(&[("a", 1), ("b", 2)]), [neither.clone(), neither]);
    }

    #[test]
    fn one_against_two_is_not_believed() {
        let verdicts = agreement(&[("a", 1), ("b", 2), ("c", 1)]);
        assert_eq!(verdicts[1], Err(FailureKind::Disagreement));
        assert_eq!(verdicts[0], Ok(vec!["c".to_owned()]));
    }

    #[test]
    fn one_alone_agrees_with_nobody() {
        assert_eq!(agreement(&[("a", 1)]), [Ok(vec![])]);
    }

    #[test]
    fn packets_are_verified_as_single_messages_under_keys_that_one_call_can_have() {
        let packets = serde_json::json!({
            "packets": 10, "cpus": [0], "submit_cpu": 0, "batch": 8, "queue_batches": 4,
            "least_pairs": 1, "measure_ms": 1.0,
        });
        let load: PacketLoad = serde_json::from_value(packets).expect("the load is valid");
        let of =
            |keys, lanes| Case { keys, lanes, load: Load::Packets(load.clone()), ..case(0, "a") };
        let keys = |it: &Case| {
            let single = as_single(it);
            (single.keys, single.load == Load::Single { after: None })
        };
        assert_eq!(
            [(1, 8), (4, 8), (3, 8), (1000, 8), (1000, 1)].map(|it| keys(&of(it.0, it.1))),
            { [(1, true), (4, true), (8, true), (8, true), (1, true)] }
        );
    }

    /// What [`judge`] says of cases that all gave the same answer, and whom it asked.
    fn judged(cases: &[Case]) -> (Vec<Vec<String>>, Vec<(String, u32)>) {
        let implementation = |case: &Case| {
            serde_json::from_value(serde_json::json!({
                "algorithm": case.algorithm, "provider": case.provider, "backend": case.backend,
                "default": true, "backend_evidence": "unknown", "constant_time": null,
                "operations": []
            }))
            .expect("the implementation is valid")
        };
        let answers = cases.iter().map(|it| (it.case, Ok(((implementation(it), 1), 1))));
        let mut asked = Vec::new();
        let verdicts = judge(cases, answers.collect(), &mut |case| {
            asked.push((case.provider.clone(), case.lanes));
            Ok(1)
        });
        let agreeing = verdicts.into_values().map(|it| it.expect("all agree").event.agrees_with);
        (agreeing.collect(), asked)
    }

    #[test]
    fn every_length_of_a_profile_is_compared() {
        assert_eq!(compared(&case(0, "a")), MessageRange { first: 0, messages: 3 });
        let mixed = Case {
            messages: Messages::Mixed(Profile { name: "mix".into(), lengths: vec![40; 64] }),
            ..case(0, "a")
        };
        assert_eq!(compared(&mixed), MessageRange { first: 0, messages: 64 });
    }

    #[test]
    fn cases_with_the_same_question_compare_without_asking() {
        let chunks = Case { pattern: Pattern::Incremental, ..case(1, "b") };
        let (agreeing, asked) = judged(&[case(0, "a"), chunks]);
        assert_eq!(agreeing, [["b"], ["a"]]);
        assert_eq!(asked, []);
    }

    #[test]
    fn others_are_asked_for_questions_that_only_one_has() {
        let lanes = |number| Case { lanes: 8, ..case(number, "a") };
        let (agreeing, asked) = judged(&[lanes(0), case(1, "b"), lanes(2)]);
        assert_eq!(agreeing, [["b"], ["a"], ["b"]]);
        assert_eq!(asked, [("b".to_owned(), 8), ("a".to_owned(), 1)]);
    }
}
