//! RustCrypto: pure Rust, compiled into the engine.
//!
//! The code path (AES instructions, SHA instructions, AVX2, …) is chosen at run time by the crates
//! themselves and cannot be asked for, so the one backend is `default`.
//!
//! What is timed, in the way that the crates offer to a caller who keeps a key:
//!
//! | operation | timed |
//! |---|---|
//! | setup | the keyed object made from the key's bytes; ciphers expand both directions |
//! | seal, open | one detached call from buffer to buffer; `open` checks the tag, then decrypts |
//! | encrypt, decrypt | a CBC or CTR object made on the kept key schedule by reference, one call |
//! | mac, verify | update and finalise; the finalising call resets to the kept key |
//! | digest | a new hasher, update, finalise into the output |
//!
//! Of the ways to reuse a key the fastest was taken: resetting a MAC is quicker than cloning it
//! (CMAC at 16 bytes by half), a new hasher is as quick as a reset one, and the types for one
//! direction (`Aes128Enc`) are not quicker to set up than those for both. Nothing is allocated
//! while a message is processed.
//!
//! The crates cost here what they cost in an ordinary release build, without `-C target-cpu`. For
//! `poly1305` 0.9 that matters: the intrinsics of its AVX2 code are then calls and not inlined,
//! which makes short messages of ChaCha20-Poly1305 dear.

mod aead;
mod cipher;
mod hash;
mod keyed;
mod mac;

use std::path::Path;

use ::aes::{Aes128, Aes256};
use ::camellia::{Camellia128, Camellia256};
use ciphermark_record::description::Kind;

use crate::api::*;
use crate::checks;

const NAME: &str = "rustcrypto";

pub const REGISTRATION: Registration =
    Registration { name: NAME, title: "RustCrypto", open, listed: true };

fn open(path: Option<&Path>) -> Opened {
    match path {
        None => Ok(Box::new(RustCrypto)),
        Some(path) => Err(Unusable(format!(
            "rustcrypto is compiled into the engine and cannot be read from {}: leave out \
             --library {NAME}=PATH",
            path.display()
        ))),
    }
}

/// One algorithm and how its functions are made.
struct Entry {
    algorithm: &'static str,
    kind: Kind,
    nonce_bytes: usize,
    constant_time: Option<bool>,
    create: fn(Operation) -> Box<dyn Function>,
}

impl Entry {
    /// With the authors' statement that the code's time does not depend on secrets. The crate
    /// `aes` makes it for both its code paths, and its modes add nothing that looks at data;
    /// `aes-gcm` and `chacha20poly1305` make it for processors that multiply in constant time, as
    /// those of our platforms do. `camellia` says that it was not assessed, the hashes say nothing.
    const fn constant_time(self) -> Self {
        Self { constant_time: Some(true), ..self }
    }
}

const TABLE: &[Entry] = &[
    aead::entry::<aes_gcm::Aes128Gcm>("aes-128-gcm").constant_time(),
    aead::entry::<aes_gcm::Aes256Gcm>("aes-256-gcm").constant_time(),
    aead::entry::<chacha20poly1305::ChaCha20Poly1305>("chacha20-poly1305").constant_time(),
    cipher::cbc::<Aes128>("aes-128-cbc").constant_time(),
    cipher::cbc::<Aes256>("aes-256-cbc").constant_time(),
    cipher::ctr::<Aes128>("aes-128-ctr").constant_time(),
    cipher::ctr::<Aes256>("aes-256-ctr").constant_time(),
    cipher::cbc::<Camellia128>("camellia-128-cbc"),
    cipher::cbc::<Camellia256>("camellia-256-cbc"),
    mac::entry::<::cmac::Cmac<Aes128>>("cmac-aes-128").constant_time(),
    mac::entry::<::hmac::HmacReset<md5::Md5>>("hmac-md5"),
    mac::entry::<::hmac::HmacReset<sha1::Sha1>>("hmac-sha1"),
    mac::entry::<::hmac::HmacReset<sha2::Sha256>>("hmac-sha256"),
    mac::entry::<::hmac::HmacReset<sha2::Sha512>>("hmac-sha512"),
    hash::entry::<blake2::Blake2b512>("blake2b-512"),
    hash::entry::<md5::Md5>("md5"),
    hash::entry::<sha1::Sha1>("sha1"),
    hash::entry::<sha2::Sha256>("sha256"),
    hash::entry::<sha2::Sha512>("sha512"),
    hash::entry::<sha3::Sha3_256>("sha3-256"),
];

struct RustCrypto;

impl Provider for RustCrypto {
    fn library(&self) -> Library {
        Library {
            version: env!("RUSTCRYPTO_CALLED").into(),
            location: "compiled into the engine".into(),
            build: format!("with {}", env!("RUSTCRYPTO_BENEATH")),
        }
    }

    fn implementations(&self) -> Vec<Implementation> {
        let describe = |entry: &Entry| {
            checks::default_implementation(NAME, entry.algorithm, entry.kind, entry.constant_time)
        };
        TABLE.iter().map(describe).collect()
    }

    fn create(&self, request: &Request<'_>) -> Result<Box<dyn Function>, CreateError> {
        let entry = TABLE.iter().find(|entry| entry.algorithm == request.algorithm);
        let entry = entry.ok_or_else(|| checks::unknown_algorithm(request))?;
        checks::check_request(request, entry.kind)?;
        checks::check_nonce(request, entry.nonce_bytes)?;
        Ok((entry.create)(request.operation))
    }
}
