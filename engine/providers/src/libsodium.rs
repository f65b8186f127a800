//! libsodium: the installed one, opened at run time and never linked.
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

mod aead;
mod construction;
mod functions;
mod hash;
mod mac;
mod state;
mod stream;

use std::ffi::{c_int, c_void};
use std::path::Path;

use ciphermark_algorithms::Algorithm;

use self::construction::{Blake2b, HmacSha256, HmacSha512, Incremental, Poly1305, Sha256, Sha512};
use self::functions::{Hash, Libsodium, OneShot, Stream};
use crate::api::*;
use crate::shared_library::{Loaded, SharedLibrary, text};
use crate::table::{self, Table, TableProvider};

const NAME: &str = "libsodium";

pub const REGISTRATION: Registration =
    Registration { name: NAME, title: NAME, open, listed: true, switches: None };

/// XChaCha20-Poly1305 came with 1.0.12.
static LIBRARY: SharedLibrary = SharedLibrary {
    provider: NAME,
    title: NAME,
    library: NAME,
    oldest: "1.0.12",
    sonames: &["libsodium.so.26", "libsodium.so.23"],
    package: "libsodium23",
};

fn open(path: Option<&Path>) -> Opened {
    let library = LIBRARY.open(path)?;
    // SAFETY: the function has always had this type; it may be called again and by several threads.
    let started = unsafe { library.function::<functions::Number>("sodium_init")?() };
    if started < 0 {
        return Err(library.refused("cannot be initialised (sodium_init fails)"));
    }
    // SAFETY: a library with functions of these names is libsodium, and is kept.
    let libsodium = unsafe { Libsodium::find(&library) }?;
    let inside = libsodium.sodium_version_string as *const c_void;
    let Loaded { functions, location } = library.keep(libsodium, inside);
    // SAFETY: takes nothing, and gives a string that lives as long as the library.
    let version = unsafe { text((functions.sodium_version_string)()) };
    let library = Library { version, location, build: features(functions) };
    Ok(Box::new(TableProvider { name: NAME, functions, library, table: TABLE }))
}

/// `CPU features: sse2, ssse3, …`
fn features(libsodium: &Libsodium) -> String {
    let features = [
        ("neon", libsodium.sodium_runtime_has_neon),
        ("sse2", libsodium.sodium_runtime_has_sse2),
        ("ssse3", libsodium.sodium_runtime_has_ssse3),
        ("sse4.1", libsodium.sodium_runtime_has_sse41),
        ("avx", libsodium.sodium_runtime_has_avx),
        ("avx2", libsodium.sodium_runtime_has_avx2),
        ("avx512f", libsodium.sodium_runtime_has_avx512f),
        ("pclmul", libsodium.sodium_runtime_has_pclmul),
        ("aesni", libsodium.sodium_runtime_has_aesni),
    ];
    // SAFETY: these functions take nothing.
    let has = |function: functions::Number| unsafe { function() != 0 };
    let found = features.iter().filter(|(_, function)| has(*function)).map(|(name, _)| *name);
    format!("CPU features: {}", found.collect::<Vec<_>>().join(", "))
}

/// What the status of a timed call means.
fn called(status: c_int) -> Result<(), CallError> {
    if status == 0 { Ok(()) } else { Err(CallError::Library(status.into())) }
}

/// Whether two tags of one length are the same.
fn equal(libsodium: &Libsodium, one: &[u8], other: &[u8]) -> bool {
    let (one, other, bytes) = (one.as_ptr().cast(), other.as_ptr().cast(), one.len());
    // SAFETY: both have so many bytes.
    unsafe { (libsodium.sodium_memcmp)(one, other, bytes) == 0 }
}

type Create =
    fn(&'static Libsodium, &Algorithm, &Request<'_>) -> Result<Box<dyn Function>, CreateError>;

type CreateIncremental = fn(&Libsodium) -> Result<Incremental, CreateError>;

/// How a function is made.
#[derive(Clone, Copy)]
enum Recipe {
    /// Absent where the processor lacks what it needs.
    Aead(fn(&Libsodium) -> Option<aead::Construction>),
    Stream(fn(&Libsodium) -> Stream),
    OneShotMac(fn(&Libsodium) -> OneShot, Option<CreateIncremental>),
    KeptMac(Create),
    Hash(fn(&Libsodium) -> Hash, CreateIncremental),
    Blake2b,
}

const TABLE: Table<Recipe> = &[
    ("aes-256-gcm", Recipe::Aead(aead::aes256_gcm)),
    ("chacha20-poly1305", Recipe::Aead(aead::chacha20_poly1305)),
    ("xchacha20-poly1305", Recipe::Aead(aead::xchacha20_poly1305)),
    ("chacha20", Recipe::Stream(|libsodium| libsodium.crypto_stream_chacha20_ietf)),
    ("xchacha20", Recipe::Stream(|libsodium| libsodium.crypto_stream_xchacha20)),
    (
        "poly1305",
        Recipe::OneShotMac(
            |libsodium| libsodium.crypto_onetimeauth,
            Some(Incremental::of::<Poly1305>),
        ),
    ),
    ("siphash-2-4-64", Recipe::OneShotMac(|libsodium| libsodium.crypto_shorthash, None)),
    (
        "siphash-2-4-128",
        Recipe::OneShotMac(|libsodium| libsodium.crypto_shorthash_siphashx24, None),
    ),
    ("blake2b-mac-512", Recipe::KeptMac(mac::kept::<Blake2b>)),
    ("hmac-sha256", Recipe::KeptMac(mac::kept::<HmacSha256>)),
    ("hmac-sha512", Recipe::KeptMac(mac::kept::<HmacSha512>)),
    ("blake2b-512", Recipe::Blake2b),
    ("sha256", Recipe::Hash(|libsodium| libsodium.crypto_hash_sha256, Incremental::of::<Sha256>)),
    ("sha512", Recipe::Hash(|libsodium| libsodium.crypto_hash_sha512, Incremental::of::<Sha512>)),
];

impl table::Recipe for Recipe {
    type Library = Libsodium;

    fn create(
        self,
        libsodium: &'static Libsodium,
        facts: &'static Algorithm,
        request: &Request<'_>,
    ) -> Result<Box<dyn Function>, CreateError> {
        match self {
            Recipe::Aead(find) => {
                let lacking = || CreateError::Unsupported("this processor".into());
                aead::create(find(libsodium).ok_or_else(lacking)?, facts, request)
            }
            Recipe::Stream(find) => {
                Ok(Box::new(stream::Keystream::new(find(libsodium), facts, request)?))
            }
            Recipe::OneShotMac(find, incremental) => {
                let incremental = incremental.map(|create| create(libsodium)).transpose()?;
                mac::one_shot(libsodium, find(libsodium), incremental, facts, request)
            }
            Recipe::KeptMac(create) => create(libsodium, facts, request),
            Recipe::Hash(find, create) => {
                let (call, incremental) = (find(libsodium), create(libsodium)?);
                Ok(Box::new(hash::Digest::new(libsodium, call, incremental, facts, request)?))
            }
            Recipe::Blake2b => {
                let incremental = Incremental::of::<Blake2b>(libsodium)?;
                Ok(Box::new(hash::Digest::new(libsodium, Blake2b, incremental, facts, request)?))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_line_has_facts() {
        crate::table::tests::every_line_has_facts(super::TABLE);
    }
}
