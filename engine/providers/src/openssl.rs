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
mod cipher;
mod digest;
mod libcrypto;
mod load;
mod mac;
mod owned;
mod params;

use std::ffi::{CStr, c_int};
use std::path::Path;

use ciphermark_record::description::Kind;

use self::aead::Nonces;
use self::libcrypto::Libcrypto;
use self::load::Loaded;
use self::mac::Construction;
use crate::api::*;
use crate::checks;

const NAME: &str = "openssl";

pub const REGISTRATION: Registration =
    Registration { name: NAME, title: "OpenSSL", open, listed: true };

fn open(path: Option<&Path>) -> Opened {
    Ok(Box::new(OpenSsl(load::load(path)?)))
}

/// How a function is made, with the names that OpenSSL gives its parts.
#[derive(Clone, Copy)]
enum Recipe {
    Aead(&'static CStr, Nonces),
    Cipher(&'static CStr),
    Mac(Construction),
    Digest(&'static CStr),
}

const TABLE: &[(&str, Recipe)] = &[
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

impl Recipe {
    fn kind(self) -> Kind {
        match self {
            Recipe::Aead(..) => Kind::Aead,
            Recipe::Cipher(_) => Kind::Cipher,
            Recipe::Mac(_) => Kind::Mac,
            Recipe::Digest(_) => Kind::Hash,
        }
    }

    fn create(
        self,
        libcrypto: &'static Libcrypto,
        request: &Request<'_>,
    ) -> Result<Box<dyn Function>, CreateError> {
        match self {
            Recipe::Aead(name, nonces) => aead::create(libcrypto, name, nonces, request),
            Recipe::Cipher(name) => Ok(Box::new(cipher::Cipher::new(libcrypto, name, request)?)),
            Recipe::Mac(construction) => mac::create(libcrypto, construction, request),
            Recipe::Digest(name) => Ok(Box::new(digest::Digest::new(libcrypto, name, request)?)),
        }
    }

    /// Whether this libcrypto has it: a FIPS build lacks some.
    fn works(self, algorithm: &str, libcrypto: &'static Libcrypto) -> bool {
        let request = Request {
            algorithm,
            backend: checks::DEFAULT_BACKEND,
            operation: self.kind().operations()[0],
            pattern: Pattern::ReusedKey,
            nonce_bytes: None,
        };
        self.create(libcrypto, &request).is_ok()
    }
}

struct OpenSsl(Loaded);

impl Provider for OpenSsl {
    fn library(&self) -> Library {
        // `OPENSSL_VERSION`, `OPENSSL_CFLAGS` and `OPENSSL_FULL_VERSION_STRING` of
        // `OpenSSL_version`, `OPENSSL_INFO_CPU_SETTINGS` of `OPENSSL_info`.
        const TITLE: c_int = 0;
        const COMPILER: c_int = 1;
        const VERSION: c_int = 7;
        const CPU_SETTINGS: c_int = 1008;
        let libcrypto = self.0.libcrypto;
        // SAFETY: both take any number, and give null or a string that lives as long as the
        // library.
        let (version, [title, cpu, compiler]) = unsafe {
            let version = |number| load::text((libcrypto.OpenSSL_version)(number));
            let cpu = load::text((libcrypto.OPENSSL_info)(CPU_SETTINGS));
            (version(VERSION), [version(TITLE), cpu, version(COMPILER)])
        };
        let build = [title, cpu, compiler].into_iter().filter(|part| !part.is_empty());
        Library {
            version,
            location: self.0.location.clone(),
            build: build.collect::<Vec<_>>().join("; "),
        }
    }

    fn implementations(&self) -> Vec<Implementation> {
        let here = TABLE.iter().filter(|(name, recipe)| recipe.works(name, self.0.libcrypto));
        here.map(|(name, recipe)| checks::default_implementation(NAME, name, recipe.kind(), None))
            .collect()
    }

    fn create(&self, request: &Request<'_>) -> Result<Box<dyn Function>, CreateError> {
        let entry = TABLE.iter().find(|(name, _)| *name == request.algorithm);
        let (_, recipe) = entry.ok_or_else(|| checks::unknown_algorithm(request))?;
        checks::check_request(request, recipe.kind())?;
        recipe.create(self.0.libcrypto, request)
    }
}
