//! Message authentication codes.

use std::ffi::c_int;
use std::marker::PhantomData;

use ciphermark_algorithms::Algorithm;

use super::functions::{Libsodium, OneShot};
use super::state::State;
use crate::api::*;
use crate::checks;
use crate::tag::{self, ComputeTag};

/// Makes the function of a MAC that is one call from key and message to tag.
pub fn one_shot(
    libsodium: &'static Libsodium,
    call: OneShot,
    facts: &Algorithm,
    request: &Request<'_>,
) -> Result<Box<dyn Function>, CreateError> {
    checks::check_nonce(request, 0)?;
    let key = vec![0; facts.key_bytes as usize].into();
    let mac = OneShotMac { libsodium, call, key, tag_bytes: facts.tag_bytes as usize };
    Ok(tag::function(mac, request.operation))
}

struct OneShotMac {
    libsodium: &'static Libsodium,
    call: OneShot,
    key: Box<[u8]>,
    tag_bytes: usize,
}

impl ComputeTag for OneShotMac {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), self.key.len())?;
        self.key.copy_from_slice(key);
        Ok(())
    }

    fn tag_bytes(&self) -> usize {
        self.tag_bytes
    }

    fn compute(&mut self, message: &Message<'_>, tag: &mut [u8]) -> Result<(), CallError> {
        let (input, bytes) = (message.input.as_ptr(), message.input.len() as u64);
        // SAFETY: key and tag have the MAC's lengths, and the message has so many bytes.
        super::called(unsafe { (self.call)(tag.as_mut_ptr(), input, bytes, self.key.as_ptr()) })
    }

    fn equal(&self, one: &[u8], other: &[u8]) -> bool {
        super::equal(self.libsodium, one, other)
    }
}

/// A MAC in several calls, whose state after the key can be kept and copied.
pub trait Construction: Send + 'static {
    /// Whether keys may have any length, and not only the usual one.
    const ANY_KEY: bool;

    fn state_bytes(libsodium: &Libsodium) -> usize;

    /// # Safety
    ///
    /// `state` has room for [`Construction::state_bytes`].
    unsafe fn init(libsodium: &Libsodium, state: &mut State, key: &[u8], tag_bytes: usize)
    -> c_int;

    /// # Safety
    ///
    /// `state` was made by [`Construction::init`].
    unsafe fn update(libsodium: &Libsodium, state: &mut State, input: &[u8]) -> c_int;

    /// # Safety
    ///
    /// `state` was made by [`Construction::init`] with the length of `tag`.
    unsafe fn finish(libsodium: &Libsodium, state: &mut State, tag: &mut [u8]) -> c_int;
}

/// The two HMACs have functions of the same types.
macro_rules! hmac {
    ($name:ident: $state_bytes:ident, $init:ident, $update:ident, $finish:ident) => {
        pub struct $name;

        impl Construction for $name {
            const ANY_KEY: bool = true;

            fn state_bytes(libsodium: &Libsodium) -> usize {
                // SAFETY: takes nothing.
                unsafe { (libsodium.$state_bytes)() }
            }

            unsafe fn init(
                libsodium: &Libsodium,
                state: &mut State,
                key: &[u8],
                _: usize,
            ) -> c_int {
                // SAFETY: the state has room, and the key so many bytes.
                unsafe { (libsodium.$init)(state.as_mut_ptr(), key.as_ptr(), key.len()) }
            }

            unsafe fn update(libsodium: &Libsodium, state: &mut State, input: &[u8]) -> c_int {
                let bytes = input.len() as u64;
                // SAFETY: the state was made, and the message has so many bytes.
                unsafe { (libsodium.$update)(state.as_mut_ptr(), input.as_ptr(), bytes) }
            }

            unsafe fn finish(libsodium: &Libsodium, state: &mut State, tag: &mut [u8]) -> c_int {
                // SAFETY: the state was made, and the tag has its length.
                unsafe { (libsodium.$finish)(state.as_mut_ptr(), tag.as_mut_ptr()) }
            }
        }
    };
}

