//! SRTP: AES-CTR with a truncated HMAC (RFC 3711) and AES-GCM (RFC 7714).

use super::aead;
use super::bytes::{cut_end, nearest, take, xor};
use super::cipher::{self, BLOCK, Mode};
use super::function::{Job, Protocol};
use ciphermark_providers::api::{CallError, Message};

/// An RTP header without further sources.
const HEADER: usize = 12;
/// Version 2; a dynamic payload type.
const FIRST: [u8; 2] = [0x80, 96];
/// Steps of the timestamp: 20 ms of voice at 8 kHz.
const TIMESTAMP_STEP: u32 = 160;
/// Bits of a packet's index: rollover counter and sequence number.
const BITS: u32 = 48;
/// Of AES-CTR.
const SALT: usize = 14;

pub struct Srtp {
    pub mode: Mode,
}

impl Protocol for Srtp {
    fn seal(&self, job: Job<'_>, packet: &[u8], wire: &mut [u8]) -> Result<(), CallError> {
        let Job { association, number, framing, first: whole, .. } = job;
        let index = number & ((1 << BITS) - 1);
        let source = association.identifier;
        let header = header(source, index);
        if self.mode == Mode::Aead {
            let (head, sealed) = wire.split_at_mut(HEADER);
            head.copy_from_slice(&header);
            let nonce = gcm_nonce(association.salt(), source, index);
            return aead::process(association, &nonce, &header, packet, sealed);
        }
        let (sent, value) = wire.split_at_mut(wire.len() - framing.icv_bytes as usize);
        sent[..HEADER].copy_from_slice(&header);
        let counter = counter_block(association.salt(), source, index);
        association.cipher.process(&Message::new(&counter, packet), &mut sent[HEADER..])?;
        with_rollover(whole, sent, index);
        association.protect(&[], whole, value)
    }

    #[inline]
    fn identifier(&self, wire: &[u8]) -> Result<Option<u32>, CallError> {
        let (header, _) = take::<HEADER>(wire)?;
        Ok(Some(u32::from_be_bytes(*take(&header[8..])?.0)))
    }

    fn open(&self, job: Job<'_>, wire: &[u8], packet: &mut [u8]) -> Result<(), CallError> {
        let Job { association, number, framing, first: whole, .. } = job;
        let icv_bytes = framing.icv_bytes as usize;
        let (header, rest) = take::<HEADER>(wire)?;
        let sequence = u16::from_be_bytes(*take(&header[2..])?.0);
        let index = nearest(sequence.into(), 16, number & ((1 << BITS) - 1));
        association.window.look(index);
        if rest.len() != packet.len() + icv_bytes {
            return Err(CallError::Refused);
        }
        let source = association.identifier;
        if self.mode == Mode::Aead {
            let nonce = gcm_nonce(association.salt(), source, index);
            aead::process(association, &nonce, header, rest, packet)?;
        } else {
            let (sent, value) = cut_end(wire, icv_bytes)?;
            with_rollover(whole, sent, index);
            association.check(&[], whole, value)?;
            let counter = counter_block(association.salt(), source, index);
            let text = cipher::open(association, &counter, &sent[HEADER..], whole)?;
            packet.copy_from_slice(text);
        }
        association.window.accept(index);
        Ok(())
    }
}

fn header(source: u32, index: u64) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..2].copy_from_slice(&FIRST);
    header[2..4].copy_from_slice(&(index as u16).to_be_bytes());
    let timestamp = (index as u32).wrapping_mul(TIMESTAMP_STEP);
    header[4..8].copy_from_slice(&timestamp.to_be_bytes());
    header[8..].copy_from_slice(&source.to_be_bytes());
    header
}

/// What is authenticated: the packet and the rollover counter (RFC 3711, section 4.2).
#[inline]
fn with_rollover(whole: &mut Vec<u8>, sent: &[u8], index: u64) {
    whole.clear();
    whole.extend_from_slice(sent);
    whole.extend_from_slice(&((index >> 16) as u32).to_be_bytes());
}

/// RFC 3711, section 4.1.1: salt · 2^16, source · 2^64 and index · 2^16.
fn counter_block(salt: [u8; SALT], source: u32, index: u64) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    block[4..8].copy_from_slice(&source.to_be_bytes());
    block[8..SALT].copy_from_slice(&index.to_be_bytes()[2..]);
    xor(block, &salt)
}

/// RFC 7714, section 8.1: two zeros, source, rollover counter, sequence number; and the salt.
fn gcm_nonce(salt: [u8; HEADER], source: u32, index: u64) -> [u8; 12] {
    let mut nonce = [0; 12];
    nonce[2..6].copy_from_slice(&source.to_be_bytes());
    nonce[6..].copy_from_slice(&index.to_be_bytes()[2..]);
    xor(nonce, &salt)
}
