//! What every provider checks: the request before a function is made, and the lengths before a
//! message is touched.

use std::collections::BTreeMap;

use crate::api::*;
use ciphermark_record::description::{Algorithm, Kind};

/// The one backend of a library that chooses its code path itself.
pub const DEFAULT_BACKEND: &str = "default";

/// The implementation of a library that chooses its code path itself and does not say which.
pub fn default_implementation(
    provider: &str,
    algorithm: &str,
    kind: Kind,
    constant_time: Option<bool>,
    patterns: Vec<Pattern>,
) -> Implementation {
    Implementation {
        algorithm: algorithm.into(),
        provider: provider.into(),
        backend: DEFAULT_BACKEND.into(),
        default: true,
        backend_evidence: BackendEvidence::Unknown,
        constant_time,
        operations: kind.operations().to_vec(),
        patterns,
        most_lanes: 1,
        takes_repeats: false,
        path: String::new(),
        switches: BTreeMap::new(),
        features: Vec::new(),
        leaves_vectors_dirty: None,
    }
}

/// Returns a key that every library takes: XTS refuses one of equal halves.
pub fn trial_key(facts: &Algorithm) -> Vec<u8> {
    (0..facts.key_bytes).map(|place| place as u8).collect()
}

/// The refusal of an algorithm that the provider does not have.
pub fn unknown_algorithm(request: &Request<'_>) -> CreateError {
    CreateError::Unsupported(format!("the algorithm {}", request.algorithm))
}

/// The refusal of a backend that the provider does not have for this algorithm.
pub fn unknown_backend(request: &Request<'_>) -> CreateError {
    CreateError::Unsupported(format!("the backend {}", request.backend))
}

/// The refusal of a variant of the algorithm that the provider does not have.
pub fn unknown_variant(request: &Request<'_>) -> CreateError {
    CreateError::Unsupported(request.variant.unwrap_or_default().to_owned())
}

/// Refuses messages that end within a byte, unless the function counts in bits.
pub fn check_bits(request: &Request<'_>, counts_bits: bool) -> Result<(), CreateError> {
    match request.counts_bits && !counts_bits {
        true => Err(CreateError::Unsupported("length_bits of a part of a byte".into())),
        false => Ok(()),
    }
}

/// Refuses an operation that functions of this kind do not have.
pub fn check_operation(request: &Request<'_>, kind: Kind) -> Result<(), CreateError> {
    if !kind.operations().contains(&request.operation) {
        let operation = request.operation;
        return Err(CreateError::Unsupported(format!("the operation {operation}")));
    }
    Ok(())
}

/// Refuses nonces of another length than the `usual_bytes` of the algorithm.
pub fn check_nonce(request: &Request<'_>, usual_bytes: usize) -> Result<(), CreateError> {
    match request.nonce_bytes {
        Some(bytes) if bytes != usual_bytes => Err(unsupported_nonce(bytes)),
        _ => Ok(()),
    }
}

pub fn unsupported_nonce(bytes: usize) -> CreateError {
    CreateError::Unsupported(format!("a nonce of {bytes} bytes"))
}

/// Splits `message ‖ tag`.
pub fn split_tag(input: &[u8], tag_bytes: usize) -> Result<(&[u8], &[u8]), CallError> {
    let message_bytes = input.len().checked_sub(tag_bytes).ok_or(CallError::Length)?;
    Ok(input.split_at(message_bytes))
}

/// [`CallError::Length`] unless `bytes` is `expected`.
pub fn check_length(bytes: usize, expected: usize) -> Result<(), CallError> {
    if bytes == expected { Ok(()) } else { Err(CallError::Length) }
}

/// [`CallError::Length`] unless `bytes` is whole blocks.
pub fn check_blocks(bytes: usize, block_bytes: usize) -> Result<(), CallError> {
    // A division is long beside a short message, and blocks are powers of two.
    let is_whole = match block_bytes.is_power_of_two() {
        true => bytes & (block_bytes - 1) == 0,
        false => bytes.is_multiple_of(block_bytes),
    };
    if is_whole { Ok(()) } else { Err(CallError::Length) }
}

/// What [`Function::renew`] does where a context is a plain value of the caller, and nothing is
/// looked up by name.
pub fn renew_plain_value(what: Renewed) -> Result<(), CallError> {
    match what {
        Renewed::Context => Ok(()),
        Renewed::Algorithm => Err(CallError::Unsupported),
    }
}
