//! Why a workload with threads has no result.

use ciphermark_providers::api::{CallError, CreateError};

/// Why there is no result.
#[derive(Debug)]
pub enum Failure {
    Create(CreateError),
    Call(CallError),
    /// What was written is not the right answer; a sentence.
    WrongAnswer(String),
    /// The machine does not give what is asked for; a sentence.
    Machine(String),
}

impl From<CreateError> for Failure {
    fn from(error: CreateError) -> Self {
        Self::Create(error)
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}
