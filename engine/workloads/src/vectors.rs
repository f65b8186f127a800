//! All test vectors of an algorithm against one implementation.

use ciphermark_algorithms::vectors::Vector;
use ciphermark_providers::api::Provider;
use ciphermark_record::description::Algorithm;
use ciphermark_record::verification::Verified;

use crate::checks::{self, Outcome};
use crate::watched::{Breach, Place, SHIFTS, Watched};

/// Sentences about failures that are kept; the count tells the rest.
const MOST_FAILURES: usize = 10;

/// Verdict on each vector, in the order given, and their sums.
pub struct Report {
    pub verified: Verified,
    /// Identifiers of the vectors passed.
    pub passed: Vec<String>,
    /// What it did beside its buffers, with the vector; it was asked nothing after that.
    pub breach: Option<Breach>,
}

/// Runs the vectors of `algorithm` among `vectors`.
pub fn run(
    provider: &dyn Provider,
    name: &str,
    algorithm: &Algorithm,
    backend: &str,
    vectors: &[Vector],
) -> Report {
    let mut report = Report {
        verified: Verified {
            algorithm: algorithm.name.clone(),
            provider: name.into(),
            backend: backend.into(),
            passed: 0,
            failed: 0,
            unsupported: 0,
            failures: Vec::new(),
            unsupported_parameters: Vec::new(),
            error: None,
        },
        passed: Vec::new(),
        breach: None,
    };
    let mut watched = Watched::new(Place::Between);
    let own: Vec<&Vector> = vectors.iter().filter(|it| it.algorithm == algorithm.name).collect();
    // Each call has its buffers at other addresses, of which there may be more than vectors.
    let calls = own.len() + if own.len() < SHIFTS { SHIFTS } else { 0 };
    for (call, vector) in own.iter().cycle().take(calls).enumerate() {
        let is_again = call >= own.len();
        if report.breach.is_some() || (is_again && report.verified.failed > 0) {
            break;
        }
        let outcome = judge(provider, algorithm, backend, vector, &mut watched);
        if !is_again || matches!(outcome, Outcome::Failed(_) | Outcome::OutOfBounds(_)) {
            report.add(vector, outcome);
        }
    }
    report
}

/// A vector passes when all its checks do.
fn judge(
    provider: &dyn Provider,
    algorithm: &Algorithm,
    backend: &str,
    vector: &Vector,
    watched: &mut Watched,
) -> Outcome {
    let checks = match vector.checks() {
        Ok(checks) => checks,
        Err(parameter) => return Outcome::Unsupported(parameter),
    };
    checks
        .iter()
        .map(|check| checks::run(provider, algorithm, backend, vector.variant(), check, watched))
        .find(|outcome| *outcome != Outcome::Passed)
        .unwrap_or(Outcome::Passed)
}

impl Report {
    fn add(&mut self, vector: &Vector, outcome: Outcome) {
        let verified = &mut self.verified;
        match outcome {
            Outcome::Passed => {
                verified.passed += 1;
                self.passed.push(format!("{}/{}", vector.file, vector.id));
            }
            Outcome::Failed(why) => {
                verified.failed += 1;
                if verified.failures.len() < MOST_FAILURES {
                    verified.failures.push(format!("{}/{}: {why}", vector.file, vector.id));
                }
            }
            Outcome::Unsupported(parameter) => {
                verified.unsupported += 1;
                if !verified.unsupported_parameters.contains(&parameter) {
                    verified.unsupported_parameters.push(parameter);
                }
            }
            Outcome::OutOfBounds(Breach(what)) => {
                self.breach = Some(Breach(format!("{}/{}: {what}", vector.file, vector.id)));
            }
        }
    }
}
