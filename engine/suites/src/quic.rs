//! Packets of QUIC with a short header (RFC 9000, section 17.3), header protection included (RFC 9001,
//! section 5.4).

use super::aead;
use super::association::Association;
use super::bytes::{nearest, take, xor};
use super::function::{Job, Protocol};
use super::tls::nonce;
use ciphermark_providers::api::{CallError, Message};

/// First byte, connection identifier of eight bytes, packet number of four.
const HEADER: usize = 13;
/// Where the packet number begins.
const NUMBER: usize = 9;
/// Bytes of the sample, which begins where a packet number of four bytes would end.
const SAMPLE: usize = 16;
/// Short header, fixed bit, packet number of four bytes.
const FIRST: u8 = 0x43;
/// Bits of the first byte that are hidden.
const HIDDEN: u8 = 0x1f;
/// Bits of a packet number.
const BITS: u32 = 62;
/// What follows the identifier in a connection identifier.
const CONNECTION: [u8; 4] = *b"mark";

pub struct Quic;

impl Protocol for Quic {
    fn seal(&self, job: Job<'_>, packet: &[u8], wire: &mut [u8]) -> Result<(), CallError> {
        let Job { association, number, .. } = job;
        let number = number & ((1 << BITS) - 1);
        let header = header(association.identifier, number as u32);
        let (head, sealed) = wire.split_at_mut(HEADER);
        aead::process(association, &nonce(association.salt(), number), &header, packet, sealed)?;
        let hidden = hidden(association, header, sealed)?;
        head.copy_from_slice(&hidden);
        Ok(())
    }

    #[inline]
    fn identifier(&self, wire: &[u8]) -> Result<Option<u32>, CallError> {
        let (_, rest) = take::<1>(wire)?;
        let (identifier, rest) = take(rest)?;
        match take(rest)?.0 == &CONNECTION {
            true => Ok(Some(u32::from_be_bytes(*identifier))),
            false => Err(CallError::Refused),
        }
    }

    fn open(&self, job: Job<'_>, wire: &[u8], packet: &mut [u8]) -> Result<(), CallError> {
        let Job { association, number, framing, .. } = job;
        let (found, sealed) = take::<HEADER>(wire)?;
        let header = hidden(association, *found, sealed)?;
        if header[0] != FIRST {
            return Err(CallError::Refused);
        }
        let low = u32::from_be_bytes(*take(&header[NUMBER..])?.0);
        let number = nearest(low.into(), 32, number & ((1 << BITS) - 1));
        association.window.look(number);
        if sealed.len() != packet.len() + framing.icv_bytes as usize {
            return Err(CallError::Refused);
        }
        aead::process(association, &nonce(association.salt(), number), &header, sealed, packet)?;
        association.window.accept(number);
        Ok(())
    }
}

fn header(identifier: u32, number: u32) -> [u8; HEADER] {
    let mut header = [FIRST; HEADER];
    header[1..5].copy_from_slice(&identifier.to_be_bytes());
    header[5..NUMBER].copy_from_slice(&CONNECTION);
    header[NUMBER..].copy_from_slice(&number.to_be_bytes());
    header
}

/// The header with its hidden bits turned over, which hides them and shows them again.
#[inline]
fn hidden(
    association: &mut Association,
    mut header: [u8; HEADER],
    sealed: &[u8],
) -> Result<[u8; HEADER], CallError> {
    let (sample, _) = take::<SAMPLE>(sealed)?;
    let mut mask = [0; SAMPLE];
    let function = association.mask.as_mut().ok_or(CallError::Unsupported)?;
    function.process(&Message::new(&[], sample), &mut mask)?;
    header[0] ^= mask[0] & HIDDEN;
    let number: &mut [u8; 4] = header.last_chunk_mut().ok_or(CallError::Length)?;
    *number = xor(*number, &mask[1..5]);
    Ok(header)
}
