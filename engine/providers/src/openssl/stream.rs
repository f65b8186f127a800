//! Keystreams. OpenSSL gives none alone, so zeros are encrypted in place.

use ciphermark_algorithms::Algorithm;

use super::context::{CipherContext, Settings};
use super::libcrypto::Libcrypto;
use crate::api::*;
use crate::checks;
use crate::pieces::{Cut, FunctionInPieces};

/// How a context gets to the beginning of a message's keystream.
trait Start: Send {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError>;

    /// The context, at the beginning.
    fn start(&mut self, nonce: &[u8]) -> Result<&mut CipherContext, CallError>;

    fn renew(&mut self, what: Renewed) -> Result<(), CallError>;
}

pub fn chacha20(
    libcrypto: &'static Libcrypto,
    facts: &Algorithm,
    request: &Request<'_>,
) -> Result<Box<dyn Function>, CreateError> {
    checks::check_nonce(request, facts.nonce_bytes as usize)?;
    let mut context =
        CipherContext::new(libcrypto, c"ChaCha20", request.operation, Settings::Usual)?;
    context.set_zero_key().map_err(|error| libcrypto.failed(error))?;
    Ok(Box::new(Keystream(ChaCha20(context))))
}

pub fn rc4(
    libcrypto: &'static Libcrypto,
    request: &Request<'_>,
) -> Result<Box<dyn Function>, CreateError> {
    checks::check_nonce(request, 0)?;
    let context = || CipherContext::new(libcrypto, c"RC4", request.operation, Settings::Usual);
    let mut rc4 = Rc4 { keyed: context()?, running: context()? };
    rc4.keyed.set_zero_key().map_err(|error| libcrypto.failed(error))?;
    Ok(Box::new(Keystream(rc4)))
}

struct ChaCha20(CipherContext);

/// Bytes of the block counter, which OpenSSL takes before the nonce as one IV.
const COUNTER_BYTES: usize = 4;
const IV_BYTES: usize = 16;

impl Start for ChaCha20 {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0.set_key(key)
    }

    fn start(&mut self, nonce: &[u8]) -> Result<&mut CipherContext, CallError> {
        checks::check_length(nonce.len(), IV_BYTES - COUNTER_BYTES)?;
        let mut iv = [0; IV_BYTES];
        iv[COUNTER_BYTES..].copy_from_slice(nonce);
        self.0.start(&iv, None)?;
        Ok(&mut self.0)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.0.renew(what)
    }
}

struct Rc4 {
    /// At the beginning of its stream.
    keyed: CipherContext,
    running: CipherContext,
}

impl Start for Rc4 {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.keyed.set_key(key)
    }

    fn start(&mut self, nonce: &[u8]) -> Result<&mut CipherContext, CallError> {
        checks::check_length(nonce.len(), 0)?;
        self.running.copy_from(&self.keyed)?;
        Ok(&mut self.running)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.keyed.renew(what)
    }
}

struct Keystream<S>(S);

impl<S: Start> FunctionInPieces for Keystream<S> {
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
        let context = self.0.start(message.nonce)?;
        output.fill(0);
        context.transform_in_place(output, cut)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.0.renew(what)
    }
}
