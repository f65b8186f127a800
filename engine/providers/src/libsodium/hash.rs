//! Hash functions, each one call.

use std::ptr;

use ciphermark_algorithms::Algorithm;

use super::construction::{self, Incremental};
use super::functions::{Hash, Libsodium};
use crate::api::*;
use crate::checks;

/// A hash with its own function.
pub struct Plain {
    libsodium: &'static Libsodium,
    call: Hash,
    incremental: Incremental,
    digest_bytes: usize,
}

impl Plain {
    pub fn new(
        libsodium: &'static Libsodium,
        call: Hash,
        incremental: Incremental,
        facts: &Algorithm,
        request: &Request<'_>,
    ) -> Result<Self, CreateError> {
        checks::check_nonce(request, 0)?;
        Ok(Self { libsodium, call, incremental, digest_bytes: facts.tag_bytes as usize })
    }
}

impl Function for Plain {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), 0)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        checks::check_length(output.len(), self.digest_bytes)?;
        let (input, bytes) = (message.input.as_ptr(), message.input.len() as u64);
        // SAFETY: the digest has its length, and the message so many bytes.
        super::called(unsafe { (self.call)(output.as_mut_ptr(), input, bytes) })
    }

    fn process_chunks(
        &mut self,
        message: &Message<'_>,
        chunk_bytes: usize,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_length(output.len(), self.digest_bytes)?;
        self.incremental.process(self.libsodium, &[], message.input, chunk_bytes, output)
    }

    fn process_repeated(
        &mut self,
        message: &Message<'_>,
        message_bytes: usize,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_length(output.len(), self.digest_bytes)?;
        self.incremental.repeat(self.libsodium, &[], message.input, message_bytes, output)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        checks::renew_plain_value(what)
    }
}

/// BLAKE2b, whose length of digest is a parameter.
pub struct Blake2b {
    libsodium: &'static Libsodium,
    incremental: Incremental,
    digest_bytes: usize,
}

impl Blake2b {
    pub fn new(
        libsodium: &'static Libsodium,
        facts: &Algorithm,
        request: &Request<'_>,
    ) -> Result<Self, CreateError> {
        checks::check_nonce(request, 0)?;
        let incremental = Incremental::of::<construction::Blake2b>(libsodium)?;
        Ok(Self { libsodium, incremental, digest_bytes: facts.tag_bytes as usize })
    }
}

impl Function for Blake2b {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), 0)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        checks::check_length(output.len(), self.digest_bytes)?;
        let (input, bytes) = (message.input.as_ptr(), message.input.len() as u64);
        // SAFETY: lengths are those of the slices; no key.
        super::called(unsafe {
            (self.libsodium.crypto_generichash)(
                output.as_mut_ptr(),
                output.len(),
                input,
                bytes,
                ptr::null(),
                0,
            )
        })
    }

    fn process_chunks(
        &mut self,
        message: &Message<'_>,
        chunk_bytes: usize,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_length(output.len(), self.digest_bytes)?;
        self.incremental.process(self.libsodium, &[], message.input, chunk_bytes, output)
    }

    fn process_repeated(
        &mut self,
        message: &Message<'_>,
        message_bytes: usize,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_length(output.len(), self.digest_bytes)?;
        self.incremental.repeat(self.libsodium, &[], message.input, message_bytes, output)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        checks::renew_plain_value(what)
    }
}
