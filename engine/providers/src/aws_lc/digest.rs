//! Hash functions.

use std::ptr;

use aws_lc_sys::*;

use super::answers::{called, failed, own, renew};
use crate::api::*;
use crate::checks;
use crate::pieces::{Cut, FunctionInPieces};
use crate::shared_library::Owned;

/// `EVP_sha256`, …
pub type NewDigest = unsafe extern "C" fn() -> *const EVP_MD;

pub fn create(digest: NewDigest) -> Result<Box<dyn Function>, CreateError> {
    let context = new_context().map_err(failed)?;
    // SAFETY: the digest lives as long as the program.
    let (digest, digest_bytes) = unsafe {
        let digest = digest();
        (digest, EVP_MD_size(digest))
    };
    Ok(Box::new(Digest { context, digest, digest_bytes }))
}

fn new_context() -> Result<Owned<EVP_MD_CTX>, CallError> {
    // SAFETY: the new context is ours.
    unsafe { own(EVP_MD_CTX_new(), EVP_MD_CTX_free) }
}

struct Digest {
    context: Owned<EVP_MD_CTX>,
    digest: *const EVP_MD,
    digest_bytes: usize,
}

// SAFETY: the pointer is to constant data of the library.
unsafe impl Send for Digest {}

impl FunctionInPieces for Digest {
    const REPEATS: bool = true;

    fn process_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_length(output.len(), self.digest_bytes)?;
        let context = self.context.as_ptr();
        // SAFETY: the context and the digest are alive; null for no engine.
        called(unsafe { EVP_DigestInit_ex(context, self.digest, ptr::null_mut()) })?;
        for piece in cut.pieces(message.input.len(), 1) {
            let piece = &message.input[piece];
            // SAFETY: the context is alive and started, and the piece has so many bytes.
            called(unsafe { EVP_DigestUpdate(context, piece.as_ptr().cast(), piece.len()) })?;
        }
        // SAFETY: as above, and the output has the length of the digest; a null count of written
        // bytes is allowed.
        called(unsafe { EVP_DigestFinal_ex(context, output.as_mut_ptr(), ptr::null_mut()) })
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        renew(&mut self.context, what, new_context)
    }
}
