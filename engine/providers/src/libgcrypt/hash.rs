//! Hash functions.

use std::ffi::c_int;
use std::slice;

use super::functions::{Libgcrypt, Status, gcry_md_handle as Handle, reopen};
use crate::api::*;
use crate::checks;
use crate::pieces::{Cut, FunctionInPieces};
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
        let handle = libgcrypt.opened(open(libgcrypt, algorithm))?;
        // SAFETY: takes any number.
        let digest_bytes = unsafe { (libgcrypt.gcry_md_get_algo_dlen)(algorithm) } as usize;
        Ok(Self { libgcrypt, handle, algorithm, digest_bytes })
    }
}

fn open(libgcrypt: &Libgcrypt, algorithm: c_int) -> Result<Owned<Handle>, Status> {
    // SAFETY: there is room for the handle.
    let open = |handle: *mut _| unsafe { (libgcrypt.gcry_md_open)(handle, algorithm, 0) };
    // SAFETY: these two make and close hashes' handles.
    unsafe { Libgcrypt::open(open, libgcrypt.gcry_md_close) }
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
        let handle = self.handle.as_ptr();
        // SAFETY: the handle is alive.
        unsafe { (self.libgcrypt.gcry_md_reset)(handle) };
        for piece in cut.pieces(message.input.len(), 1) {
            let piece = &message.input[piece];
            // SAFETY: the handle is alive, and the piece has so many bytes.
            unsafe { (self.libgcrypt.gcry_md_write)(handle, piece.as_ptr().cast(), piece.len()) };
        }
        // SAFETY: the handle is alive and has the algorithm, whose digest has so many bytes and
        // stays in the handle until the next call.
        let digest = unsafe {
            let digest = (self.libgcrypt.gcry_md_read)(handle, self.algorithm);
            slice::from_raw_parts(digest, self.digest_bytes)
        };
        output.copy_from_slice(digest);
        Ok(())
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        reopen(what, &mut self.handle, || open(self.libgcrypt, self.algorithm))
    }
}
