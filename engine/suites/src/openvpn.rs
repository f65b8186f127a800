//! Packets of OpenVPN's data channel, P_DATA_V2, without compression.
//!
//! With an AEAD: opcode with peer identifier, packet number, tag, ciphertext; the first two are
//! associated data, and the nonce is the packet number with eight bytes of the key material. With CBC:
//! opcode with peer identifier, HMAC, IV, ciphertext; the HMAC is over IV and ciphertext, and the
//! packet number is encrypted with the packet.

use super::bytes::{cut_end, take};
use super::cipher::{BLOCK, Mode, number_block, seal_cbc};
use super::function::{Job, Protocol};
use super::{aead, cipher};
use ciphermark_providers::api::CallError;

/// P_DATA_V2, key 0.
const OPCODE: u8 = 9 << 3;
/// Opcode and peer identifier.
const HEAD: usize = 4;
/// The packet number.
const NUMBER: usize = 4;

pub struct OpenVpn {
    pub mode: Mode,
}

impl Protocol for OpenVpn {
    const IDENTIFIER_BITS: u32 = 24;

    fn seal(&self, job: Job<'_>, packet: &[u8], wire: &mut [u8]) -> Result<(), CallError> {
        let Job { association, framing, first: text, .. } = job;
        let number = (job.number as u32).to_be_bytes();
        let head = (u32::from(OPCODE) << 24 | association.identifier).to_be_bytes();
        let icv_bytes = framing.icv_bytes as usize;
        wire[..HEAD].copy_from_slice(&head);
        if self.mode == Mode::Aead {
            wire[HEAD..HEAD + NUMBER].copy_from_slice(&number);
            let aad = aad(head, number);
            let sealed = &mut wire[HEAD + NUMBER..];
            aead::process(association, &nonce(number, association.salt()), &aad, packet, sealed)?;
            // Libraries write the tag last, and it is sent first.
            sealed.rotate_right(icv_bytes);
            return Ok(());
        }
        text.clear();
        text.extend_from_slice(&number_block(job.number));
        text.extend_from_slice(&number);
        text.extend_from_slice(packet);
        let bytes = framing.encrypted_bytes(packet.len());
        let padding = bytes - NUMBER - packet.len();
        text.resize(BLOCK + bytes, padding as u8);
        let (value, sent) = wire[HEAD..].split_at_mut(icv_bytes);
        seal_cbc(association, text, sent)?;
        association.protect(&[], sent, value)
    }

    #[inline]
    fn identifier(&self, wire: &[u8]) -> Result<Option<u32>, CallError> {
        let head = u32::from_be_bytes(*take(wire)?.0);
        if head >> 24 != u32::from(OPCODE) {
            return Err(CallError::Refused);
        }
        Ok(Some(head & 0xff_ffff))
    }

    fn open(&self, job: Job<'_>, wire: &[u8], packet: &mut [u8]) -> Result<(), CallError> {
        let Job { association, framing, first: buffer, .. } = job;
        let icv_bytes = framing.icv_bytes as usize;
        let (head, rest) = take::<HEAD>(wire)?;
        if self.mode == Mode::Aead {
            let (number, rest) = take::<NUMBER>(rest)?;
            let sequence = u32::from_be_bytes(*number).into();
            association.window.look(sequence);
            if rest.len() != packet.len() + icv_bytes {
                return Err(CallError::Refused);
            }
            let (tag, ciphertext) = rest.split_at(icv_bytes);
            buffer.clear();
            buffer.extend_from_slice(ciphertext);
            buffer.extend_from_slice(tag);
            let nonce = nonce(*number, association.salt());
            aead::process(association, &nonce, &aad(*head, *number), buffer, packet)?;
            association.window.accept(sequence);
            return Ok(());
        }
        let (value, sent) = rest.split_at_checked(icv_bytes).ok_or(CallError::Refused)?;
        association.check(&[], sent, value)?;
        let (iv, ciphertext) = take::<BLOCK>(sent)?;
        let text = cipher::open(association, iv, ciphertext, buffer)?;
        let padding = *text.last().ok_or(CallError::Refused)?;
        let (rest, filling) = cut_end(text, padding.into())?;
        if padding == 0 || filling.iter().any(|&it| it != padding) {
            return Err(CallError::Refused);
        }
        let (number, inner) = take(rest)?;
        // The number is known only now, after the HMAC.
        let sequence = u32::from_be_bytes(*number).into();
        association.window.look(sequence);
        association.window.accept(sequence);
        if inner.len() != packet.len() {
            return Err(CallError::Length);
        }
        packet.copy_from_slice(inner);
        Ok(())
    }
}

fn aad(head: [u8; HEAD], number: [u8; NUMBER]) -> [u8; HEAD + NUMBER] {
    let mut aad = [0; HEAD + NUMBER];
    aad[..HEAD].copy_from_slice(&head);
    aad[HEAD..].copy_from_slice(&number);
    aad
}

fn nonce(number: [u8; NUMBER], implicit: [u8; 8]) -> [u8; 12] {
    let mut nonce = [0; 12];
    nonce[..NUMBER].copy_from_slice(&number);
    nonce[NUMBER..].copy_from_slice(&implicit);
    nonce
}
