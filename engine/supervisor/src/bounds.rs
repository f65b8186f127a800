//! No number for a function that touches what is not its own: buffers of each case are watched before
//! it is timed.

use std::collections::BTreeMap;

use ciphermark_record::event::{Failure, FailureKind};
use ciphermark_record::plan::{Case, Messages, Operation, Pattern};
use ciphermark_workloads::watched::Place;

use crate::pool::Pool;
use crate::worker_key::{WorkerKey, key_of};

/// Cases whose calls have the same buffers.
type WatchedCalls = (WorkerKey, String, String, Operation, Messages, u32, Option<u32>);

/// What is known of the calls that were watched.
#[derive(Default)]
pub struct Bounds(BTreeMap<WatchedCalls, Result<(), Failure>>);

impl Bounds {
    /// Whether the function of a case keeps to its buffers; watched once for each length.
    pub fn check(&mut self, pool: &mut Pool, case: &Case) -> Result<(), Failure> {
        if case.operation == Operation::Setup {
            return Ok(()); // its key was watched with the test vectors
        }
        self.0.entry(calls(case)).or_insert_with(|| watch(pool, case)).clone()
    }
}

/// First where a write beside a buffer shows with its extent, then where a read does too.
fn watch(pool: &mut Pool, case: &Case) -> Result<(), Failure> {
    match pool.watch(case, &[Place::Between, Place::Back, Place::Front]) {
        Err(failure) if is_fault(&failure) => {}
        result => return result,
    }
    // More calls than those in which it crashed: a crash that comes with a number of calls, wherever
    // their buffers lie, comes here too.
    pool.watch(case, &[Place::Between; 6])?;
    for (place, side) in [(Place::Back, "behind"), (Place::Front, "before")] {
        pool.watch(case, &[place]).map_err(|failure| touched(failure, case, side))?;
    }
    Ok(())
}

/// Whether the process crashed where it touched memory that is not its own.
fn is_fault(failure: &Failure) -> bool {
    matches!(failure.signal.as_deref(), Some("SIGSEGV" | "SIGBUS"))
}

/// What a crash means of a function that did not crash when nothing but the place of its buffers was
/// another.
fn touched(failure: Failure, case: &Case, side: &str) -> Failure {
    match failure.signal.as_deref() {
        Some(signal) if is_fault(&failure) => Failure {
            kind: FailureKind::OutOfBounds,
            message: format!(
                "{} reads or writes {side} its buffers: where that memory is not its own, it crashes \
                 with {signal}",
                case.operation
            ),
            signal: failure.signal.clone(),
        },
        _ => failure,
    }
}

fn calls(case: &Case) -> WatchedCalls {
    let chunks = (case.pattern == Pattern::Incremental).then_some(case.chunk_bytes.unwrap_or(0));
    let Case { algorithm, backend, operation, messages, lanes, .. } = case.clone();
    (key_of(case), algorithm, backend, operation, messages, lanes, chunks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker_handle::failure;

    fn case(change: fn(&mut Case)) -> Case {
        let mut case = serde_json::from_value(serde_json::json!({
            "case": 0, "algorithm": "sha256", "operation": "digest",
            "provider": "openssl", "backend": "default", "message_bytes": 64
        }))
        .expect("the case is valid");
        change(&mut case);
        case
    }

    #[test]
    fn cases_that_differ_in_their_keys_alone_are_watched_once() {
        assert_eq!(calls(&case(|_| ())), calls(&case(|it| it.keys = 1000)));
        assert_ne!(calls(&case(|_| ())), calls(&case(|it| it.messages = Messages::Equal(65))));
        assert_ne!(calls(&case(|_| ())), calls(&case(|it| it.pattern = Pattern::Incremental)));
    }

    #[test]
    fn only_a_fault_of_memory_is_one_of_buffers() {
        let crash = |signal: &str| Failure {
            signal: Some(signal.into()),
            ..failure(FailureKind::Crash, "it crashed".into())
        };
        let fault = touched(crash("SIGSEGV"), &case(|_| ()), "behind");
        assert_eq!(fault.kind, FailureKind::OutOfBounds);
        assert_eq!(
            fault.message,
            "digest reads or writes behind its buffers: where that memory is not its own, it \
             crashes with SIGSEGV"
        );
        assert_eq!(touched(crash("SIGABRT"), &case(|_| ()), "behind").kind, FailureKind::Crash);
    }
}
