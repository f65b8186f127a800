//! Hash functions.

use std::ptr;

use aws_lc_sys::*;

use super::answers::{called, created, own};
use crate::api::*;
use crate::checks;
use crate::shared_library::Owned;

/// `EVP_sha256`, …
pub type NewDigest = unsafe extern "C" fn() -> *const EVP_MD;

pub fn create(digest: NewDigest) -> Result<Box<dyn Function>, CreateError> {
    // SAFETY: the digest lives as long as the program, the new context is ours; null for no engine.
    unsafe {
        let digest = digest();
        let context = own(EVP_MD_CTX_new(), EVP_MD_CTX_free)?;
        created(EVP_DigestInit_ex(context.as_ptr(), digest, ptr::null_mut()))?;
        Ok(Box::new(Digest { context, digest, digest_bytes: EVP_MD_size(digest) }))
    }
}

struct Digest {
    context: Owned<EVP_MD_CTX>,
    digest: *const EVP_MD,
    digest_bytes: usize,
}

// SAFETY: the pointer is to constant data of the library.
unsafe impl Send for Digest {}

impl Function for Digest {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), 0)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        checks::check_length(output.len(), self.digest_bytes)?;
        let context = self.context.as_ptr();
        let input = message.input;
        // SAFETY: the context is alive, input and output have the lengths given; a null count of
        // written bytes is allowed.
        unsafe {
            called(EVP_DigestInit_ex(context, self.digest, ptr::null_mut()))?;
            called(EVP_DigestUpdate(context, input.as_ptr().cast(), input.len()))?;
            called(EVP_DigestFinal_ex(context, output.as_mut_ptr(), ptr::null_mut()))
        }
    }
}
