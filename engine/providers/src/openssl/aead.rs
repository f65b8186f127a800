//! Authenticated encryption, and GMAC, which is GCM of a message that is all associated data.

use std::ffi::CStr;

use super::context::{CipherContext, Settings};
use super::libcrypto::Libcrypto;
use super::params::{Answer, Parameter, Parameters};
use crate::api::*;
use crate::checks;
use crate::pieces::{Chunks, Cut, FunctionInPieces};
use crate::tag::{self, TagInPieces};

/// Full tags, of all AEADs here.
const TAG_BYTES: usize = 16;

/// The name of the parameter that a tag is asked for by. OpenSSL compares it with some ten others for
/// each message, and glibc may take a slower way where a string lies in the last bytes of a page. What
/// the linker puts where is not to change figures, so the string keeps away from there.
static TAG_NAME: Apart = Apart(*b"tag\0");

#[repr(align(256))]
struct Apart([u8; 4]);

fn tag_name() -> &'static CStr {
    // SAFETY: the bytes end with the only zero.
    unsafe { CStr::from_bytes_with_nul_unchecked(&TAG_NAME.0) }
}

/// The ways in which OpenSSL's AEADs want to be called.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The data in any number of calls, nonces of any length.
    Gcm,
    Ocb,
    /// Shorter nonces are padded with zeros, which RFC 8439 does not have.
    ChaCha20Poly1305,
    /// The data in one call, which checks the tag when it opens; there is no final call.
    Ccm,
    /// The data in one call.
    GcmSiv,
}

impl Mode {
    fn has_one_nonce_length(self) -> bool {
        matches!(self, Mode::ChaCha20Poly1305 | Mode::GcmSiv)
    }

    fn takes_data_at_once(self) -> bool {
        matches!(self, Mode::Ccm | Mode::GcmSiv)
    }

    /// What a context is told for nonces of `nonce_bytes`, when `usual_bytes` are the algorithm's.
    fn settings(self, nonce_bytes: usize, usual_bytes: usize) -> Settings {
        match self {
            // OpenSSL's own lengths are those of RFC 3610's examples, 7 and 12 bytes.
            Mode::Ccm => Settings::Lengths { nonce_bytes, tag_bytes: Some(TAG_BYTES) },
            _ if nonce_bytes != usual_bytes => Settings::Lengths { nonce_bytes, tag_bytes: None },
            _ => Settings::Usual,
        }
    }
}

/// Makes the function of `request.operation`; `usual_bytes` is the usual length of a nonce.
pub fn create(
    libcrypto: &'static Libcrypto,
    name: &'static CStr,
    mode: Mode,
    usual_bytes: usize,
    request: &Request<'_>,
) -> Result<Box<dyn Function>, CreateError> {
    if mode.has_one_nonce_length() {
        checks::check_nonce(request, usual_bytes)?;
    }
    let nonce_bytes = request.nonce_bytes.unwrap_or(usual_bytes);
    let settings = mode.settings(nonce_bytes, usual_bytes);
    let mut context = CipherContext::new(libcrypto, name, request.operation, settings)?;
    context.set_zero_key().map_err(|error| match nonce_bytes == usual_bytes {
        true => libcrypto.failed(error),
        false => checks::unsupported_nonce(nonce_bytes),
    })?;
    let aead = Aead { context, mode, refused: false };
    Ok(match request.operation {
        Operation::Open => Box::new(Open(aead)),
        _ => Box::new(Seal { aead, tag: Answer::bytes(tag_name()) }),
    })
}

pub fn gmac(
    libcrypto: &'static Libcrypto,
    name: &'static CStr,
    request: &Request<'_>,
) -> Result<Box<dyn Function>, CreateError> {
    let mut context = CipherContext::new(libcrypto, name, Operation::Seal, Settings::Usual)?;
    checks::check_nonce(request, context.nonce_bytes)?;
    context.set_zero_key().map_err(|error| libcrypto.failed(error))?;
    Ok(tag::function(Gmac { context, tag: Answer::bytes(tag_name()) }, request.operation))
}

