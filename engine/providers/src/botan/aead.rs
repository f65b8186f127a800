//! Authenticated encryption.

use std::ffi::{CStr, CString};

use ciphermark_algorithms::Algorithm;

use super::cipher::{Cipher, Parts};
use super::functions::{Botan, called, give};
use crate::api::*;
use crate::checks;
use crate::pieces::{Chunks, Cut, FunctionInPieces};

/// What a mode wants done.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Nothing special; nonces may have other lengths than the usual one.
    AnyNonce,
    /// Only nonces of the usual length: with others it is another function.
    OneNonce,
    /// It needs the whole message before it answers, and its name says how many bytes the message's
    /// length takes of the 15 that it shares with the nonce.
    Ccm,
    /// As [`Mode::OneNonce`], and it needs the whole message before it answers.
    GcmSiv,
    /// In Botan 2 it keeps what it made from the last nonce when the key changes, and uses it when
    /// that nonce comes again, unless it is reset.
    Ocb,
}

/// Makes the function of `request.operation`.
pub fn create(
    botan: &'static Botan,
    name: &CStr,
    mode: Mode,
    facts: &Algorithm,
    request: &Request<'_>,
) -> Result<Box<dyn Function>, CreateError> {
    let (nonce_bytes, tag_bytes) = (facts.nonce_bytes as usize, facts.tag_bytes as usize);
    if matches!(mode, Mode::OneNonce | Mode::GcmSiv) {
        checks::check_nonce(request, nonce_bytes)?;
    }
    let cipher = match mode {
        Mode::Ccm => {
            let name = ccm_name(name, tag_bytes, request.nonce_bytes.unwrap_or(nonce_bytes))?;
            Cipher::new(botan, &name, Parts::One, facts, request)?
        }
        Mode::GcmSiv => Cipher::new(botan, name, Parts::One, facts, request)?,
        _ => Cipher::new(botan, name, Parts::Two, facts, request)?,
    };
    let aead = Aead { cipher, mode, tag_bytes, holds_aad: false };
    Ok(match request.operation {
        Operation::Open => Box::new(Open(aead)),
        _ => Box::new(Seal(aead)),
    })
}

/// `AES-128/CCM(16,3)`: bytes of the tag and of the message's length.
fn ccm_name(name: &CStr, tag_bytes: usize, nonce_bytes: usize) -> Result<CString, CreateError> {
    if !(7..=13).contains(&nonce_bytes) {
        return Err(checks::unsupported_nonce(nonce_bytes));
    }
    let name = format!("{}({tag_bytes},{})", name.to_string_lossy(), 15 - nonce_bytes);
    Ok(CString::new(name).expect("a name without null"))
}

struct Aead {
    cipher: Cipher,
    mode: Mode,
    tag_bytes: usize,
    /// Whether the object holds associated data, which it keeps for the messages that follow.
    holds_aad: bool,
}

impl Aead {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.cipher.set_key(key)?;
        if self.mode == Mode::Ocb {
            self.cipher.reset()?;
            self.holds_aad = false;
        }
        Ok(())
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.cipher.renew(what)?;
        self.holds_aad = false;
        Ok(())
    }

    /// The chunks that a text may be given in.
    fn chunks(&self, bytes: usize) -> Result<Chunks, CallError> {
        match self.mode {
            Mode::Ccm | Mode::GcmSiv => Err(CallError::Unsupported),
            _ => Chunks::of(bytes, 1),
        }
    }

    fn process(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        // Before the associated data, which needs it too.
        self.cipher.check_key()?;
        if self.holds_aad || !message.aad.is_empty() {
            let function = self.cipher.botan.botan_cipher_set_associated_data;
            called(give(&self.cipher.object, function, message.aad))?;
            self.holds_aad = !message.aad.is_empty();
        }
        self.cipher.start(message.nonce)?;
        self.cipher.run(message.input, cut, output)
    }
}

struct Seal(Aead);

impl FunctionInPieces for Seal {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0.set_key(key)
    }

    fn chunks(&self, chunk_bytes: usize) -> Result<Chunks, CallError> {
        self.0.chunks(chunk_bytes)
    }

    fn process_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_length(output.len(), message.input.len() + self.0.tag_bytes)?;
        self.0.process(message, cut, output)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.0.renew(what)
    }
}

struct Open(Aead);

impl FunctionInPieces for Open {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0.set_key(key)
    }

    fn chunks(&self, chunk_bytes: usize) -> Result<Chunks, CallError> {
        self.0.chunks(chunk_bytes)
    }

    fn process_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_length(message.input.len(), output.len() + self.0.tag_bytes)?;
        self.0.process(message, cut, output)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.0.renew(what)
    }
}
