//! Transport data messages of WireGuard (white paper, section 5.4.6).

use super::aead;
use super::bytes::take;
use super::function::{Job, Protocol};
use ciphermark_providers::api::CallError;

const HEADER: usize = 16;
/// Type 4 and three zeros.
const TYPE: [u8; 4] = [4, 0, 0, 0];

pub struct WireGuard;

impl Protocol for WireGuard {
    fn seal(&self, job: Job<'_>, packet: &[u8], wire: &mut [u8]) -> Result<(), CallError> {
        let Job { association, number, framing, first: text, .. } = job;
        text.clear();
        text.extend_from_slice(packet);
        text.resize(framing.encrypted_bytes(packet.len()), 0);
        let (head, sealed) = wire.split_at_mut(HEADER);
        head[..4].copy_from_slice(&TYPE);
        head[4..8].copy_from_slice(&association.identifier.to_le_bytes());
        head[8..].copy_from_slice(&number.to_le_bytes());
        aead::process(association, &nonce(number), &[], text, sealed)
    }

    #[inline]
    fn identifier(&self, wire: &[u8]) -> Result<Option<u32>, CallError> {
        let (kind, rest) = take::<4>(wire)?;
        if *kind != TYPE {
            return Err(CallError::Refused);
        }
        Ok(Some(u32::from_le_bytes(*take(rest)?.0)))
    }

    fn open(&self, job: Job<'_>, wire: &[u8], packet: &mut [u8]) -> Result<(), CallError> {
        let Job { association, framing, first: buffer, .. } = job;
        let (header, sealed) = take::<HEADER>(wire)?;
        let number = u64::from_le_bytes(*take(&header[8..])?.0);
        association.window.look(number);
        let tag_bytes = framing.icv_bytes as usize;
        let text = aead::open_into(association, &nonce(number), &[], sealed, tag_bytes, buffer)?;
        association.window.accept(number);
        // The packet within tells its length by its own header; what follows it is zero.
        if text.len() != framing.encrypted_bytes(packet.len()) {
            return Err(CallError::Length);
        }
        packet.copy_from_slice(&text[..packet.len()]);
        Ok(())
    }
}

/// Four zeros and the counter, little-endian.
fn nonce(number: u64) -> [u8; 12] {
    let mut nonce = [0; 12];
    nonce[4..].copy_from_slice(&number.to_le_bytes());
    nonce
}
