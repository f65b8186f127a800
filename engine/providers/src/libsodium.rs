//! libsodium: the installed one, opened at run time and called through
//! `engine/shims/libsodium.c`.
//!
//! Its functions take plain memory, so there is nothing to allocate but room for states. What is
//! timed:
//!
//! | operation | timed |
//! |---|---|
//! | setup | the key copied; AES-256-GCM: `crypto_aead_aes256gcm_beforenm`; HMAC and BLAKE2b: `…_init` |
//! | seal, open | one combined call, `…_encrypt` or `…_decrypt` (AES-256-GCM: `…_afternm`) |
//! | keystream | one call |
//! | mac, verify | Poly1305 and SipHash: one call; HMAC and BLAKE2b: the state after the key copied, `…_update`, `…_final`; to verify, `sodium_memcmp` |
//! | digest | one call |
//!
//! In chunks, hashes, HMAC, BLAKE2b and Poly1305 take `…_init` (HMAC, keyed BLAKE2b: the copied
//! state), `…_update` for each and `…_final`; the others take whole messages only. There is no
//! context to make anew: a one-shot caller pays for the key alone.
//!
//! A copied state saves the two blocks of the key, of HMAC, or the one, of BLAKE2b, with which the
//! one call would begin for every message. AES-256-GCM is there where the processor has
//! instructions for it. The AEGIS of versions from 1.0.19 on has tags of 32 bytes only, which is
//! another function than `aegis-128l` and `aegis-256`, whose tags have 16.
//!
//! libsodium chooses its code path by the processor's features (which `build` lists) and does not
//! say which one it took, so the one backend is `default`, its evidence unknown. Nor does its
//! manual state for each function that its time is independent of secrets.

use std::path::Path;

use crate::api::*;
use crate::shared_library::SharedLibrary;
use crate::shim::opened;

const NAME: &str = "libsodium";

pub const REGISTRATION: Registration =
    Registration { name: NAME, title: NAME, open, listed: true, switches: None };

/// XChaCha20-Poly1305 came with 1.0.12.
pub static LIBRARY: SharedLibrary = SharedLibrary {
    provider: NAME,
    title: NAME,
    library: NAME,
    oldest: "1.0.12",
    sonames: &["libsodium.so.26", "libsodium.so.23"],
    package: "libsodium23",
};

fn open(path: Option<&Path>) -> Opened {
    opened::open(&LIBRARY, path)
}
