//! Data units of PDCP in LTE and 5G with a sequence number of 18 bits (TS 38.323, section 6.2.2).
//!
//! The MAC-I is over header and packet and is ciphered with the packet (section 5.8 and 5.9).

use super::bytes::{cut_end, nearest, take};
use super::cipher;
use super::function::{Job, Protocol};
use super::umts::{DOWNLINK, bearer_nonce, fresh_nonce};
use ciphermark_providers::api::{CallError, Message};

const HEADER: usize = 3;
/// Bits of the sequence number in the header; above them the bit that tells data from control.
const BITS: u32 = 18;
const DATA: u32 = 1 << 23;
/// The nonce of a MAC that takes FRESH, which 128-EIA1 fills with the bearer (TS 33.401, B.2.2).
const FRESH_NONCE: usize = 9;

pub struct Pdcp {
    /// Bytes of the MAC's nonce.
    pub mac_nonce_bytes: usize,
}

impl Protocol for Pdcp {
    fn seal(&self, job: Job<'_>, packet: &[u8], wire: &mut [u8]) -> Result<(), CallError> {
        let Job { association, framing, first: text, .. } = job;
        let (count, bearer) = (job.number as u32, bearer(association.identifier));
        let header = DATA | count & ((1 << BITS) - 1);
        text.clear();
        text.extend_from_slice(&header.to_be_bytes()[1..]);
        text.extend_from_slice(packet);
        if framing.icv_bytes > 0 {
            let mut value = [0; 4];
            let (nonce, bytes) = self.mac_nonce(count, bearer);
            association.protect(&nonce[..bytes], text, &mut value)?;
            text.extend_from_slice(&value);
        }
        let (head, rest) = wire.split_at_mut(HEADER);
        head.copy_from_slice(&text[..HEADER]);
        let nonce = bearer_nonce(count, bearer, DOWNLINK);
        let message = Message::new(&nonce, &text[HEADER..]);
        association.cipher.process(&message, rest)
    }

    /// A bearer is known by its logical channel.
    #[inline]
    fn identifier(&self, _: &[u8]) -> Result<Option<u32>, CallError> {
        Ok(None)
    }

    fn open(&self, job: Job<'_>, wire: &[u8], packet: &mut [u8]) -> Result<(), CallError> {
        let Job { association, framing, first: text, second: buffer, .. } = job;
        let bearer = bearer(association.identifier);
        let (header, ciphertext) = take::<HEADER>(wire)?;
        let first = u32::from_be_bytes([0, header[0], header[1], header[2]]);
        if first >> BITS != DATA >> BITS {
            return Err(CallError::Refused);
        }
        let sequence = u64::from(first & ((1 << BITS) - 1));
        let count = nearest(sequence, BITS, u64::from(job.number as u32)) as u32;
        let nonce = bearer_nonce(count, bearer, DOWNLINK);
        let plain = cipher::open(association, &nonce, ciphertext, buffer)?;
        association.window.look(count.into());
        let (inner, value) = cut_end(plain, framing.icv_bytes as usize)?;
        if !value.is_empty() {
            text.clear();
            text.extend_from_slice(header);
            text.extend_from_slice(inner);
            let (nonce, bytes) = self.mac_nonce(count, bearer);
            association.check(&nonce[..bytes], text, value)?;
        }
        association.window.accept(count.into());
        if inner.len() != packet.len() {
            return Err(CallError::Length);
        }
        packet.copy_from_slice(inner);
        Ok(())
    }
}

impl Pdcp {
    /// The nonce of the MAC, and how many bytes it has.
    #[inline]
    fn mac_nonce(&self, count: u32, bearer: u8) -> ([u8; FRESH_NONCE], usize) {
        let fresh = u32::from(bearer) << 27;
        let mut nonce = fresh_nonce(count, fresh, DOWNLINK);
        if self.mac_nonce_bytes != FRESH_NONCE {
            nonce[..6].copy_from_slice(&bearer_nonce(count, bearer, DOWNLINK));
        }
        (nonce, self.mac_nonce_bytes)
    }
}

/// A bearer of five bits.
fn bearer(identifier: u32) -> u8 {
    (identifier & 0x1f) as u8
}
