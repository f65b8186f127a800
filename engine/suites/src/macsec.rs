//! Frames of MACsec, encrypted, with an explicit secure channel identifier (IEEE 802.1AE-2018, clause
//! 9, and 14.5 and 14.6).

use super::aead;
use super::bytes::take;
use super::function::{Job, Protocol};
use ciphermark_providers::api::CallError;

/// Destination and source address, which are the link's and are protected.
const ADDRESSES: usize = 12;
/// The security tag.
const TAG: usize = 16;
const ETHERTYPE: [u8; 2] = [0x88, 0xe5];
/// Identifier present, encrypted, changed text, association 0 (9.5).
const CONTROL: u8 = 0x2c;
/// Data of fewer bytes has its length in the tag (9.7).
const SHORT: usize = 48;
/// An IPv4 packet is inside.
const INNER: [u8; 2] = [0x08, 0x00];
const DESTINATION: [u8; 6] = [2, 0, 0, 0, 0, 1];

pub struct MacSec;

impl Protocol for MacSec {
    fn seal(&self, job: Job<'_>, packet: &[u8], wire: &mut [u8]) -> Result<(), CallError> {
        let Job { association, first: text, .. } = job;
        let number = (job.number as u32).to_be_bytes();
        let channel = channel(association.identifier);
        text.clear();
        text.extend_from_slice(&INNER);
        text.extend_from_slice(packet);
        let tag = tag(text.len(), number, channel);
        let (head, sealed) = wire.split_at_mut(TAG);
        head.copy_from_slice(&tag);
        aead::process(association, &nonce(channel, number), &aad(channel, tag), text, sealed)
    }

    #[inline]
    fn identifier(&self, wire: &[u8]) -> Result<Option<u32>, CallError> {
        let (tag, _) = take::<TAG>(wire)?;
        let (_, channel) = take::<8>(tag)?;
        let (_, rest) = take::<2>(channel)?;
        Ok(Some(u32::from_be_bytes(*take(rest)?.0)))
    }

    fn open(&self, job: Job<'_>, wire: &[u8], packet: &mut [u8]) -> Result<(), CallError> {
        let Job { association, framing, first: buffer, .. } = job;
        let icv_bytes = framing.icv_bytes as usize;
        let (found, sealed) = take::<TAG>(wire)?;
        let number = *take(&found[4..])?.0;
        let channel = channel(association.identifier);
        let text_bytes = sealed.len().checked_sub(icv_bytes).ok_or(CallError::Refused)?;
        let tag = tag(text_bytes, number, channel);
        if *found != tag {
            return Err(CallError::Refused);
        }
        let sequence = u32::from_be_bytes(number).into();
        association.window.look(sequence);
        let (nonce, aad) = (nonce(channel, number), aad(channel, tag));
        let text = aead::open_into(association, &nonce, &aad, sealed, icv_bytes, buffer)?;
        association.window.accept(sequence);
        let (kind, inner) = take(text)?;
        if *kind != INNER {
            return Err(CallError::Refused);
        }
        if inner.len() != packet.len() {
            return Err(CallError::Length);
        }
        packet.copy_from_slice(inner);
        Ok(())
    }
}

/// The secure channel identifier: the sender's address and a port.
fn channel(identifier: u32) -> [u8; 8] {
    let [a, b, c, d] = identifier.to_be_bytes();
    [2, 0, a, b, c, d, 0, 1]
}

pub fn tag(text_bytes: usize, number: [u8; 4], channel: [u8; 8]) -> [u8; TAG] {
    let short = if text_bytes < SHORT { text_bytes as u8 } else { 0 };
    let mut tag = [0; TAG];
    tag[..2].copy_from_slice(&ETHERTYPE);
    tag[2..4].copy_from_slice(&[CONTROL, short]);
    tag[4..8].copy_from_slice(&number);
    tag[8..].copy_from_slice(&channel);
    tag
}

fn aad(channel: [u8; 8], tag: [u8; TAG]) -> [u8; ADDRESSES + TAG] {
    let mut aad = [0; ADDRESSES + TAG];
    aad[..6].copy_from_slice(&DESTINATION);
    aad[6..ADDRESSES].copy_from_slice(&channel[..6]);
    aad[ADDRESSES..].copy_from_slice(&tag);
    aad
}

pub fn nonce(channel: [u8; 8], number: [u8; 4]) -> [u8; 12] {
    let mut nonce = [0; 12];
    nonce[..8].copy_from_slice(&channel);
    nonce[8..].copy_from_slice(&number);
    nonce
}
