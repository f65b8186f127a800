//! Hash functions.

use std::ffi::{CStr, c_int};

use super::functions::{Botan, Object, botan_hash_struct, called, give, remake};
use crate::api::*;
use crate::checks;
use crate::pieces::{Cut, FunctionInPieces};

pub struct Hash {
    botan: &'static Botan,
    name: &'static CStr,
    object: Object<botan_hash_struct>,
    digest_bytes: usize,
}

impl Hash {
    pub fn new(
        botan: &'static Botan,
        name: &'static CStr,
        request: &Request<'_>,
    ) -> Result<Self, CreateError> {
        checks::check_nonce(request, 0)?;
        let object = botan.made(name, make(botan, name))?;
        let mut digest_bytes = 0;
        // SAFETY: the object is alive.
        let status =
            unsafe { (botan.botan_hash_output_length)(object.as_ptr(), &mut digest_bytes) };
        botan.created(status)?;
        Ok(Self { botan, name, object, digest_bytes })
    }
}

fn make(botan: &Botan, name: &CStr) -> Result<Object<botan_hash_struct>, c_int> {
    // SAFETY: there is room for the object, and hashes have no flags.
    let init = |object: *mut _, name| unsafe { (botan.botan_hash_init)(object, name, 0) };
    // SAFETY: these two make and destroy hashes.
    unsafe { Botan::make(name, init, botan.botan_hash_destroy) }
}

impl FunctionInPieces for Hash {
    const REPEATS: bool = true;

    fn process_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_length(output.len(), self.digest_bytes)?;
        for piece in cut.pieces(message.input.len(), 1) {
            called(give(&self.object, self.botan.botan_hash_update, &message.input[piece]))?;
        }
        // SAFETY: the object is alive, and the output has the length that the object said.
        called(unsafe { (self.botan.botan_hash_final)(self.object.as_ptr(), output.as_mut_ptr()) })
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        remake(what, &mut self.object, || make(self.botan, self.name))
    }
}
