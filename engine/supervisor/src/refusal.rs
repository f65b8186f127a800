//! Why a worker does not do as it is told.

use ciphermark_providers::api::{CallError, CreateError};
use ciphermark_record::description::Algorithm;
use ciphermark_record::event::FailureKind;
use ciphermark_workloads::failure;
use ciphermark_workloads::watched::Breach;

use crate::protocol::Reply;

/// Why a command could not be obeyed.
#[derive(Debug)]
pub struct Refusal {
    pub kind: FailureKind,
    pub message: String,
}

impl From<Refusal> for Reply {
    fn from(refusal: Refusal) -> Self {
        Reply::Failed { kind: refusal.kind, message: refusal.message }
    }
}

impl From<CallError> for Refusal {
    fn from(error: CallError) -> Self {
        Self { kind: FailureKind::Failed, message: error.to_string() }
    }
}

impl From<CreateError> for Refusal {
    fn from(error: CreateError) -> Self {
        let kind = match error {
            CreateError::Unsupported(_) => FailureKind::Unsupported,
            CreateError::Failed(_) => FailureKind::Failed,
        };
        Self { kind, message: error.to_string() }
    }
}

impl From<Breach> for Refusal {
    fn from(Breach(message): Breach) -> Self {
        Self { kind: FailureKind::OutOfBounds, message }
    }
}

impl From<failure::Failure> for Refusal {
    fn from(failure: failure::Failure) -> Self {
        let (kind, message) = match failure {
            failure::Failure::Create(error) => return error.into(),
            failure::Failure::Call(error) => return error.into(),
            failure::Failure::WrongAnswer(message) => (FailureKind::WrongWhileTimed, message),
            failure::Failure::Machine(message) => (FailureKind::Failed, message),
        };
        Self { kind, message }
    }
}

pub fn accepted_forgery() -> Refusal {
    let message = "a message with a flipped bit was accepted".into();
    Refusal { kind: FailureKind::WrongAnswer, message }
}

pub fn failed(message: &str) -> Refusal {
    Refusal { kind: FailureKind::Failed, message: message.into() }
}

/// Facts of an algorithm by its canonical name.
pub fn facts(algorithm: &str) -> Result<&'static Algorithm, Refusal> {
    ciphermark_algorithms::find(algorithm).ok_or_else(|| Refusal {
        kind: FailureKind::Unsupported,
        message: format!("there is no algorithm {algorithm}"),
    })
}
