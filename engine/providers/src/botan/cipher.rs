//! Botan's cipher object: every mode of a block cipher and every stream cipher is one, with
//! authentication or without.

use std::ffi::{CStr, CString, c_int};

use ciphermark_algorithms::Algorithm;

use super::functions::{Botan, Object, botan_cipher_struct, called, give, remake};
use crate::api::*;
use crate::checks;
use crate::pieces::Cut;
use crate::scalar::scalar;

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

/// Bytes that one call has written and taken.
struct Counts {
    written: usize,
    taken: usize,
}

/// A cipher object, for one direction.
pub struct Cipher {
    pub botan: &'static Botan,
    name: CString,
    direction: u32,
    pub object: Object<botan_cipher_struct>,
    /// An object that was made anew has none. A message would be refused, and some modes would not
    /// get over it.
    has_key: bool,
    key_bytes: usize,
    nonce_bytes: usize,
    /// Data before the last part is given as multiples of so many bytes.
    part_bytes: usize,
}

fn make(botan: &Botan, name: &CStr, direction: u32) -> Result<Object<botan_cipher_struct>, c_int> {
    let init = |object: *mut _, name| {
        // SAFETY: there is room for the object.
        unsafe { (botan.botan_cipher_init)(object, name, direction) }
    };
    // SAFETY: these two make and destroy ciphers.
    unsafe { Botan::make(name, init, botan.botan_cipher_destroy) }
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
        let object = botan.made(name, make(botan, name, direction))?;
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
        let name = name.into();
        let has_key = true;
        Ok(Self { botan, name, direction, object, has_key, key_bytes, nonce_bytes, part_bytes })
    }

    pub fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        remake(what, &mut self.object, || make(self.botan, &self.name, self.direction))?;
        self.has_key = false;
        Ok(())
    }

    pub fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), self.key_bytes)?;
        called(give(&self.object, self.botan.botan_cipher_set_key, key))?;
        self.has_key = true;
        Ok(())
    }

    /// Refuses messages before the key.
    pub fn check_key(&self) -> Result<(), CallError> {
        if self.has_key { Ok(()) } else { Err(CallError::Unsupported) }
    }

    /// Forgets everything but the key.
    pub fn reset(&mut self) -> Result<(), CallError> {
        // SAFETY: the object is alive.
        called(unsafe { (self.botan.botan_cipher_reset)(self.object.as_ptr()) })
    }

    /// Starts a message under the kept key.
    pub fn start(&mut self, nonce: &[u8]) -> Result<(), CallError> {
        checks::check_length(nonce.len(), self.nonce_bytes)?;
        self.check_key()?;
        called(give(&self.object, self.botan.botan_cipher_start, nonce))
    }

    /// Turns a message into an answer that has exactly the length of `output`. A tag to be opened
    /// comes with the last piece.
    pub fn run(&mut self, input: &[u8], cut: impl Cut, output: &mut [u8]) -> Result<(), CallError> {
        let text_bytes = input.len().min(output.len());
        let (mut taken, mut written) = (0, 0);
        for piece in cut.pieces(text_bytes, 1) {
            if piece.end == text_bytes {
                break;
            }
            // What Botan has left of the piece before is given again.
            let piece = &input[taken..piece.end];
            let room = &mut output[written..];
            let counts = self.update(MORE, piece.as_ptr(), piece.len(), room)?;
            written += counts.written;
            taken += counts.taken;
        }
        self.finish(&input[taken..], &mut output[written..])
    }

    /// Turns the rest of a message, or all of it.
    fn finish(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), CallError> {
        // The last part is never empty, which CBC would refuse, and on opening it has the tag.
        let least = input.len().min(output.len()).saturating_sub(1);
        let bulk_bytes = least / self.part_bytes * self.part_bytes;
        let (bulk, rest) = input.split_at(bulk_bytes);
        let (bulk_output, rest_output) = output.split_at_mut(bulk_bytes);
        if !bulk.is_empty() {
            self.update_all(MORE, bulk.as_ptr(), bulk.len(), bulk_output)?;
        }
        self.update_all(LAST, rest.as_ptr(), rest.len(), rest_output)
    }

    /// Turns what `output` holds, of a cipher that takes any number of bytes.
    pub fn run_in_place(&mut self, cut: impl Cut, output: &mut [u8]) -> Result<(), CallError> {
        let bytes = output.len();
        for piece in cut.pieces(bytes, 1) {
            let flags = if piece.end == bytes { LAST } else { MORE };
            let piece = &mut output[piece];
            self.update_all(flags, piece.as_ptr(), piece.len(), piece)?;
        }
        Ok(())
    }

    /// Turns all of the input into all of the output.
    fn update_all(
        &mut self,
        flags: u32,
        input: *const u8,
        input_bytes: usize,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        let counts = self.update(flags, input, input_bytes, output)?;
        checks::check_length(counts.written, output.len())?;
        checks::check_length(counts.taken, input_bytes)
    }

    fn update(
        &mut self,
        flags: u32,
        input: *const u8,
        input_bytes: usize,
        output: &mut [u8],
    ) -> Result<Counts, CallError> {
        let mut counts = Counts { written: scalar(0), taken: 0 };
        // SAFETY: the object is alive, and the lengths are those of the two. Botan works on a copy,
        // so they may be the same.
        called(unsafe {
            (self.botan.botan_cipher_update)(
                self.object.as_ptr(),
                flags,
                output.as_mut_ptr(),
                output.len(),
                &mut counts.written,
                input,
                input_bytes,
                &mut counts.taken,
            )
        })?;
        Ok(counts)
    }
}
