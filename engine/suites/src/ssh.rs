//! Packets of the SSH transport (RFC 4253, section 6) with AES-GCM (RFC 5647) and with AES-CTR (RFC
//! 4344) and a MAC over the ciphertext (OpenSSH, PROTOCOL, section 1.5).

use super::aead;
use super::bytes::{cut_end, take};
use super::cipher::{self, BLOCK, Mode};
use super::function::{Job, Protocol};
use ciphermark_providers::api::{CallError, Message};

/// The packet's length, in clear.
const HEADER: usize = 4;
/// Fewest bytes of padding.
const LEAST_PADDING: usize = 4;
/// Blocks that a packet takes of CTR's counter, which goes on from packet to packet: at most 35,000
/// bytes (RFC 4253, section 6.1) are 2188. A real counter goes on by what each packet had, and the
/// harness begins at any packet.
const BLOCKS_OF_A_PACKET: u128 = 4096;

pub struct Ssh {
    pub mode: Mode,
}

impl Protocol for Ssh {
    fn seal(&self, job: Job<'_>, packet: &[u8], wire: &mut [u8]) -> Result<(), CallError> {
        let Job { association, number, framing, first: text, second: whole } = job;
        let bytes = framing.encrypted_bytes(packet.len());
        // Padding should be random; the cost of that is the generator's, and left out.
        let padding = bytes - 1 - packet.len();
        text.clear();
        text.push(padding as u8);
        text.extend_from_slice(packet);
        text.resize(bytes, 0);
        let length = (bytes as u32).to_be_bytes();
        let (head, rest) = wire.split_at_mut(HEADER);
        head.copy_from_slice(&length);
        if self.mode == Mode::Aead {
            return aead::process(
                association,
                &nonce(association.salt(), number),
                &length,
                text,
                rest,
            );
        }
        let counter = counter_block(association.salt(), number);
        let (ciphertext, value) = rest.split_at_mut(bytes);
        association.cipher.process(&Message::new(&counter, text), ciphertext)?;
        with_sequence(whole, number, length, ciphertext);
        association.protect(&[], whole, value)
    }

    /// A connection is known by its socket.
    #[inline]
    fn identifier(&self, _: &[u8]) -> Result<Option<u32>, CallError> {
        Ok(None)
    }

    fn open(&self, job: Job<'_>, wire: &[u8], packet: &mut [u8]) -> Result<(), CallError> {
        let Job { association, number, framing, first: buffer, second: whole } = job;
        let icv_bytes = framing.icv_bytes as usize;
        let (length, rest) = take::<HEADER>(wire)?;
        if u32::from_be_bytes(*length) as usize + icv_bytes != rest.len() {
            return Err(CallError::Refused);
        }
        let text = if self.mode == Mode::Aead {
            let nonce = nonce(association.salt(), number);
            aead::open_into(association, &nonce, length, rest, icv_bytes, buffer)?
        } else {
            let (ciphertext, value) = cut_end(rest, icv_bytes)?;
            with_sequence(whole, number, *length, ciphertext);
            association.check(&[], whole, value)?;
            let counter = counter_block(association.salt(), number);
            cipher::open(association, &counter, ciphertext, buffer)?
        };
        let (padding, rest) = take::<1>(text)?;
        let (inner, padding) = cut_end(rest, padding[0].into())?;
        if padding.len() < LEAST_PADDING {
            return Err(CallError::Refused);
        }
        if inner.len() != packet.len() {
            return Err(CallError::Length);
        }
        packet.copy_from_slice(inner);
        Ok(())
    }
}

/// What the MAC is over: the sequence number and what is sent.
fn with_sequence(whole: &mut Vec<u8>, number: u64, length: [u8; HEADER], ciphertext: &[u8]) {
    whole.clear();
    whole.extend_from_slice(&(number as u32).to_be_bytes());
    whole.extend_from_slice(&length);
    whole.extend_from_slice(ciphertext);
}

/// Four fixed bytes, and eight that are one more for each packet (RFC 5647, section 7.1).
fn nonce(iv: [u8; 12], number: u64) -> [u8; 12] {
    let mut nonce = iv;
    if let Some(count) = nonce.last_chunk_mut() {
        *count = u64::from_be_bytes(*count).wrapping_add(number).to_be_bytes();
    }
    nonce
}

fn counter_block(iv: [u8; BLOCK], number: u64) -> [u8; BLOCK] {
    let blocks = u128::from(number).wrapping_mul(BLOCKS_OF_A_PACKET);
    u128::from_be_bytes(iv).wrapping_add(blocks).to_be_bytes()
}
