//! Authenticated encryption.

use std::ffi::c_int;

use ciphermark_algorithms::Algorithm;

use super::cipher::{CipherHandle, Flags};
use super::functions::{Libgcrypt, RESET, called};
use crate::api::*;
use crate::checks;
use crate::pieces::{Chunks, Cut, FunctionInPieces};

/// A mode, with its number in `enum gcry_cipher_modes`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Ccm = 8,
    Gcm = 9,
    Poly1305 = 10,
    Ocb = 11,
    GcmSiv = 16,
}

/// `GCRYCTL_FINALIZE`: the next call brings the last data.
const FINALIZE: c_int = 5;
/// `GCRYCTL_SET_CCM_LENGTHS`: of the text, the associated data and the tag.
const SET_CCM_LENGTHS: c_int = 69;
/// `GCRYCTL_SET_DECRYPTION_TAG`: the tag, before the text that it belongs to.
const SET_DECRYPTION_TAG: c_int = 80;

impl Mode {
    /// Whether messages may have nonces of that length.
    fn takes_nonce(self, bytes: usize, usual_bytes: usize) -> bool {
        match self {
            Mode::Gcm => bytes > 0,
            Mode::Ccm => (7..=13).contains(&bytes),
            // RFC 7253 has shorter ones too.
            Mode::Ocb => (8..=15).contains(&bytes),
            // Other lengths are other constructions or an error on the user's terminal.
            Mode::Poly1305 | Mode::GcmSiv => bytes == usual_bytes,
        }
    }

    /// The chunks that a text may be given in.
    fn chunks(self, bytes: usize) -> Result<Chunks, CallError> {
        match self {
            // It needs all of the text before it answers.
            Mode::GcmSiv => Err(CallError::Unsupported),
            _ => Chunks::of(bytes, 1),
        }
    }

    /// What all but the last piece of a text is a multiple of, bytes.
    fn unit_bytes(self) -> usize {
        if self == Mode::Ocb { 16 } else { 1 }
    }

    /// Whether an empty text, too, has to be given.
    fn wants_empty_text(self) -> bool {
        matches!(self, Mode::Ocb | Mode::GcmSiv)
    }
}

/// Makes the function of `request.operation`.
pub fn create(
    libgcrypt: &'static Libgcrypt,
    algorithm: c_int,
    mode: Mode,
    facts: &Algorithm,
    request: &Request<'_>,
) -> Result<Box<dyn Function>, CreateError> {
    let mode_number = mode as c_int;
    let mut handle =
        CipherHandle::new(libgcrypt, algorithm, mode_number, Flags::None, facts, request)?;
    if let Some(bytes) = request.nonce_bytes {
        if !mode.takes_nonce(bytes, handle.nonce_bytes) {
            return Err(checks::unsupported_nonce(bytes));
        }
        handle.nonce_bytes = bytes;
    }
    let aead = Aead { handle, mode, tag_bytes: facts.tag_bytes as usize };
    Ok(match request.operation {
        Operation::Open => Box::new(Open(aead)),
        _ => Box::new(Seal(aead)),
    })
}

struct Aead {
    handle: CipherHandle,
    mode: Mode,
    tag_bytes: usize,
}

impl Aead {
    fn seal(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_length(output.len(), message.input.len() + self.tag_bytes)?;
        let (ciphertext, tag) = output.split_at_mut(message.input.len());
        self.start(message)?;
        self.transform(message.input, cut, ciphertext)?;
        self.handle.tag(tag)
    }

    fn open(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        let (input, tag) = checks::split_tag(message.input, self.tag_bytes)?;
        checks::check_length(output.len(), input.len())?;
        self.start(&Message { input, ..*message })?;
        if self.mode == Mode::GcmSiv {
            called(self.handle.control_with(SET_DECRYPTION_TAG, tag))?;
        }
        self.transform(input, cut, output)?;
        called(self.handle.give(self.handle.libgcrypt.gcry_cipher_checktag, tag))
    }

    /// The text alone.
    fn transform(
        &mut self,
        input: &[u8],
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        if input.is_empty() && !self.mode.wants_empty_text() {
            return Ok(());
        }
        for piece in cut.pieces(input.len(), self.mode.unit_bytes()) {
            if self.mode == Mode::Ocb && piece.end == input.len() {
                called(self.handle.control(FINALIZE))?;
            }
            self.handle.transform(&input[piece.clone()], &mut output[piece])?;
        }
        Ok(())
    }

    /// Starts a message under the kept key, as far as its text.
    fn start(&mut self, message: &Message<'_>) -> Result<(), CallError> {
        checks::check_length(message.nonce.len(), self.handle.nonce_bytes)?;
        self.handle.check_key()?;
        if self.mode == Mode::GcmSiv {
            // The other modes are reset by the nonce.
            called(self.handle.control(RESET))?;
        }
        called(self.handle.give(self.handle.libgcrypt.gcry_cipher_setiv, message.nonce))?;
        if self.mode == Mode::Ccm {
            let bytes = [message.input.len(), message.aad.len(), self.tag_bytes];
            called(self.handle.control_with(SET_CCM_LENGTHS, &bytes.map(|bytes| bytes as u64)))?;
        }
        if message.aad.is_empty() {
            return Ok(());
        }
        let function = self.handle.libgcrypt.gcry_cipher_authenticate;
        called(self.handle.give(function, message.aad))
    }
}

struct Seal(Aead);

impl FunctionInPieces for Seal {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0.handle.set_key(key)
    }

    fn chunks(&self, chunk_bytes: usize) -> Result<Chunks, CallError> {
        self.0.mode.chunks(chunk_bytes)
    }

    fn process_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        self.0.seal(message, cut, output)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.0.handle.renew(what)
    }
}

struct Open(Aead);

impl FunctionInPieces for Open {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0.handle.set_key(key)
    }

    fn chunks(&self, chunk_bytes: usize) -> Result<Chunks, CallError> {
        self.0.mode.chunks(chunk_bytes)
    }

    fn process_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        self.0.open(message, cut, output)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.0.handle.renew(what)
    }
}
