//! Radio link control and signalling of 3G: f8 over all but two octets of header, and for signalling f9
//! within (TS 33.102, sections 6.5 and 6.6).

use super::bytes::{cut_end, nearest, take};
use super::cipher;
use super::function::{Job, Protocol};
use ciphermark_providers::api::{CallError, Message};

/// Direction of packets to the phone.
pub const DOWNLINK: u8 = 1;
const HEADER: usize = 2;
/// A data unit of the acknowledged mode; its sequence number has twelve bits (TS 25.322, section
/// 9.2.1.4).
const DATA: u16 = 1 << 15;
const BITS: u32 = 12;
/// Where the sequence number stands.
const SHIFT: u32 = 3;
/// MAC-I, and an octet with the sequence number of four bits (TS 25.331, section 10.3.3.16).
const VALUE: usize = 4;

pub struct Umts;

impl Protocol for Umts {
    fn seal(&self, job: Job<'_>, packet: &[u8], wire: &mut [u8]) -> Result<(), CallError> {
        let Job { association, framing, first: text, second: message, .. } = job;
        let (count, identifier) = (job.number as u32, association.identifier);
        text.clear();
        if framing.icv_bytes > 0 {
            let mut value = [0; VALUE];
            signalled(message, identifier, packet);
            let nonce = fresh_nonce(count, identifier, DOWNLINK);
            association.protect(&nonce, message, &mut value)?;
            text.extend_from_slice(&value);
            text.push(signalling_number(count));
        }
        text.extend_from_slice(packet);
        let (head, rest) = wire.split_at_mut(HEADER);
        head.copy_from_slice(&header(count));
        let nonce = bearer_nonce(count, bearer(identifier), DOWNLINK);
        association.cipher.process(&Message::new(&nonce, text), rest)
    }

    /// A bearer is known by its logical channel.
    #[inline]
    fn identifier(&self, _: &[u8]) -> Result<Option<u32>, CallError> {
        Ok(None)
    }

    fn open(&self, job: Job<'_>, wire: &[u8], packet: &mut [u8]) -> Result<(), CallError> {
        let Job { association, framing, first: message, second: buffer, .. } = job;
        let identifier = association.identifier;
        let (found, ciphertext) = take::<HEADER>(wire)?;
        let low = u16::from_be_bytes(*found) >> SHIFT & ((1 << BITS) - 1);
        let count = nearest(low.into(), BITS, u64::from(job.number as u32)) as u32;
        if *found != header(count) {
            return Err(CallError::Refused);
        }
        association.window.look(count.into());
        let nonce = bearer_nonce(count, bearer(identifier), DOWNLINK);
        let text = cipher::open(association, &nonce, ciphertext, buffer)?;
        let (_, inner) = cut_end(text, packet.len())?;
        if framing.icv_bytes == 0 && text.len() != packet.len() {
            return Err(CallError::Length);
        }
        if framing.icv_bytes > 0 {
            let (value, rest) = take::<VALUE>(text)?;
            if rest.len() != packet.len() + 1 || rest[0] != signalling_number(count) {
                return Err(CallError::Refused);
            }
            signalled(message, identifier, inner);
            association.check(&fresh_nonce(count, identifier, DOWNLINK), message, value)?;
        }
        association.window.accept(count.into());
        packet.copy_from_slice(inner);
        Ok(())
    }
}

/// What f9 is over: the message with the bearer in place of the MAC-I and a sequence number of zero (TS
/// 25.331, section 8.5.10.3).
fn signalled(message: &mut Vec<u8>, identifier: u32, packet: &[u8]) {
    message.clear();
    message.extend_from_slice(&u32::from(bearer(identifier)).to_be_bytes());
    message.push(0);
    message.extend_from_slice(packet);
}

/// The sequence number of four bits, in the upper ones of its octet.
fn signalling_number(count: u32) -> u8 {
    (count as u8) << 4
}

fn header(count: u32) -> [u8; HEADER] {
    (DATA | (count as u16 & ((1 << BITS) - 1)) << SHIFT).to_be_bytes()
}

fn bearer(identifier: u32) -> u8 {
    (identifier & 0x1f) as u8
}

/// COUNT, BEARER, DIRECTION, see `ciphermark_algorithms::threegpp`.
pub fn bearer_nonce(count: u32, bearer: u8, direction: u8) -> [u8; 6] {
    let [a, b, c, d] = count.to_be_bytes();
    [a, b, c, d, bearer, direction]
}

/// COUNT, FRESH, DIRECTION.
pub fn fresh_nonce(count: u32, fresh: u32, direction: u8) -> [u8; 9] {
    let mut nonce = [direction; 9];
    nonce[..4].copy_from_slice(&count.to_be_bytes());
    nonce[4..8].copy_from_slice(&fresh.to_be_bytes());
    nonce
}