hmac! {
    HmacSha256:
    crypto_auth_hmacsha256_statebytes,
    crypto_auth_hmacsha256_init,
    crypto_auth_hmacsha256_update,
    crypto_auth_hmacsha256_final
}

hmac! {
    HmacSha512:
    crypto_auth_hmacsha512_statebytes,
    crypto_auth_hmacsha512_init,
    crypto_auth_hmacsha512_update,
    crypto_auth_hmacsha512_final
}

/// Keyed BLAKE2b.
pub struct Blake2b;

impl Construction for Blake2b {
    const ANY_KEY: bool = false;

    fn state_bytes(libsodium: &Libsodium) -> usize {
        // SAFETY: takes nothing.
        unsafe { (libsodium.crypto_generichash_statebytes)() }
    }

    unsafe fn init(
        libsodium: &Libsodium,
        state: &mut State,
        key: &[u8],
        tag_bytes: usize,
    ) -> c_int {
        let (state, bytes) = (state.as_mut_ptr(), key.len());
        // SAFETY: the state has room, and the key so many bytes.
        unsafe { (libsodium.crypto_generichash_init)(state, key.as_ptr(), bytes, tag_bytes) }
    }

    unsafe fn update(libsodium: &Libsodium, state: &mut State, input: &[u8]) -> c_int {
        let (state, bytes) = (state.as_mut_ptr(), input.len() as u64);
        // SAFETY: the state was made, and the message has so many bytes.
        unsafe { (libsodium.crypto_generichash_update)(state, input.as_ptr(), bytes) }
    }

    unsafe fn finish(libsodium: &Libsodium, state: &mut State, tag: &mut [u8]) -> c_int {
        let (state, bytes) = (state.as_mut_ptr(), tag.len());
        // SAFETY: the state was made for tags of this length.
        unsafe { (libsodium.crypto_generichash_final)(state, tag.as_mut_ptr(), bytes) }
    }
}

/// Makes the function of a MAC whose state is kept.
pub fn kept<C: Construction>(
    libsodium: &'static Libsodium,
    facts: &Algorithm,
    request: &Request<'_>,
) -> Result<Box<dyn Function>, CreateError> {
    checks::check_nonce(request, 0)?;
    let state_bytes = C::state_bytes(libsodium);
    let state = State::with_room_for(state_bytes)?;
    let mut mac = KeptMac::<C> {
        libsodium,
        keyed: state,
        working: state,
        state_bytes,
        key_bytes: facts.key_bytes as usize,
        tag_bytes: facts.tag_bytes as usize,
        construction: PhantomData,
    };
    mac.set_key(&vec![0; mac.key_bytes]).map_err(|error| CreateError::Failed(error.to_string()))?;
    Ok(tag::function(mac, request.operation))
}

struct KeptMac<C> {
    libsodium: &'static Libsodium,
    /// The state after the key.
    keyed: State,
    /// The state that a message is taken into.
    working: State,
    state_bytes: usize,
    key_bytes: usize,
    tag_bytes: usize,
    construction: PhantomData<C>,
}

impl<C: Construction> ComputeTag for KeptMac<C> {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        if !C::ANY_KEY {
            checks::check_length(key.len(), self.key_bytes)?;
        }
        // SAFETY: the state was made with room.
        super::called(unsafe { C::init(self.libsodium, &mut self.keyed, key, self.tag_bytes) })
    }

    fn tag_bytes(&self) -> usize {
        self.tag_bytes
    }

    fn compute(&mut self, message: &Message<'_>, tag: &mut [u8]) -> Result<(), CallError> {
        let (libsodium, state) = (self.libsodium, &mut self.working);
        state.copy_from(&self.keyed, self.state_bytes);
        // SAFETY: a key was set, and the tag has the length that the state was made for.
        unsafe {
            super::called(C::update(libsodium, state, message.input))?;
            super::called(C::finish(libsodium, state, tag))
        }
    }

    fn equal(&self, one: &[u8], other: &[u8]) -> bool {
        super::equal(self.libsodium, one, other)
    }
}
