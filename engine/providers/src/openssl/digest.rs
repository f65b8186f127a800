//! Hash functions.

use std::ffi::CStr;
use std::ptr;

use super::libcrypto::{EVP_MD_CTX, Libcrypto};
use crate::api::*;
use crate::checks;
use crate::shared_library::Owned;

pub struct Digest {
    libcrypto: &'static Libcrypto,
    context: Owned<EVP_MD_CTX>,
    digest_bytes: usize,
}

impl Digest {
    pub fn new(
        libcrypto: &'static Libcrypto,
        name: &CStr,
        request: &Request<'_>,
    ) -> Result<Self, CreateError> {
        checks::check_nonce(request, 0)?;
        // SAFETY: the two functions belong to this type.
        let digest =
            unsafe { libcrypto.fetch(libcrypto.EVP_MD_fetch, libcrypto.EVP_MD_free, name)? };
        // SAFETY: the new context is ours; the digest is alive, and the context keeps a reference
        // to it.
        unsafe {
            let context = libcrypto.own((libcrypto.EVP_MD_CTX_new)(), libcrypto.EVP_MD_CTX_free)?;
            let status =
                (libcrypto.EVP_DigestInit_ex2)(context.as_ptr(), digest.as_ptr(), ptr::null());
            libcrypto.created(status)?;
            let digest_bytes = (libcrypto.EVP_MD_get_size)(digest.as_ptr()) as usize;
            Ok(Self { libcrypto, context, digest_bytes })
        }
    }
}

impl Function for Digest {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), 0)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        checks::check_length(output.len(), self.digest_bytes)?;
        let libcrypto = self.libcrypto;
        let context = self.context.as_ptr();
        let input = message.input;
        // SAFETY: the context is alive and has its digest, input and output have the lengths
        // given; a null count of written bytes is allowed.
        unsafe {
            // Null for the digest: the one that the context has.
            libcrypto.called((libcrypto.EVP_DigestInit_ex2)(context, ptr::null(), ptr::null()))?;
            libcrypto.called((libcrypto.EVP_DigestUpdate)(
                context,
                input.as_ptr().cast(),
                input.len(),
            ))?;
            libcrypto.called((libcrypto.EVP_DigestFinal_ex)(
                context,
                output.as_mut_ptr(),
                ptr::null_mut(),
            ))
        }
    }
}
