//! Hash functions.

use std::ffi::CStr;

use super::functions::{Botan, Object, botan_hash_struct, called, give};
use crate::api::*;
use crate::checks;

pub struct Hash {
    botan: &'static Botan,
    object: Object<botan_hash_struct>,
    digest_bytes: usize,
}

impl Hash {
    pub fn new(
        botan: &'static Botan,
        name: &CStr,
        request: &Request<'_>,
    ) -> Result<Self, CreateError> {
        checks::check_nonce(request, 0)?;
        // SAFETY: these two make and destroy hashes, which have no flags.
        let object = unsafe {
            let init = |object: *mut _, name| (botan.botan_hash_init)(object, name, 0);
            botan.make(name, init, botan.botan_hash_destroy)?
        };
        let mut digest_bytes = 0;
        // SAFETY: the object is alive.
        let status =
            unsafe { (botan.botan_hash_output_length)(object.as_ptr(), &mut digest_bytes) };
        botan.created(status)?;
        Ok(Self { botan, object, digest_bytes })
    }
}

impl Function for Hash {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), 0)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        checks::check_length(output.len(), self.digest_bytes)?;
        called(give(&self.object, self.botan.botan_hash_update, message.input))?;
        // SAFETY: the object is alive, and the output has the length that the object said.
        called(unsafe { (self.botan.botan_hash_final)(self.object.as_ptr(), output.as_mut_ptr()) })
    }
}
