//! Authenticated encryption.

use std::ptr;

use ciphermark_algorithms::Algorithm;

use super::functions::{Expand, Libsodium, Open, Seal};
use super::state::State;
use crate::api::*;
use crate::checks;

/// Every construction here has this tag.
const TAG_BYTES: usize = 16;

/// The functions of one construction.
#[derive(Clone, Copy)]
pub struct Construction {
    seal: Seal,
    open: Open,
    /// Where something is made from the key before it is used, its bytes and how.
    expand: Option<(usize, Expand)>,
}

pub fn chacha20_poly1305(libsodium: &Libsodium) -> Option<Construction> {
    Some(Construction {
        seal: libsodium.crypto_aead_chacha20poly1305_ietf_encrypt,
        open: libsodium.crypto_aead_chacha20poly1305_ietf_decrypt,
        expand: None,
    })
}

pub fn xchacha20_poly1305(libsodium: &Libsodium) -> Option<Construction> {
    Some(Construction {
        seal: libsodium.crypto_aead_xchacha20poly1305_ietf_encrypt,
        open: libsodium.crypto_aead_xchacha20poly1305_ietf_decrypt,
        expand: None,
    })
}

/// Only where the processor has instructions for it.
pub fn aes256_gcm(libsodium: &Libsodium) -> Option<Construction> {
    // SAFETY: both take nothing.
    let (available, state_bytes) = unsafe {
        (
            (libsodium.crypto_aead_aes256gcm_is_available)() == 1,
            (libsodium.crypto_aead_aes256gcm_statebytes)(),
        )
    };
    available.then_some(Construction {
        seal: libsodium.crypto_aead_aes256gcm_encrypt_afternm,
        open: libsodium.crypto_aead_aes256gcm_decrypt_afternm,
        expand: Some((state_bytes, libsodium.crypto_aead_aes256gcm_beforenm)),
    })
}

/// Makes the function of `request.operation`.
pub fn create(
    construction: Construction,
    facts: &Algorithm,
    request: &Request<'_>,
) -> Result<Box<dyn Function>, CreateError> {
    let (key_bytes, nonce_bytes) = (facts.key_bytes as usize, facts.nonce_bytes as usize);
    checks::check_nonce(request, nonce_bytes)?;
    let state_bytes = construction.expand.map_or(key_bytes, |(bytes, _)| bytes);
    let state = State::with_room_for(state_bytes)?;
    let mut aead = Aead { construction, state, key_bytes, nonce_bytes };
    aead.set_key(&vec![0; key_bytes]).map_err(|error| CreateError::Failed(error.to_string()))?;
    Ok(match request.operation {
        Operation::Open => Box::new(Opener(aead)),
        _ => Box::new(Sealer(aead)),
    })
}

struct Aead {
    construction: Construction,
    /// The key, or what was made from it.
    state: State,
    key_bytes: usize,
    nonce_bytes: usize,
}

impl Aead {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), self.key_bytes)?;
        let Some((_, expand)) = self.construction.expand else {
            self.state.hold(key);
            return Ok(());
        };
        // SAFETY: the state has room, and the key its length.
        super::called(unsafe { expand(self.state.as_mut_ptr(), key.as_ptr()) })
    }
}

struct Sealer(Aead);

impl Function for Sealer {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0.set_key(key)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        let Message { nonce, aad, input, .. } = message;
        checks::check_length(nonce.len(), self.0.nonce_bytes)?;
        checks::check_length(output.len(), input.len() + TAG_BYTES)?;
        // SAFETY: the nonce has the construction's length, a key was set, lengths are those of the
        // slices, and the output has room for ciphertext and tag.
        super::called(unsafe {
            (self.0.construction.seal)(
                output.as_mut_ptr(),
                ptr::null_mut(),
                input.as_ptr(),
                input.len() as u64,
                aad.as_ptr(),
                aad.len() as u64,
                ptr::null(),
                nonce.as_ptr(),
                self.0.state.as_ptr(),
            )
        })
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        checks::renew_plain_value(what)
    }
}

struct Opener(Aead);

impl Function for Opener {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0.set_key(key)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        let Message { nonce, aad, input, .. } = message;
        checks::check_length(nonce.len(), self.0.nonce_bytes)?;
        checks::check_length(input.len(), output.len() + TAG_BYTES)?;
        // SAFETY: the nonce has the construction's length, a key was set, lengths are those of the
        // slices, and the output has room for the plaintext.
        let status = unsafe {
            (self.0.construction.open)(
                output.as_mut_ptr(),
                ptr::null_mut(),
                ptr::null_mut(),
                input.as_ptr(),
                input.len() as u64,
                aad.as_ptr(),
                aad.len() as u64,
                nonce.as_ptr(),
                self.0.state.as_ptr(),
            )
        };
        // With these lengths there is no other reason.
        if status == 0 { Ok(()) } else { Err(CallError::Refused) }
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        checks::renew_plain_value(what)
    }
}
