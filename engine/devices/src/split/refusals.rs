//! Why a function's messages cannot be cut.

use ciphermark_algorithms::Algorithm;
use ciphermark_record::description::Kind;

use super::SplitRequest;
use ciphermark_providers::api::{CreateError, Operation};

/// The refusal of an operation that is not one of those that can be cut.
pub fn refused(facts: &Algorithm, operation: Operation) -> CreateError {
    let (title, why) = (&facts.title, reason(facts, operation));
    CreateError::Unsupported(format!("{operation} of {title} split over cores: {why}"))
}

/// The refusal of what a provider lacks for the parts of messages.
pub fn lacking(split: &SplitRequest<'_>, why: CreateError) -> CreateError {
    let (title, operation) = (&split.facts.title, split.request.operation);
    match why {
        CreateError::Unsupported(what) => CreateError::Unsupported(format!(
            "{operation} of {title} split over cores: the parts would need {what}"
        )),
        failed @ CreateError::Failed(_) => failed,
    }
}

fn reason(facts: &Algorithm, operation: Operation) -> &'static str {
    const CHAINED: &str = "each block needs the one before";
    const NO_STATE: &str = "a tag of a part does not tell the state that the next part needs";
    const NO_PLACE: &str = "no interface here lets it begin within a message";
    let name = facts.name.as_str();
    let is = |beginnings: &[&str]| beginnings.iter().any(|it| name.starts_with(it));
    if operation == Operation::Setup {
        return "a key setup has no message";
    }
    match facts.kind {
        _ if name.ends_with("-cbc") => CHAINED,
        Kind::Mac if is(&["hmac-", "cmac-", "cbc-mac-", "kmac", "siphash", "blake2"]) => CHAINED,
        Kind::Hash => CHAINED,
        Kind::Mac if is(&["uia1", "eia2"]) => CHAINED,
        Kind::Mac => NO_STATE,
        Kind::Aead if is(&["ascon", "aegis"]) || name.ends_with("-ccm") => CHAINED,
        Kind::Cipher if is(&["uea1"]) => CHAINED,
        Kind::Cipher | Kind::Stream | Kind::Aead => NO_PLACE,
        Kind::Suite => "its header, padding and check value belong to the packet as a whole",
    }
}
