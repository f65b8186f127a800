//! Message authentication codes.

use std::mem::MaybeUninit;
use std::ptr;

use aws_lc_sys::*;

use super::answers::{called, created, own};
use super::cipher::NewCipher;
use super::digest::NewDigest;
use crate::api::*;
use crate::checks;
use crate::shared_library::Owned;
use crate::tag::{self, ComputeTag};

pub fn hmac(digest: NewDigest, operation: Operation) -> Result<Box<dyn Function>, CreateError> {
    // SAFETY: the digest lives as long as the program, and the new context is ours. A key of no
    // bytes, so that there is no state without one; null for no engine.
    unsafe {
        let context = own(HMAC_CTX_new(), HMAC_CTX_free)?;
        let key = [].as_ptr();
        created(HMAC_Init_ex(context.as_ptr(), key, 0, digest(), ptr::null_mut()))?;
        Ok(tag::function(Hmac(context), operation))
    }
}

pub fn cmac(cipher: NewCipher, operation: Operation) -> Result<Box<dyn Function>, CreateError> {
    // SAFETY: the cipher lives as long as the program, and the new context is ours.
    let mut cmac = unsafe {
        let cipher = cipher();
        let key_bytes = EVP_CIPHER_key_length(cipher) as usize;
        Cmac { context: own(CMAC_CTX_new(), CMAC_CTX_free)?, cipher, key_bytes }
    };
    created(cmac.init(&vec![0; cmac.key_bytes]))?;
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

struct Hmac(Owned<HMAC_CTX>);

impl ComputeTag for Hmac {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        let (key, bytes) = (key.as_ptr().cast(), key.len());
        // SAFETY: the context is alive, and the key has the length given. Null for the digest that
        // the context has, and for no engine.
        called(unsafe { HMAC_Init_ex(self.0.as_ptr(), key, bytes, ptr::null(), ptr::null_mut()) })
    }

    fn tag_bytes(&self) -> usize {
        // SAFETY: the context is alive and has its digest.
        unsafe { HMAC_size(self.0.as_ptr()) }
    }

    fn compute(&mut self, message: &Message<'_>, tag: &mut [u8]) -> Result<(), CallError> {
        let context = self.0.as_ptr();
        let input = message.input;
        // SAFETY: the context is alive and has a key, the input has the length given, and the tag
        // the context's; a null count of written bytes is allowed.
        unsafe {
            called(HMAC_Init_ex(context, ptr::null(), 0, ptr::null(), ptr::null_mut()))?;
            called(HMAC_Update(context, input.as_ptr(), input.len()))?;
            called(HMAC_Final(context, tag.as_mut_ptr(), ptr::null_mut()))
        }
    }

    fn equal(&self, one: &[u8], other: &[u8]) -> bool {
        equal(one, other)
    }
}

struct Cmac {
    context: Owned<CMAC_CTX>,
    cipher: *const EVP_CIPHER,
    key_bytes: usize,
}

// SAFETY: the pointer is to constant data of the library.
unsafe impl Send for Cmac {}

impl Cmac {
    /// Sets a key of `key_bytes`.
    fn init(&mut self, key: &[u8]) -> i32 {
        let (context, key, bytes) = (self.context.as_ptr(), key.as_ptr().cast(), key.len());
        // SAFETY: the context and the cipher are alive, and the key has the length given; null for
        // no engine.
        unsafe { CMAC_Init(context, key, bytes, self.cipher, ptr::null_mut()) }
    }
}

impl ComputeTag for Cmac {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), self.key_bytes)?;
        called(self.init(key))
    }

    fn tag_bytes(&self) -> usize {
        // A block of AES.
        16
    }

    fn compute(&mut self, message: &Message<'_>, tag: &mut [u8]) -> Result<(), CallError> {
        let context = self.context.as_ptr();
        let input = message.input;
        let mut written = 0;
        // SAFETY: the context is alive and has a key, the input has the length given, and the tag
        // is a block.
        unsafe {
            called(CMAC_Reset(context))?;
            called(CMAC_Update(context, input.as_ptr(), input.len()))?;
            called(CMAC_Final(context, tag.as_mut_ptr(), &mut written))
        }
    }

    fn equal(&self, one: &[u8], other: &[u8]) -> bool {
        equal(one, other)
    }
}

const POLY1305_KEY_BYTES: usize = 32;

/// The key, r and then s; AWS-LC has no form of it that serves twice.
struct Poly1305([u8; POLY1305_KEY_BYTES]);

impl ComputeTag for Poly1305 {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0 = key.try_into().map_err(|_| CallError::Length)?;
        Ok(())
    }

    fn tag_bytes(&self) -> usize {
        16
    }

    fn compute(&mut self, message: &Message<'_>, tag: &mut [u8]) -> Result<(), CallError> {
        let mut state = MaybeUninit::<poly1305_state>::uninit();
        let state = state.as_mut_ptr();
        let input = message.input;
        // SAFETY: the first call initialises the state, the key has 32 bytes, the input the length
        // given, and the tag 16 bytes.
        unsafe {
            CRYPTO_poly1305_init(state, self.0.as_ptr());
            CRYPTO_poly1305_update(state, input.as_ptr(), input.len());
            CRYPTO_poly1305_finish(state, tag.as_mut_ptr());
        }
        Ok(())
    }

    fn equal(&self, one: &[u8], other: &[u8]) -> bool {
        equal(one, other)
    }
}
