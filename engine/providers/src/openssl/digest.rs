//! Hash functions.

use std::ffi::CStr;
use std::ptr;

use super::libcrypto::{EVP_MD, EVP_MD_CTX, Libcrypto};
use crate::api::*;
use crate::checks;
use crate::pieces::{Cut, FunctionInPieces};
use crate::shared_library::Owned;

pub struct Digest {
    libcrypto: &'static Libcrypto,
    name: &'static CStr,
    digest: Owned<EVP_MD>,
    context: Owned<EVP_MD_CTX>,
    /// The context has not been told its digest.
    is_new: bool,
    digest_bytes: usize,
}

impl Digest {
    pub fn new(
        libcrypto: &'static Libcrypto,
        name: &'static CStr,
        request: &Request<'_>,
    ) -> Result<Self, CreateError> {
        checks::check_nonce(request, 0)?;
        let digest = fetch(libcrypto, name).map_err(|error| libcrypto.not_there(name, error))?;
        let context = new_context(libcrypto).map_err(|error| libcrypto.failed(error))?;
        // SAFETY: the digest is alive.
        let digest_bytes = unsafe { (libcrypto.EVP_MD_get_size)(digest.as_ptr()) } as usize;
        let mut new = Self { libcrypto, name, digest, context, is_new: true, digest_bytes };
        new.start().map_err(|error| libcrypto.failed(error))?;
        Ok(new)
    }

    fn start(&mut self) -> Result<(), CallError> {
        // Null for the digest that the context has.
        let digest = if self.is_new { self.digest.as_ptr() } else { ptr::null_mut() };
        // SAFETY: the context and the digest are alive, and the context keeps a reference to it.
        let status = unsafe {
            (self.libcrypto.EVP_DigestInit_ex2)(self.context.as_ptr(), digest, ptr::null())
        };
        self.libcrypto.called(status)?;
        self.is_new = false;
        Ok(())
    }
}

impl FunctionInPieces for Digest {
    const REPEATS: bool = true;

    fn process_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_length(output.len(), self.digest_bytes)?;
        self.start()?;
        let (libcrypto, context) = (self.libcrypto, self.context.as_ptr());
        for piece in cut.pieces(message.input.len(), 1) {
            let piece = &message.input[piece];
            // SAFETY: the context is alive and started, and the piece has so many bytes.
            libcrypto.called(unsafe {
                (libcrypto.EVP_DigestUpdate)(context, piece.as_ptr().cast(), piece.len())
            })?;
        }
        // SAFETY: as above, and the output has the length of the digest; a null count of written
        // bytes is allowed.
        libcrypto.called(unsafe {
            (libcrypto.EVP_DigestFinal_ex)(context, output.as_mut_ptr(), ptr::null_mut())
        })
    }

    /// When nothing new can be had the old stays.
    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        if what == Renewed::Algorithm {
            self.digest = fetch(self.libcrypto, self.name)?;
        }
        self.context = new_context(self.libcrypto)?;
        self.is_new = true;
        Ok(())
    }
}

fn fetch(libcrypto: &Libcrypto, name: &CStr) -> Result<Owned<EVP_MD>, CallError> {
    // SAFETY: the two functions belong to this type.
    unsafe { libcrypto.fetch(libcrypto.EVP_MD_fetch, libcrypto.EVP_MD_free, name) }
}

fn new_context(libcrypto: &Libcrypto) -> Result<Owned<EVP_MD_CTX>, CallError> {
    // SAFETY: the new context is ours.
    unsafe { libcrypto.own((libcrypto.EVP_MD_CTX_new)(), libcrypto.EVP_MD_CTX_free) }
}

#[cfg(test)]
mod tests {
    use super::super::load;
    use super::*;

    #[test]
    fn after_a_renewal_that_failed_the_old_context_serves() {
        let Ok(loaded) = load::load(None) else {
            eprintln!("skipped: OpenSSL cannot be used here");
            return;
        };
        let request = Request::usual("sha256", checks::DEFAULT_BACKEND, Operation::Digest);
        let mut digest =
            Digest::new(loaded.functions, c"SHA2-256", &request).expect("every OpenSSL 3 has it");
        let [mut before, mut after] = [[0; 32]; 2];
        assert_eq!(digest.process(&Message::default(), &mut before), Ok(()));
        digest.name = c"no such hash";
        assert!(matches!(
            Function::renew(&mut digest, Renewed::Algorithm),
            Err(CallError::Library(_))
        ));
        assert_eq!(digest.process(&Message::default(), &mut after), Ok(()));
        assert_eq!(before, after);
    }
}
