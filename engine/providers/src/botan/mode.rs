//! Modes and stream ciphers without authentication.

use std::ffi::CStr;

use ciphermark_algorithms::Algorithm;
use ciphermark_record::description::Kind;

use super::cipher::{Cipher, Parts};
use super::functions::Botan;
use crate::api::*;
use crate::checks;
use crate::pieces::{Chunks, Cut, FunctionInPieces};

/// Makes the function of `request.operation`.
pub fn create(
    botan: &'static Botan,
    name: &CStr,
    facts: &Algorithm,
    request: &Request<'_>,
) -> Result<Box<dyn Function>, CreateError> {
    checks::check_nonce(request, facts.nonce_bytes as usize)?;
    // Streams and CTR.
    let parts = if facts.block_bytes == 1 { Parts::One } else { Parts::Two };
    let cipher = Cipher::new(botan, name, parts, facts, request)?;
    Ok(match facts.kind {
        Kind::Stream if facts.nonce_bytes == 0 => {
            Box::new(RekeyedKeystream { cipher, key: vec![0; facts.key_bytes as usize].into() })
        }
        Kind::Stream => Box::new(Keystream(cipher)),
        _ => Box::new(Mode { cipher, block_bytes: facts.block_bytes as usize }),
    })
}

struct Mode {
    cipher: Cipher,
    block_bytes: usize,
}

impl FunctionInPieces for Mode {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.cipher.set_key(key)
    }

    fn chunks(&self, chunk_bytes: usize) -> Result<Chunks, CallError> {
        Chunks::of(chunk_bytes, self.block_bytes)
    }

    fn process_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_blocks(message.input.len(), self.block_bytes)?;
        checks::check_length(output.len(), message.input.len())?;
        self.cipher.start(message.nonce)?;
        self.cipher.run(message.input, cut, output)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.cipher.renew(what)
    }
}

struct Keystream(Cipher);

fn keystream(
    cipher: &mut Cipher,
    message: &Message<'_>,
    cut: impl Cut,
    output: &mut [u8],
) -> Result<(), CallError> {
    cipher.start(message.nonce)?;
    output.fill(0);
    cipher.run_in_place(cut, output)
}

impl FunctionInPieces for Keystream {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0.set_key(key)
    }

    fn process_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_length(message.input.len(), 0)?;
        keystream(&mut self.0, message, cut, output)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.0.renew(what)
    }
}

/// RC4, whose state changes with every byte: only the key brings it back.
struct RekeyedKeystream {
    cipher: Cipher,
    key: Box<[u8]>,
}

impl FunctionInPieces for RekeyedKeystream {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.cipher.set_key(key)?;
        self.key.copy_from_slice(key);
        Ok(())
    }

    fn process_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_length(message.input.len(), 0)?;
        self.cipher.set_key(&self.key)?;
        keystream(&mut self.cipher, message, cut, output)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.cipher.renew(what)
    }
}
