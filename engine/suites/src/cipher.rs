//! Ciphers within a suite, and the IVs of CBC.

use super::association::Association;
use ciphermark_providers::api::{CallError, Message};

/// Bytes of a block and of its IV.
pub const BLOCK: usize = 16;

/// How a suite's cipher is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Aead,
    Cbc,
    Ctr,
}

/// A packet's number in the block that CBC's IV is made of.
pub fn number_block(number: u64) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    block[BLOCK - 8..].copy_from_slice(&number.to_be_bytes());
    block
}

/// Encrypts in CBC mode a text that begins with the number's block, and so writes IV and ciphertext.
///
/// The IV is the packet's number, encrypted under the packet's key: the first of the two ways of NIST
/// SP 800-38A, appendix C, unpredictable without the key and different for each packet. With an IV of
/// zeros the cipher's first block is just that, and CBC goes on from it: it costs one block more.
#[inline]
pub fn seal_cbc(
    association: &mut Association,
    text: &[u8],
    iv_and_ciphertext: &mut [u8],
) -> Result<(), CallError> {
    association.cipher.process(&Message::new(&[0; BLOCK], text), iv_and_ciphertext)
}

/// Decrypts as many bytes as `ciphertext` has into a buffer, which is returned.
#[inline]
pub fn open<'a>(
    association: &mut Association,
    nonce: &[u8],
    ciphertext: &[u8],
    buffer: &'a mut Vec<u8>,
) -> Result<&'a [u8], CallError> {
    buffer.resize(ciphertext.len(), 0);
    association.cipher.process(&Message::new(nonce, ciphertext), buffer)?;
    Ok(buffer)
}