struct Aead {
    context: CipherContext,
    mode: Mode,
    /// Whether the last message was refused. CCM then keeps its length, and would take it for that
    /// of the next one.
    refused: bool,
}

impl Aead {
    /// Chunks, where the mode takes the data in several calls.
    fn chunks(&self, bytes: usize) -> Result<Chunks, CallError> {
        match self.mode.takes_data_at_once() {
            true => Err(CallError::Unsupported),
            false => Chunks::of(bytes, 1),
        }
    }

    /// Takes the associated data of a message of so many bytes.
    fn authenticate(&mut self, data: &[u8], message_bytes: usize) -> Result<(), CallError> {
        match self.mode {
            // It would add them to those of the message before; no data makes it forget these.
            Mode::GcmSiv => self.context.authenticate(&[])?,
            Mode::Ccm if !data.is_empty() || self.refused => {
                self.context.tell_length(message_bytes)?;
            }
            _ => {}
        }
        if data.is_empty() { Ok(()) } else { self.context.authenticate(data) }
    }

    /// Turns `input` into as many bytes of `output`; false when an opened tag is wrong.
    #[inline]
    fn transform(
        &mut self,
        input: &[u8],
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<bool, CallError> {
        match self.mode {
            Mode::Ccm => self.context.transform_whole(input, output).map(|()| true),
            Mode::GcmSiv => {
                self.context.transform_whole(input, output)?;
                self.context.finish(&mut [])
            }
            Mode::Gcm | Mode::Ocb | Mode::ChaCha20Poly1305 => {
                let rest = self.context.transform(input, cut, output)?;
                self.context.finish(rest)
            }
        }
    }
}

struct Seal {
    aead: Aead,
    tag: Answer,
}

impl FunctionInPieces for Seal {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.aead.context.set_key(key)
    }

    fn chunks(&self, chunk_bytes: usize) -> Result<Chunks, CallError> {
        self.aead.chunks(chunk_bytes)
    }

    fn process_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        let aead = &mut self.aead;
        checks::check_length(output.len(), message.input.len() + TAG_BYTES)?;
        let (ciphertext, tag) = output.split_at_mut(message.input.len());
        aead.context.start(message.nonce, None)?;
        aead.authenticate(message.aad, message.input.len())?;
        if !aead.transform(message.input, cut, ciphertext)? {
            return aead.context.libcrypto.called(0);
        }
        aead.context.ask(&mut self.tag, tag)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.aead.context.renew(what)
    }
}

struct Open(Aead);

impl FunctionInPieces for Open {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0.context.set_key(key)
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
        let aead = &mut self.0;
        let (ciphertext, tag) = checks::split_tag(message.input, TAG_BYTES)?;
        checks::check_length(output.len(), ciphertext.len())?;
        let tag = Parameters::one(Parameter::bytes(tag_name(), tag));
        aead.context.start(message.nonce, Some(&tag))?;
        aead.authenticate(message.aad, ciphertext.len())?;
        let opened = match aead.transform(ciphertext, cut, output) {
            // In CCM the one update checks the tag.
            Err(CallError::Library(_)) if aead.mode == Mode::Ccm => false,
            opened => opened?,
        };
        aead.refused = !opened;
        if opened { Ok(()) } else { Err(aead.context.libcrypto.refused()) }
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.0.context.renew(what)
    }
}

struct Gmac {
    context: CipherContext,
    tag: Answer,
}

impl TagInPieces for Gmac {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.context.set_key(key)
    }

    fn tag_bytes(&self) -> usize {
        TAG_BYTES
    }

    fn compute_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        tag: &mut [u8],
    ) -> Result<(), CallError> {
        let context = &mut self.context;
        context.start(message.nonce, None)?;
        for piece in cut.pieces(message.input.len(), 1) {
            context.authenticate(&message.input[piece])?;
        }
        context.finish_unchecked(&mut [])?;
        context.ask(&mut self.tag, tag)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.context.renew(what)
    }

    fn equal(&self, one: &[u8], other: &[u8]) -> bool {
        super::mac::equal(self.context.libcrypto, one, other)
    }
}
