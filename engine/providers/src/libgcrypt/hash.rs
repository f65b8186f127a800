//! Hash functions.

use std::ffi::c_int;
use std::slice;

use super::functions::{Libgcrypt, gcry_md_handle as Handle};
use crate::api::*;
use crate::checks;
use crate::shared_library::Owned;

pub struct Hash {
    libgcrypt: &'static Libgcrypt,
    handle: Owned<Handle>,
    algorithm: c_int,
    digest_bytes: usize,
}

impl Hash {
    pub fn new(
        libgcrypt: &'static Libgcrypt,
        algorithm: c_int,
        request: &Request<'_>,
    ) -> Result<Self, CreateError> {
        checks::check_nonce(request, 0)?;
        // SAFETY: these two make and close hashes' handles.
        let handle = unsafe {
            let open = |handle: *mut _| (libgcrypt.gcry_md_open)(handle, algorithm, 0);
            libgcrypt.open(open, libgcrypt.gcry_md_close)?
        };
        // SAFETY: takes any number.
        let digest_bytes = unsafe { (libgcrypt.gcry_md_get_algo_dlen)(algorithm) } as usize;
        Ok(Self { libgcrypt, handle, algorithm, digest_bytes })
    }
}

impl Function for Hash {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), 0)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        checks::check_length(output.len(), self.digest_bytes)?;
        let (handle, input) = (self.handle.as_ptr(), message.input);
        // SAFETY: the handle is alive and has the algorithm, whose digest has so many bytes and
        // stays in the handle until the next call.
        let digest = unsafe {
            (self.libgcrypt.gcry_md_reset)(handle);
            (self.libgcrypt.gcry_md_write)(handle, input.as_ptr().cast(), input.len());
            let digest = (self.libgcrypt.gcry_md_read)(handle, self.algorithm);
            slice::from_raw_parts(digest, self.digest_bytes)
        };
        output.copy_from_slice(digest);
        Ok(())
    }
}
