//! What a wrong answer means for the other rows of the implementation that gave it: they lose their
//! figures too.

use ciphermark_record::event::{CaseError, Failure, FailureKind};
use ciphermark_record::plan::{Case, Messages};

use crate::worker_handle::failure;

/// The failures of cases that have none of their own, by the number of the plan's cases that have.
pub fn withdrawn(cases: &[Case], failed: impl Fn(u32) -> Option<FailureKind>) -> Vec<CaseError> {
    let wrong: Vec<&Case> =
        cases.iter().filter(|case| failed(case.case).is_some_and(is_wrong)).collect();
    let right = cases.iter().filter(|case| failed(case.case).is_none());
    right
        .filter_map(|case| {
            let wrong = wrong.iter().find(|wrong| implementation(wrong) == implementation(case))?;
            Some(CaseError { case: case.case, error: because_of(wrong) })
        })
        .collect()
}

fn is_wrong(kind: FailureKind) -> bool {
    matches!(kind, FailureKind::WrongAnswer | FailureKind::WrongWhileTimed)
}

fn implementation(case: &Case) -> (&str, &str, &str) {
    (&case.algorithm, &case.provider, &case.backend)
}

fn because_of(wrong: &Case) -> Failure {
    let operation = wrong.operation;
    let of_what = match &wrong.messages {
        Messages::Absent => String::new(),
        Messages::Equal(bytes) => format!(" of {bytes} bytes"),
        Messages::Mixed(profile) => format!(" of the profile {}", profile.name),
    };
    let what =
        format!("no figure: the same implementation gave a wrong answer ({operation}{of_what})");
    failure(FailureKind::WrongWhileTimed, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(number: u32, provider: &str, algorithm: &str, bytes: u64) -> Case {
        serde_json::from_value(serde_json::json!({
            "case": number, "algorithm": algorithm, "operation": "digest",
            "provider": provider, "backend": "default", "message_bytes": bytes
        }))
        .expect("the case is valid")
    }

    fn withdrawn_by(kind: FailureKind) -> Vec<(u32, String)> {
        let cases = [
            case(0, "a", "sha256", 16),
            case(1, "a", "sha256", 64),
            case(2, "a", "sha1", 16),
            case(3, "b", "sha256", 16),
        ];
        let failed = |number| (number == 1).then_some(kind);
        withdrawn(&cases, failed).into_iter().map(|it| (it.case, it.error.message)).collect()
    }

    #[test]
    fn the_other_rows_of_a_wrong_implementation_lose_their_figures() {
        let words = "no figure: the same implementation gave a wrong answer (digest of 64 bytes)";
        for kind in [FailureKind::WrongAnswer, FailureKind::WrongWhileTimed] {
            assert_eq!(withdrawn_by(kind), [(0, words.to_owned())]);
        }
    }

    #[test]
    fn what_is_no_wrong_answer_concerns_one_row() {
        for kind in [FailureKind::Timeout, FailureKind::Disagreement, FailureKind::Unsupported] {
            assert_eq!(withdrawn_by(kind), []);
        }
    }
}
