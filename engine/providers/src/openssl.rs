//! OpenSSL: the installed libcrypto, opened at run time and never linked.
//!
//! Algorithms are fetched and contexts allocated once, when a function is made: the overhead that
//! a good caller avoids is not counted. What is timed:
//!
//! | operation | timed |
//! |---|---|
//! | setup | `EVP_EncryptInit_ex2` or `EVP_MAC_init` with a key |
//! | seal | `EVP_EncryptInit_ex2` with the nonce, `EVP_EncryptUpdate` for associated data and for plaintext (each unless empty), `EVP_EncryptFinal_ex`, the tag by `EVP_CIPHER_CTX_get_params` |
//! | open | the mirror; the tag is a parameter of `EVP_DecryptInit_ex2` |
//! | encrypt, decrypt | `EVP_…Init_ex2` with the IV, `EVP_…Update`, `EVP_…Final_ex`; CBC unpadded |
//! | mac | `EVP_MAC_init` with the kept key, `EVP_MAC_update`, `EVP_MAC_final` |
//! | verify | as mac, and `CRYPTO_memcmp` |
//! | digest | `EVP_DigestInit_ex2` with the kept digest, `EVP_DigestUpdate`, `EVP_DigestFinal_ex` |
//!
//! libcrypto chooses its code path by the processor's features (which `build` shows) and does not
//! say which one it took, so the one backend is `default`, its evidence unknown. Whether the time
//! depends on secrets differs between these paths (AES by instructions, by vector permutation or
//! by tables), and OpenSSL makes no statement for all of them.

mod aead;
mod answers;
mod cipher;
mod digest;
mod libcrypto;
mod load;
mod mac;
mod params;

use std::ffi::{CStr, c_int};
use std::path::Path;

use ciphermark_algorithms::Algorithm;

use self::aead::Nonces;
use self::libcrypto::Libcrypto;
use self::mac::Construction;
use crate::api::*;
use crate::shared_library::{Loaded, text};
use crate::table::{self, Table, TableProvider};

const NAME: &str = "openssl";
const TITLE: &str = "OpenSSL";

pub const REGISTRATION: Registration =
    Registration { name: NAME, title: TITLE, open, listed: true, switches: None };

fn open(path: Option<&Path>) -> Opened {
    let loaded = load::load(path)?;
    let functions = loaded.functions;
    let library = library(loaded);
    Ok(Box::new(TableProvider { name: NAME, functions, library, table: TABLE }))
}

/// How a function is made, with the names that OpenSSL gives its parts.
#[derive(Clone, Copy)]
enum Recipe {
    Aead(&'static CStr, Nonces),
    Cipher(&'static CStr),
    Mac(Construction),
    Digest(&'static CStr),
}

const TABLE: Table<Recipe> = &[
    ("aes-128-gcm", Recipe::Aead(c"AES-128-GCM", Nonces::AnyLength)),
    ("aes-256-gcm", Recipe::Aead(c"AES-256-GCM", Nonces::AnyLength)),
    ("chacha20-poly1305", Recipe::Aead(c"ChaCha20-Poly1305", Nonces::OneLength)),
    ("aes-128-cbc", Recipe::Cipher(c"AES-128-CBC")),
    ("aes-256-cbc", Recipe::Cipher(c"AES-256-CBC")),
    ("aes-128-ctr", Recipe::Cipher(c"AES-128-CTR")),
    ("aes-256-ctr", Recipe::Cipher(c"AES-256-CTR")),
    ("camellia-128-cbc", Recipe::Cipher(c"CAMELLIA-128-CBC")),
    ("camellia-256-cbc", Recipe::Cipher(c"CAMELLIA-256-CBC")),
    ("cmac-aes-128", Recipe::Mac(Construction::Cmac(c"AES-128-CBC"))),
    ("hmac-md5", Recipe::Mac(Construction::Hmac(c"MD5"))),
    ("hmac-sha1", Recipe::Mac(Construction::Hmac(c"SHA1"))),
    ("hmac-sha256", Recipe::Mac(Construction::Hmac(c"SHA2-256"))),
    ("hmac-sha512", Recipe::Mac(Construction::Hmac(c"SHA2-512"))),
    ("blake2b-512", Recipe::Digest(c"BLAKE2B-512")),
    ("md5", Recipe::Digest(c"MD5")),
    ("sha1", Recipe::Digest(c"SHA1")),
    ("sha256", Recipe::Digest(c"SHA2-256")),
    ("sha512", Recipe::Digest(c"SHA2-512")),
    ("sha3-256", Recipe::Digest(c"SHA3-256")),
];

impl table::Recipe for Recipe {
    type Library = Libcrypto;

    fn create(
        self,
        libcrypto: &'static Libcrypto,
        _: &'static Algorithm,
        request: &Request<'_>,
    ) -> Result<Box<dyn Function>, CreateError> {
        match self {
            Recipe::Aead(name, nonces) => aead::create(libcrypto, name, nonces, request),
            Recipe::Cipher(name) => Ok(Box::new(cipher::Cipher::new(libcrypto, name, request)?)),
            Recipe::Mac(construction) => mac::create(libcrypto, construction, request),
            Recipe::Digest(name) => Ok(Box::new(digest::Digest::new(libcrypto, name, request)?)),
        }
    }
}

/// What the library says of itself.
fn library(Loaded { functions: libcrypto, location }: Loaded<Libcrypto>) -> Library {
    // `OPENSSL_VERSION`, `OPENSSL_CFLAGS` and `OPENSSL_FULL_VERSION_STRING` of
    // `OpenSSL_version`, `OPENSSL_INFO_CPU_SETTINGS` of `OPENSSL_info`.
    const TITLE: c_int = 0;
    const COMPILER: c_int = 1;
    const VERSION: c_int = 7;
    const CPU_SETTINGS: c_int = 1008;
    // SAFETY: both take any number, and give null or a string that lives as long as the library.
    let (version, [title, cpu, compiler]) = unsafe {
        let version = |number| text((libcrypto.OpenSSL_version)(number));
        let cpu = text((libcrypto.OPENSSL_info)(CPU_SETTINGS));
        (version(VERSION), [version(TITLE), cpu, version(COMPILER)])
    };
    let build = [title, cpu, compiler].into_iter().filter(|part| !part.is_empty());
    Library { version, location, build: build.collect::<Vec<_>>().join("; ") }
}
