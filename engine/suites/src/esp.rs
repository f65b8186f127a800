//! ESP in tunnel mode (RFC 4303) with AEADs (RFC 4106, 4309, 7634), CBC (RFC 3602, 4312) and CTR (RFC
//! 3686), and a truncated HMAC or CMAC over what is sent (RFC 2404, 4868, 4494).

use super::bytes::{cut_end, take};
use super::cipher::{BLOCK, Mode, number_block, seal_cbc};
use super::function::{Job, Protocol};
use super::{aead, cipher};
use ciphermark_providers::api::{CallError, Message};

const HEADER: usize = 8;
/// Bytes of IV of AEADs and CTR.
const SHORT_IV: usize = 8;
/// An IPv4 packet is inside.
const NEXT_HEADER: u8 = 4;

pub struct Esp {
    pub mode: Mode,
    /// Bytes of the salt before an AEAD's IV.
    pub salt_bytes: usize,
}

impl Protocol for Esp {
    fn seal(&self, job: Job<'_>, packet: &[u8], wire: &mut [u8]) -> Result<(), CallError> {
        let header = header(job.association.identifier, job.number as u32);
        let iv = job.number.to_be_bytes();
        let Job { association, framing, first: text, .. } = job;
        text.clear();
        if self.mode == Mode::Cbc {
            text.extend_from_slice(&number_block(job.number));
        }
        pad(text, packet, framing.encrypted_bytes(packet.len()));
        let (head, rest) = wire.split_at_mut(HEADER);
        head.copy_from_slice(&header);
        match self.mode {
            Mode::Aead => {
                let (iv_field, sealed) = rest.split_at_mut(SHORT_IV);
                iv_field.copy_from_slice(&iv);
                let (nonce, bytes) = self.nonce(association.salt(), iv);
                return aead::process(association, &nonce[..bytes], &header, text, sealed);
            }
            Mode::Cbc => seal_cbc(association, text, &mut rest[..text.len()])?,
            Mode::Ctr => {
                let (iv_field, rest) = rest.split_at_mut(SHORT_IV);
                iv_field.copy_from_slice(&iv);
                let counter = counter_block(association.salt(), iv);
                let message = Message::new(&counter, text);
                association.cipher.process(&message, &mut rest[..text.len()])?;
            }
        }
        let (sent, value) = wire.split_at_mut(wire.len() - framing.icv_bytes as usize);
        association.protect(&[], sent, value)
    }

    #[inline]
    fn identifier(&self, wire: &[u8]) -> Result<Option<u32>, CallError> {
        Ok(Some(u32::from_be_bytes(*take(wire)?.0)))
    }

    fn open(&self, job: Job<'_>, wire: &[u8], packet: &mut [u8]) -> Result<(), CallError> {
        let Job { association, framing, first: buffer, .. } = job;
        let (header, rest) = take::<HEADER>(wire)?;
        let sequence = u32::from_be_bytes(*take(&header[4..])?.0).into();
        association.window.look(sequence);
        let icv_bytes = framing.icv_bytes as usize;
        let text = if self.mode == Mode::Aead {
            let (iv, sealed) = take::<SHORT_IV>(rest)?;
            let (nonce, bytes) = self.nonce(association.salt(), *iv);
            aead::open_into(association, &nonce[..bytes], header, sealed, icv_bytes, buffer)?
        } else {
            let (sent, value) = cut_end(wire, icv_bytes)?;
            association.check(&[], sent, value)?;
            let sent = &sent[HEADER.min(sent.len())..];
            if self.mode == Mode::Cbc {
                let (iv, ciphertext) = take::<BLOCK>(sent)?;
                cipher::open(association, iv, ciphertext, buffer)?
            } else {
                let (iv, ciphertext) = take::<SHORT_IV>(sent)?;
                let counter = counter_block(association.salt(), *iv);
                cipher::open(association, &counter, ciphertext, buffer)?
            }
        };
        association.window.accept(sequence);
        unpad(text, packet)
    }
}

impl Esp {
    /// Salt and IV, and how many bytes they are.
    #[inline]
    fn nonce(&self, salt: [u8; 4], iv: [u8; SHORT_IV]) -> ([u8; 12], usize) {
        let mut nonce = [0; 12];
        nonce[..self.salt_bytes].copy_from_slice(&salt[..self.salt_bytes]);
        nonce[self.salt_bytes..][..SHORT_IV].copy_from_slice(&iv);
        (nonce, self.salt_bytes + SHORT_IV)
    }
}

fn header(identifier: u32, sequence: u32) -> [u8; HEADER] {
    (u64::from(identifier) << 32 | u64::from(sequence)).to_be_bytes()
}

/// RFC 3686, section 4: nonce, IV, and a counter that begins at 1.
fn counter_block(salt: [u8; 4], iv: [u8; SHORT_IV]) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    block[..4].copy_from_slice(&salt);
    block[4..12].copy_from_slice(&iv);
    block[BLOCK - 1] = 1;
    block
}

/// The packet, 1, 2, 3, … as padding, its length and what is inside (RFC 4303, section 2.4).
#[inline]
fn pad(text: &mut Vec<u8>, packet: &[u8], bytes: usize) {
    text.extend_from_slice(packet);
    let padding = (bytes - packet.len() - 2) as u8;
    text.extend(1..=padding);
    text.extend([padding, NEXT_HEADER]);
}

/// The packet before the trailer, whose padding is looked at (RFC 4303, section 2.4).
#[inline]
fn unpad(text: &[u8], packet: &mut [u8]) -> Result<(), CallError> {
    let (rest, trailer) = cut_end(text, 2)?;
    let (inner, padding) = cut_end(rest, trailer[0].into())?;
    let counts = padding.iter().zip(1..).all(|(&byte, count)| byte == count);
    if !counts || trailer[1] != NEXT_HEADER {
        return Err(CallError::Refused);
    }
    if inner.len() != packet.len() {
        return Err(CallError::Length);
    }
    packet.copy_from_slice(inner);
    Ok(())
}
