//! Records of TLS 1.3 (RFC 8446, sections 5.2 and 5.3).

use super::aead;
use super::bytes::{take, xor};
use super::function::{Job, Protocol};
use ciphermark_providers::api::CallError;

const HEADER: usize = 5;
/// The type that all records show.
const APPLICATION_DATA: u8 = 23;
const LEGACY_VERSION: [u8; 2] = [3, 3];
/// Bytes of a nonce.
const NONCE: usize = 12;

pub struct Tls;

impl Protocol for Tls {
    fn seal(&self, job: Job<'_>, packet: &[u8], wire: &mut [u8]) -> Result<(), CallError> {
        let Job { association, number, first: text, .. } = job;
        text.clear();
        text.extend_from_slice(packet);
        text.push(APPLICATION_DATA);
        let (head, sealed) = wire.split_at_mut(HEADER);
        let header = header(sealed.len());
        head.copy_from_slice(&header);
        aead::process(association, &nonce(association.salt(), number), &header, text, sealed)
    }

    /// A connection is known by its socket.
    #[inline]
    fn identifier(&self, _: &[u8]) -> Result<Option<u32>, CallError> {
        Ok(None)
    }

    fn open(&self, job: Job<'_>, wire: &[u8], packet: &mut [u8]) -> Result<(), CallError> {
        let Job { association, number, framing, first: buffer, .. } = job;
        let (found, sealed) = take::<HEADER>(wire)?;
        if *found != header(sealed.len()) {
            return Err(CallError::Refused);
        }
        let nonce = nonce(association.salt(), number);
        let tag_bytes = framing.icv_bytes as usize;
        let text = aead::open_into(association, &nonce, found, sealed, tag_bytes, buffer)?;
        // Zeros at the end are padding (section 5.4); the last other byte is the type.
        let last = text.iter().rposition(|&byte| byte != 0).ok_or(CallError::Refused)?;
        if text[last] != APPLICATION_DATA {
            return Err(CallError::Refused);
        }
        if last != packet.len() {
            return Err(CallError::Length);
        }
        packet.copy_from_slice(&text[..last]);
        Ok(())
    }
}

fn header(sealed_bytes: usize) -> [u8; HEADER] {
    let [high, low] = (sealed_bytes as u16).to_be_bytes();
    [APPLICATION_DATA, LEGACY_VERSION[0], LEGACY_VERSION[1], high, low]
}

/// The sequence number, as long as the IV, and the IV (section 5.3).
#[inline]
pub fn nonce(iv: [u8; NONCE], number: u64) -> [u8; NONCE] {
    let mut padded = [0; NONCE];
    padded[NONCE - 8..].copy_from_slice(&number.to_be_bytes());
    xor(iv, &padded)
}
