//! AEADs within a suite.

use super::association::Association;
use ciphermark_providers::api::{CallError, Message};

/// Encrypts a text to ciphertext and tag, or checks and decrypts these, by what the association is for.
#[inline]
pub fn process(
    association: &mut Association,
    nonce: &[u8],
    aad: &[u8],
    input: &[u8],
    output: &mut [u8],
) -> Result<(), CallError> {
    association.cipher.process(&Message { nonce, aad, input, unused_bits: 0 }, output)
}

/// Checks and decrypts into a buffer of as many bytes as there are without the tag.
#[inline]
pub fn open_into<'a>(
    association: &mut Association,
    nonce: &[u8],
    aad: &[u8],
    sealed: &[u8],
    tag_bytes: usize,
    buffer: &'a mut Vec<u8>,
) -> Result<&'a [u8], CallError> {
    let bytes = sealed.len().checked_sub(tag_bytes).ok_or(CallError::Refused)?;
    buffer.resize(bytes, 0);
    process(association, nonce, aad, sealed, buffer)?;
    Ok(buffer)
}
