//! Message authentication codes.

use std::mem::MaybeUninit;
use std::ptr;

use aws_lc_sys::*;

use super::answers::{called, failed, own, renew};
use super::cipher::NewCipher;
use super::digest::NewDigest;
use crate::api::*;
use crate::checks;
use crate::pieces::Cut;
use crate::shared_library::Owned;
use crate::tag::{self, TagInPieces};

pub fn hmac(digest: NewDigest, operation: Operation) -> Result<Box<dyn Function>, CreateError> {
    let context = new_hmac().map_err(failed)?;
    // SAFETY: the digest lives as long as the program.
    let (digest, tag_bytes) = unsafe {
        let digest = digest();
        (digest, EVP_MD_size(digest))
    };
    let mut hmac = Hmac { context, digest, is_new: true, tag_bytes };
    // So that there is no state without a key.
    hmac.set_key(&[]).map_err(failed)?;
    Ok(tag::function(hmac, operation))
}

pub fn cmac(cipher: NewCipher, operation: Operation) -> Result<Box<dyn Function>, CreateError> {
    let context = new_cmac().map_err(failed)?;
    // SAFETY: the cipher lives as long as the program.
    let (cipher, key_bytes) = unsafe {
        let cipher = cipher();
        (cipher, EVP_CIPHER_key_length(cipher) as usize)
    };
    let mut cmac = Cmac { context, cipher, is_new: true, key_bytes };
    cmac.set_key(&vec![0; key_bytes]).map_err(failed)?;
    Ok(tag::function(cmac, operation))
}

pub fn poly1305(operation: Operation) -> Box<dyn Function> {
    tag::function(Poly1305([0; POLY1305_KEY_BYTES]), operation)
}

/// Whether two tags of one length are the same.
pub fn equal(one: &[u8], other: &[u8]) -> bool {
    // SAFETY: both tags have this length.
    unsafe { CRYPTO_memcmp(one.as_ptr().cast(), other.as_ptr().cast(), one.len()) == 0 }
}

fn new_hmac() -> Result<Owned<HMAC_CTX>, CallError> {
    // SAFETY: the new context is ours.
    unsafe { own(HMAC_CTX_new(), HMAC_CTX_free) }
}

fn new_cmac() -> Result<Owned<CMAC_CTX>, CallError> {
    // SAFETY: the new context is ours.
    unsafe { own(CMAC_CTX_new(), CMAC_CTX_free) }
}

struct Hmac {
    context: Owned<HMAC_CTX>,
    digest: *const EVP_MD,
    /// The context has neither digest nor key.
    is_new: bool,
    tag_bytes: usize,
}

// SAFETY: the pointer is to constant data of the library.
unsafe impl Send for Hmac {}

impl TagInPieces for Hmac {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        let (key, bytes) = (key.as_ptr().cast(), key.len());
        // Null for the digest that the context has.
        let digest = if self.is_new { self.digest } else { ptr::null() };
        let context = self.context.as_ptr();
        // SAFETY: the context is alive, and the key has the length given; null for no engine.
        called(unsafe { HMAC_Init_ex(context, key, bytes, digest, ptr::null_mut()) })?;
        self.is_new = false;
        Ok(())
    }

    fn tag_bytes(&self) -> usize {
        self.tag_bytes
    }

    fn compute_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        tag: &mut [u8],
    ) -> Result<(), CallError> {
        if self.is_new {
            return Err(CallError::Unsupported);
        }
        let context = self.context.as_ptr();
        // SAFETY: the context is alive and has a key.
        called(unsafe { HMAC_Init_ex(context, ptr::null(), 0, ptr::null(), ptr::null_mut()) })?;
        for piece in cut.pieces(message.input.len(), 1) {
            let piece = &message.input[piece];
            // SAFETY: as above, and the piece has so many bytes.
            called(unsafe { HMAC_Update(context, piece.as_ptr(), piece.len()) })?;
        }
        // SAFETY: as above, and the tag has the context's length; a null count of written bytes is
        // allowed.
        called(unsafe { HMAC_Final(context, tag.as_mut_ptr(), ptr::null_mut()) })
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        renew(&mut self.context, what, new_hmac)?;
        self.is_new = true;
        Ok(())
    }

    fn equal(&self, one: &[u8], other: &[u8]) -> bool {
        equal(one, other)
    }
}

struct Cmac {
    context: Owned<CMAC_CTX>,
    cipher: *const EVP_CIPHER,
    /// The context has neither cipher nor key.
    is_new: bool,
    key_bytes: usize,
}

// SAFETY: the pointer is to constant data of the library.
unsafe impl Send for Cmac {}

impl TagInPieces for Cmac {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), self.key_bytes)?;
        let (context, key, bytes) = (self.context.as_ptr(), key.as_ptr().cast(), key.len());
        // SAFETY: the context and the cipher are alive, and the key has the length given; null for
        // no engine.
        called(unsafe { CMAC_Init(context, key, bytes, self.cipher, ptr::null_mut()) })?;
        self.is_new = false;
        Ok(())
    }

    fn tag_bytes(&self) -> usize {
        // A block of AES.
        16
    }

    fn compute_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        tag: &mut [u8],
    ) -> Result<(), CallError> {
        if self.is_new {
            return Err(CallError::Unsupported);
        }
        let context = self.context.as_ptr();
        // SAFETY: the context is alive and has a key.
        called(unsafe { CMAC_Reset(context) })?;
        for piece in cut.pieces(message.input.len(), 1) {
            let piece = &message.input[piece];
            // SAFETY: as above, and the piece has so many bytes.
            called(unsafe { CMAC_Update(context, piece.as_ptr(), piece.len()) })?;
        }
        let mut written = 0;
        // SAFETY: as above, and the tag is a block.
        called(unsafe { CMAC_Final(context, tag.as_mut_ptr(), &mut written) })
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        renew(&mut self.context, what, new_cmac)?;
        self.is_new = true;
        Ok(())
    }

    fn equal(&self, one: &[u8], other: &[u8]) -> bool {
        equal(one, other)
    }
}

const POLY1305_KEY_BYTES: usize = 32;

/// The key, r and then s; AWS-LC has no form of it that serves twice.
struct Poly1305([u8; POLY1305_KEY_BYTES]);

impl TagInPieces for Poly1305 {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0 = key.try_into().map_err(|_| CallError::Length)?;
        Ok(())
    }

    fn tag_bytes(&self) -> usize {
        16
    }

    fn compute_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        tag: &mut [u8],
    ) -> Result<(), CallError> {
        let mut state = MaybeUninit::<poly1305_state>::uninit();
        let state = state.as_mut_ptr();
        // SAFETY: this initialises the state, and the key has 32 bytes.
        unsafe { CRYPTO_poly1305_init(state, self.0.as_ptr()) };
        for piece in cut.pieces(message.input.len(), 1) {
            let piece = &message.input[piece];
            // SAFETY: the state is initialised, and the piece has so many bytes.
            unsafe { CRYPTO_poly1305_update(state, piece.as_ptr(), piece.len()) };
        }
        // SAFETY: the state is initialised, and the tag has 16 bytes.
        unsafe { CRYPTO_poly1305_finish(state, tag.as_mut_ptr()) };
        Ok(())
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        checks::renew_plain_value(what)
    }

    fn equal(&self, one: &[u8], other: &[u8]) -> bool {
        equal(one, other)
    }
}
