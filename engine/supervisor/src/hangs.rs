//! Functions that hang: which of them are not asked again, and what time they have cost.

use std::collections::BTreeMap;
use std::time::Duration;

use ciphermark_record::event::{Failure, FailureKind};
use ciphermark_record::plan::{Case, Messages, Operation};

use crate::worker_handle::failure;
use crate::worker_key::{WorkerKey, key_of};

/// A function that hangs for one message may answer shorter ones. One that has hung so often is not
/// asked again.
const MOST: usize = 2;

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
