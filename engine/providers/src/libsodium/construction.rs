//! Functions in several calls, on a state that the caller holds.

use std::ffi::c_int;

use super::functions::Libsodium;
use super::state::State;
use crate::api::*;
use crate::pieces::{Chunks, Cut, Repeated};

/// A MAC, or a hash, whose key is empty.
pub trait Construction: Send + 'static {
    /// Whether keys may have any length, and not only the usual one.
    const ANY_KEY: bool;

    fn state_bytes(libsodium: &Libsodium) -> usize;

    /// # Safety
    ///
    /// `state` has room for [`Construction::state_bytes`], and the key has a length that the
    /// construction takes.
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

/// Those with one length of tag, whose functions differ in what they take of a key.
macro_rules! construction {
    (
        $name:ident: $any_key:literal, $state_bytes:ident,
        $init:ident($key:ident => $($argument:expr),*), $update:ident, $finish:ident
    ) => {
        pub struct $name;

        impl Construction for $name {
            const ANY_KEY: bool = $any_key;

            fn state_bytes(libsodium: &Libsodium) -> usize {
                // SAFETY: takes nothing.
                unsafe { (libsodium.$state_bytes)() }
            }

            unsafe fn init(
                libsodium: &Libsodium,
                state: &mut State,
                $key: &[u8],
                _: usize,
            ) -> c_int {
                // SAFETY: the state has room, and the key its length.
                unsafe { (libsodium.$init)(state.as_mut_ptr() $(, $argument)*) }
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

construction! {
    HmacSha256: true,
    crypto_auth_hmacsha256_statebytes,
    crypto_auth_hmacsha256_init(key => key.as_ptr(), key.len()),
    crypto_auth_hmacsha256_update,
    crypto_auth_hmacsha256_final
}

construction! {
    HmacSha512: true,
    crypto_auth_hmacsha512_statebytes,
    crypto_auth_hmacsha512_init(key => key.as_ptr(), key.len()),
    crypto_auth_hmacsha512_update,
    crypto_auth_hmacsha512_final
}

construction! {
    Poly1305: false,
    crypto_onetimeauth_statebytes,
    crypto_onetimeauth_init(key => key.as_ptr()),
    crypto_onetimeauth_update,
    crypto_onetimeauth_final
}

construction! {
    Sha256: false,
    crypto_hash_sha256_statebytes,
    crypto_hash_sha256_init(_key =>),
    crypto_hash_sha256_update,
    crypto_hash_sha256_final
}

construction! {
    Sha512: false,
    crypto_hash_sha512_statebytes,
    crypto_hash_sha512_init(_key =>),
    crypto_hash_sha512_update,
    crypto_hash_sha512_final
}

/// BLAKE2b, whose length of tag is a parameter.
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

/// How a function that is otherwise one call is given a message in parts.
pub struct Incremental {
    state: State,
    run: Run,
}

/// Takes the library, a state, key, message, its parts, and room for the tag.
type Run = fn(&Libsodium, &mut State, &[u8], &[u8], Parts, &mut [u8]) -> Result<(), CallError>;

impl Incremental {
    pub fn of<C: Construction>(libsodium: &Libsodium) -> Result<Self, CreateError> {
        let state = State::with_room_for(C::state_bytes(libsodium))?;
        Ok(Self { state, run: run::<C> })
    }

    /// Key and tag have the lengths of the construction.
    pub fn process(
        &mut self,
        libsodium: &Libsodium,
        key: &[u8],
        input: &[u8],
        parts: Parts,
        tag: &mut [u8],
    ) -> Result<(), CallError> {
        (self.run)(libsodium, &mut self.state, key, input, parts, tag)
    }
}

fn run<C: Construction>(
    libsodium: &Libsodium,
    state: &mut State,
    key: &[u8],
    input: &[u8],
    parts: Parts,
    tag: &mut [u8],
) -> Result<(), CallError> {
    // SAFETY: the state was made with room, and key and tag have their lengths.
    unsafe {
        super::called(C::init(libsodium, state, key, tag.len()))?;
        match parts {
            Parts::Chunks(bytes) => {
                answer::<C>(libsodium, state, input, Chunks::of(bytes, 1)?, tag)
            }
            Parts::Repeated(bytes) => answer::<C>(libsodium, state, input, Repeated(bytes), tag),
        }
    }
}

/// Takes a message into a state, and ends it.
///
/// # Safety
///
/// `state` was made by [`Construction::init`] with the length of `tag`.
pub unsafe fn answer<C: Construction>(
    libsodium: &Libsodium,
    state: &mut State,
    input: &[u8],
    cut: impl Cut,
    tag: &mut [u8],
) -> Result<(), CallError> {
    for piece in cut.pieces(input.len(), 1) {
        // SAFETY: the caller vouches for the state.
        super::called(unsafe { C::update(libsodium, state, &input[piece]) })?;
    }
    // SAFETY: as above; the tag has the length that the state was made for.
    super::called(unsafe { C::finish(libsodium, state, tag) })
}
