//! Botan's cipher object: every mode of a block cipher and every stream cipher is one, with
//! authentication or without.

use std::ffi::CStr;

use ciphermark_algorithms::Algorithm;

use super::functions::{Botan, Object, botan_cipher_struct, called, give};
use crate::api::*;
use crate::checks;

/// `BOTAN_CIPHER_INIT_FLAG_ENCRYPT`
const ENCRYPT: u32 = 0;
/// `BOTAN_CIPHER_INIT_FLAG_DECRYPT`
const DECRYPT: u32 = 1;
/// No flag of `botan_cipher_update`: more data follows.
const MORE: u32 = 0;
/// `BOTAN_CIPHER_UPDATE_FLAG_FINAL`: the data is the last.
const LAST: u32 = 1;

/// How a message is handed over.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Parts {
    /// As one part, the last: modes that need all of it before they answer, and stream ciphers,
    /// whose parts have one byte in Botan 2.
    One,
    /// In Botan 2, as whole multiples of what the mode takes and a last part, since it copies the
    /// last part byte by byte: this way AES-128-CBC decrypts 16 KiB in a third of the time. Botan 3
    /// is slower with two parts than with one.
    Two,
}

/// A cipher object, for one direction.
pub struct Cipher {
    pub botan: &'static Botan,
    pub object: Object<botan_cipher_struct>,
    key_bytes: usize,
    nonce_bytes: usize,
    /// Data before the last part is given as multiples of so many bytes.
    part_bytes: usize,
}

impl Cipher {
    /// A cipher with the key zero, so that there is no state without one.
    pub fn new(
        botan: &'static Botan,
        name: &CStr,
        parts: Parts,
        facts: &Algorithm,
        request: &Request<'_>,
    ) -> Result<Self, CreateError> {
        let direction = match request.operation {
            Operation::Open | Operation::Decrypt => DECRYPT,
            _ => ENCRYPT,
        };
        // SAFETY: these two make and destroy ciphers.
        let object = unsafe {
            let init = |object: *mut _, name| (botan.botan_cipher_init)(object, name, direction);
            botan.make(name, init, botan.botan_cipher_destroy)?
        };
        let (key_bytes, usual_bytes) = (facts.key_bytes as usize, facts.nonce_bytes as usize);
        let nonce_bytes = request.nonce_bytes.unwrap_or(usual_bytes);
        // SAFETY: the object is alive.
        let valid =
            unsafe { (botan.botan_cipher_valid_nonce_length)(object.as_ptr(), nonce_bytes) == 1 };
        if !valid {
            return Err(checks::unsupported_nonce(nonce_bytes));
        }
        botan.created(give(&object, botan.botan_cipher_set_key, &vec![0; key_bytes]))?;
        let mut part_bytes = usize::MAX;
        // SAFETY: takes nothing.
        if parts == Parts::Two && unsafe { (botan.botan_version_major)() } == 2 {
            let function = botan.botan_cipher_get_update_granularity;
            // SAFETY: the object is alive.
            botan.created(unsafe { function(object.as_ptr(), &mut part_bytes) })?;
        }
        Ok(Self { botan, object, key_bytes, nonce_bytes, part_bytes })
    }

    pub fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), self.key_bytes)?;
        called(give(&self.object, self.botan.botan_cipher_set_key, key))
    }

    /// Forgets everything but the key.
    pub fn reset(&mut self) -> Result<(), CallError> {
        // SAFETY: the object is alive.
        called(unsafe { (self.botan.botan_cipher_reset)(self.object.as_ptr()) })
    }

    /// Starts a message under the kept key.
    pub fn start(&mut self, nonce: &[u8]) -> Result<(), CallError> {
        checks::check_length(nonce.len(), self.nonce_bytes)?;
        called(give(&self.object, self.botan.botan_cipher_start, nonce))
    }

    /// Turns the whole of a message into an answer that has exactly the length of `output`.
    pub fn finish(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), CallError> {
        // The last part is never empty, which CBC would refuse, and on opening it has the tag.
        let least = input.len().min(output.len()).saturating_sub(1);
        let bulk_bytes = least / self.part_bytes * self.part_bytes;
        let (bulk, rest) = input.split_at(bulk_bytes);
        let (bulk_output, rest_output) = output.split_at_mut(bulk_bytes);
        if !bulk.is_empty() {
            self.update(MORE, bulk.as_ptr(), bulk.len(), bulk_output)?;
        }
        self.update(LAST, rest.as_ptr(), rest.len(), rest_output)
    }

    /// Turns what `output` holds.
    pub fn finish_in_place(&mut self, output: &mut [u8]) -> Result<(), CallError> {
        self.update(LAST, output.as_ptr(), output.len(), output)
    }

    fn update(
        &mut self,
        flags: u32,
        input: *const u8,
        input_bytes: usize,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        let (mut written, mut consumed) = (0, 0);
        // SAFETY: the object is alive, and the lengths are those of the two. Botan works on a copy,
        // so they may be the same.
        called(unsafe {
            (self.botan.botan_cipher_update)(
                self.object.as_ptr(),
                flags,
                output.as_mut_ptr(),
                output.len(),
                &mut written,
                input,
                input_bytes,
                &mut consumed,
            )
        })?;
        checks::check_length(written, output.len())?;
        checks::check_length(consumed, input_bytes)
    }
}
