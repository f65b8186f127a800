//! No number for a wrong answer: before a case is timed, its implementation passes all vectors of
//! its algorithm and gives the same answers as the other providers on random inputs.

use std::collections::BTreeMap;
use std::io;

use ciphermark_codepath::CodePath;
use ciphermark_record::description::Implementation;
use ciphermark_record::event::{CaseReady, Failure, FailureKind};
use ciphermark_record::plan::{Case, Operation};
use ciphermark_record::verification::Verified;

use crate::code_paths;
use crate::pool::{Pool, key_of};
use crate::protocol::{Answers, Command, Reply};
use crate::worker_handle::{WorkerKey, failure, out_of_turn};

/// Random messages of a case on which the providers must agree before it is timed.
pub const COMPARED_MESSAGES: u64 = 3;

/// What is asked, whoever answers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Question {
    pub algorithm: String,
    pub operation: Operation,
    pub message_bytes: Option<u64>,
}

impl Question {
    pub fn of(case: &Case) -> Self {
        Self {
            algorithm: case.algorithm.clone(),
            operation: case.operation,
            message_bytes: case.message_bytes,
        }
    }
}

/// A case that may be timed, or why it may not.
pub type Verdict = Result<Ready, Failure>;

#[derive(Clone, Debug)]
pub struct Ready {
    pub event: CaseReady,
    /// Its answers to [`COMPARED_MESSAGES`] random messages.
    pub answers: Answers,
}

/// Verifies all cases; `progress` is told how many are done. Cases that are not reached because
/// `stop` says so are left out, and so is one that was ended for it.
pub fn verify(
    pool: &mut Pool,
    cases: &[Case],
    stop: &dyn Fn() -> bool,
    progress: &mut dyn FnMut(usize) -> io::Result<()>,
) -> io::Result<BTreeMap<u32, Verdict>> {
    let (mut known, mut paths) = (BTreeMap::new(), BTreeMap::new());
    let mut answers = BTreeMap::new();
    for (done, case) in cases.iter().enumerate() {
        if stop() {
            break;
        }
        let verdict = passed_vectors(pool, case, &mut known)
            .and_then(|passed| expected(pool, case, COMPARED_MESSAGES).map(|it| (passed, it)))
            .map(|((implementation, count), answers)| {
                let seen = seen(pool, case, implementation, &mut paths);
                ((seen, count), answers)
            });
        if verdict.is_err() && stop() {
            break;
        }
        answers.insert(case.case, verdict);
        progress(done + 1)?;
    }
    Ok(judge(cases, answers))
}

/// The implementation with the code path that it takes in the case's operation; looked at once for
/// each.
fn seen(
    pool: &mut Pool,
    case: &Case,
    implementation: Implementation,
    paths: &mut BTreeMap<(WorkerKey, String, String, Operation), Option<CodePath>>,
) -> Implementation {
    let key = key_of(case);
    let of = (key.clone(), case.algorithm.clone(), case.backend.clone(), case.operation);
    let switched = Implementation { switches: case.switches.clone(), ..implementation };
    let look = || code_paths::of(pool, &key, &switched, case.operation);
    match paths.entry(of).or_insert_with(look) {
        Some(path) => code_paths::described(switched, path),
        None => switched,
    }
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
        .find(|it| it.algorithm == case.algorithm && it.backend == case.backend)
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

/// The answers that a case leaves behind after so many messages.
pub fn expected(pool: &mut Pool, case: &Case, messages: u64) -> Result<Answers, Failure> {
    match pool.ask_about(case, &Command::Expect { case: case.case, messages })? {
        Reply::Answers(answers) => Ok(answers),
        other => Err(out_of_turn(&other)),
    }
}

fn judge(
    cases: &[Case],
    answers: BTreeMap<u32, Result<(Passed, Answers), Failure>>,
) -> BTreeMap<u32, Verdict> {
    let mut by_question: BTreeMap<Question, Vec<(&Case, Answers)>> = BTreeMap::new();
    for case in cases {
        if let Some(Ok((_, answer))) = answers.get(&case.case) {
            by_question.entry(Question::of(case)).or_default().push((case, *answer));
        }
    }
    let mut verdicts = BTreeMap::new();
    for case in cases {
        let Some(result) = answers.get(&case.case) else { continue };
        let verdict = result.clone().and_then(|((implementation, vectors_passed), answers)| {
            let agrees_with = compare(case, answers, &by_question[&Question::of(case)])?;
            let case = case.clone();
            let event = CaseReady { case, implementation, vectors_passed, agrees_with };
            Ok(Ready { event, answers })
        });
        verdicts.insert(case.case, verdict);
    }
    verdicts
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
        let given: Vec<(&Case, Answers)> =
            cases.iter().zip(answers).map(|(case, (_, answer))| (case, [*answer; 32])).collect();
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
}
