//! Hash functions, each one call.

use std::ffi::c_int;
use std::ptr;

use ciphermark_algorithms::Algorithm;

use super::construction::{Blake2b, Incremental};
use super::functions::{Hash, Libsodium};
use crate::api::*;
use crate::checks;

/// The call that takes a whole message.
pub trait OneCall: Send {
    /// # Safety
    ///
    /// `digest` has the length of the hash's.
    unsafe fn digest(&self, libsodium: &Libsodium, input: &[u8], digest: &mut [u8]) -> c_int;
}

/// A hash with its own function.
impl OneCall for Hash {
    #[inline]
    unsafe fn digest(&self, _: &Libsodium, input: &[u8], digest: &mut [u8]) -> c_int {
        // SAFETY: the digest has its length, and the message so many bytes.
        unsafe { self(digest.as_mut_ptr(), input.as_ptr(), input.len() as u64) }
    }
}

/// BLAKE2b, whose length of digest is a parameter.
impl OneCall for Blake2b {
    #[inline]
    unsafe fn digest(&self, libsodium: &Libsodium, input: &[u8], digest: &mut [u8]) -> c_int {
        // SAFETY: lengths are those of the slices; no key.
        unsafe {
            (libsodium.crypto_generichash)(
                digest.as_mut_ptr(),
                digest.len(),
                input.as_ptr(),
                input.len() as u64,
                ptr::null(),
                0,
            )
        }
    }
}

/// A hash by its one call or in parts.
pub struct Digest<C> {
    libsodium: &'static Libsodium,
    call: C,
    incremental: Incremental,
    digest_bytes: usize,
}

impl<C: OneCall> Digest<C> {
    pub fn new(
        libsodium: &'static Libsodium,
        call: C,
        incremental: Incremental,
        facts: &Algorithm,
        request: &Request<'_>,
    ) -> Result<Self, CreateError> {
        checks::check_nonce(request, 0)?;
        Ok(Self { libsodium, call, incremental, digest_bytes: facts.tag_bytes as usize })
    }
}

impl<C: OneCall> Function for Digest<C> {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), 0)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        checks::check_length(output.len(), self.digest_bytes)?;
        // SAFETY: the digest has its length.
        super::called(unsafe { self.call.digest(self.libsodium, message.input, output) })
    }

    fn process_parts(
        &mut self,
        message: &Message<'_>,
        parts: Parts,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_length(output.len(), self.digest_bytes)?;
        self.incremental.process(self.libsodium, &[], message.input, parts, output)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        checks::renew_plain_value(what)
    }
}
