//! OpenSSL: the installed libcrypto, opened at run time and never linked.
//!
//! Algorithms are fetched and contexts allocated once, when a function is made: the overhead that
//! a good caller avoids is not counted. What is timed:
//!
//! | operation | timed |
//! |---|---|
//! | setup | `EVP_EncryptInit_ex2` or `EVP_MAC_init` with a key; Poly1305 and SipHash keep a copy of it besides |
//! | seal | `EVP_EncryptInit_ex2` with the nonce, `EVP_EncryptUpdate` for associated data and for plaintext (each unless empty), `EVP_EncryptFinal_ex`, the tag by `EVP_CIPHER_CTX_get_params` |
//! | open | the mirror; the tag is a parameter of `EVP_DecryptInit_ex2` |
//! | seal, open of CCM | the same without a final call; the text is given even when empty, and its length is told before associated data |
//! | seal, open of GCM-SIV | the same; the text is given even when empty, and an empty update makes the context forget the associated data of the message before |
//! | encrypt, decrypt | `EVP_…Init_ex2` with the IV (ECB: without), `EVP_…Update`, `EVP_…Final_ex`; ECB and CBC unpadded |
//! | keystream | `EVP_EncryptInit_ex2` with counter and nonce, or for RC4 a copy of the keyed context, which allocates; zeros, and `EVP_EncryptUpdate` in place |
//! | mac | `EVP_MAC_init` with the kept key, `EVP_MAC_update`, `EVP_MAC_final`; Poly1305 and SipHash are given the key again; GMAC as GCM without a text, which is what OpenSSL's own calls |
//! | verify | as mac, and `CRYPTO_memcmp` |
//! | digest | `EVP_DigestInit_ex2` with the kept digest, `EVP_DigestUpdate`, `EVP_DigestFinal_ex` |
//!
//! The other patterns do the same with these differences:
//!
//! | pattern | timed besides, or instead |
//! |---|---|
//! | rekeyed | what setup times, before each message |
//! | one-shot | as rekeyed, after `EVP_…_CTX_new` and `EVP_…_CTX_free` of the context before; the first `EVP_…Init` takes the algorithm and its parameters together with the key (CCM, and nonces of unusual length: in a call of their own before it). In HMAC and CMAC it looks the hash or cipher up by its name |
//! | fetched | as one-shot, after `EVP_CIPHER_fetch`, `EVP_MD_fetch` or `EVP_MAC_fetch`, and `EVP_…_free` of what was fetched before |
//! | incremental | one update for each chunk of the input, or of the keystream; associated data stays whole. CCM and GCM-SIV take the text in one update only, so they do not have this pattern |
//!
//! libcrypto chooses its code path by the processor's features (which `build` shows) and does not
//! say which one it took, so the one backend is `default`, its evidence unknown. Whether the time
//! depends on secrets differs between these paths (AES by instructions, by vector permutation or
//! by tables), and OpenSSL makes no statement for all of them.

mod aead;
mod answers;
pub mod capabilities;
mod cipher;
mod context;
mod digest;
mod libcrypto;
mod load;
mod mac;
mod params;
mod stream;

use std::ffi::{CStr, c_int};
use std::path::Path;

use ciphermark_algorithms::Algorithm;

use self::aead::Mode::{Ccm, ChaCha20Poly1305, Gcm, GcmSiv, Ocb};
use self::libcrypto::Libcrypto;
use self::mac::Construction::{Cmac, Hmac, Named, Poly1305, SipHash};
use crate::api::*;
use crate::shared_library::{Loaded, text};
use crate::table::{self, Table, TableProvider};

const NAME: &str = "openssl";
const TITLE: &str = "OpenSSL";

pub const REGISTRATION: Registration =
    Registration { name: NAME, title: TITLE, open, listed: true, switches: capabilities::OPENSSL };

fn open(path: Option<&Path>) -> Opened {
    let loaded = load::load(path)?;
    let functions = loaded.functions;
    let library = library(loaded);
    Ok(Box::new(TableProvider { name: NAME, functions, library, table: TABLE }))
}

/// How a function is made, with the names that OpenSSL gives its parts.
#[derive(Clone, Copy)]
enum Recipe {
    Aead(&'static CStr, aead::Mode),
    Cipher(&'static CStr),
    ChaCha20,
    Rc4,
    Mac(mac::Construction),
    Gmac(&'static CStr),
    Digest(&'static CStr),
}
use Recipe::{Aead, ChaCha20, Cipher, Digest, Gmac, Mac, Rc4};

/// What some version of OpenSSL 3 has: GCM-SIV came with 3.2 and SM4-GCM with 3.1, RC4 and IDEA are
/// in the provider `legacy`, and a build may leave anything out.
const TABLE: Table<Recipe> = &[
    ("aes-128-gcm", Aead(c"AES-128-GCM", Gcm)),
    ("aes-192-gcm", Aead(c"AES-192-GCM", Gcm)),
    ("aes-256-gcm", Aead(c"AES-256-GCM", Gcm)),
    ("aes-128-ccm", Aead(c"AES-128-CCM", Ccm)),
    ("aes-256-ccm", Aead(c"AES-256-CCM", Ccm)),
    ("aes-128-ocb", Aead(c"AES-128-OCB", Ocb)),
    ("aes-256-ocb", Aead(c"AES-256-OCB", Ocb)),
    ("aes-128-gcm-siv", Aead(c"AES-128-GCM-SIV", GcmSiv)),
    ("aes-256-gcm-siv", Aead(c"AES-256-GCM-SIV", GcmSiv)),
    ("sm4-gcm", Aead(c"SM4-GCM", Gcm)),
    ("chacha20-poly1305", Aead(c"ChaCha20-Poly1305", ChaCha20Poly1305)),
    ("aes-128-ecb", Cipher(c"AES-128-ECB")),
    ("aes-192-ecb", Cipher(c"AES-192-ECB")),
    ("aes-256-ecb", Cipher(c"AES-256-ECB")),
    ("aes-128-cbc", Cipher(c"AES-128-CBC")),
    ("aes-192-cbc", Cipher(c"AES-192-CBC")),
    ("aes-256-cbc", Cipher(c"AES-256-CBC")),
    ("aes-128-ctr", Cipher(c"AES-128-CTR")),
    ("aes-192-ctr", Cipher(c"AES-192-CTR")),
    ("aes-256-ctr", Cipher(c"AES-256-CTR")),
    ("camellia-128-ecb", Cipher(c"CAMELLIA-128-ECB")),
    ("camellia-192-ecb", Cipher(c"CAMELLIA-192-ECB")),
    ("camellia-256-ecb", Cipher(c"CAMELLIA-256-ECB")),
    ("camellia-128-cbc", Cipher(c"CAMELLIA-128-CBC")),
    ("camellia-192-cbc", Cipher(c"CAMELLIA-192-CBC")),
    ("camellia-256-cbc", Cipher(c"CAMELLIA-256-CBC")),
    ("camellia-128-ctr", Cipher(c"CAMELLIA-128-CTR")),
    ("camellia-192-ctr", Cipher(c"CAMELLIA-192-CTR")),
    ("camellia-256-ctr", Cipher(c"CAMELLIA-256-CTR")),
    ("sm4-ecb", Cipher(c"SM4-ECB")),
    ("sm4-cbc", Cipher(c"SM4-CBC")),
    ("sm4-ctr", Cipher(c"SM4-CTR")),
    ("idea-ecb", Cipher(c"IDEA-ECB")),
    ("idea-cbc", Cipher(c"IDEA-CBC")),
    ("chacha20", ChaCha20),
    ("rc4-128", Rc4),
    ("cmac-aes-128", Mac(Cmac(c"AES-128-CBC"))),
    ("cmac-aes-192", Mac(Cmac(c"AES-192-CBC"))),
    ("cmac-aes-256", Mac(Cmac(c"AES-256-CBC"))),
    ("cmac-camellia-128", Mac(Cmac(c"CAMELLIA-128-CBC"))),
    ("cmac-camellia-256", Mac(Cmac(c"CAMELLIA-256-CBC"))),
    ("cmac-sm4", Mac(Cmac(c"SM4-CBC"))),
    ("gmac-aes-128", Gmac(c"AES-128-GCM")),
    ("gmac-aes-256", Gmac(c"AES-256-GCM")),
    ("hmac-md5", Mac(Hmac(c"MD5"))),
    ("hmac-sha1", Mac(Hmac(c"SHA1"))),
    ("hmac-sha224", Mac(Hmac(c"SHA2-224"))),
    ("hmac-sha256", Mac(Hmac(c"SHA2-256"))),
    ("hmac-sha384", Mac(Hmac(c"SHA2-384"))),
    ("hmac-sha512", Mac(Hmac(c"SHA2-512"))),
    ("hmac-sha3-256", Mac(Hmac(c"SHA3-256"))),
    ("hmac-sha3-512", Mac(Hmac(c"SHA3-512"))),
    ("kmac128", Mac(Named(c"KMAC-128"))),
    ("kmac256", Mac(Named(c"KMAC-256"))),
    ("blake2b-mac-512", Mac(Named(c"BLAKE2BMAC"))),
    ("blake2s-mac-256", Mac(Named(c"BLAKE2SMAC"))),
    ("poly1305", Mac(Poly1305)),
    ("siphash-2-4-64", Mac(SipHash(8))),
    ("siphash-2-4-128", Mac(SipHash(16))),
    ("blake2b-512", Digest(c"BLAKE2B-512")),
    ("blake2s-256", Digest(c"BLAKE2S-256")),
    ("md5", Digest(c"MD5")),
    ("ripemd160", Digest(c"RIPEMD-160")),
    ("sha1", Digest(c"SHA1")),
    ("sha224", Digest(c"SHA2-224")),
    ("sha256", Digest(c"SHA2-256")),
    ("sha384", Digest(c"SHA2-384")),
    ("sha512", Digest(c"SHA2-512")),
    ("sha512-256", Digest(c"SHA2-512/256")),
    ("sha3-224", Digest(c"SHA3-224")),
    ("sha3-256", Digest(c"SHA3-256")),
    ("sha3-384", Digest(c"SHA3-384")),
    ("sha3-512", Digest(c"SHA3-512")),
    ("sm3", Digest(c"SM3")),
];

impl table::Recipe for Recipe {
    type Library = Libcrypto;

    fn create(
        self,
        libcrypto: &'static Libcrypto,
        facts: &'static Algorithm,
        request: &Request<'_>,
    ) -> Result<Box<dyn Function>, CreateError> {
        match self {
            Aead(name, mode) => {
                aead::create(libcrypto, name, mode, facts.nonce_bytes as usize, request)
            }
            Cipher(name) => Ok(Box::new(cipher::Cipher::new(libcrypto, name, request)?)),
            ChaCha20 => stream::chacha20(libcrypto, facts, request),
            Rc4 => stream::rc4(libcrypto, request),
            Mac(construction) => mac::create(libcrypto, construction, facts, request),
            Gmac(name) => aead::gmac(libcrypto, name, request),
            Digest(name) => Ok(Box::new(digest::Digest::new(libcrypto, name, request)?)),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_facts() {
        crate::table::tests::every_line_has_facts(TABLE);
    }

    #[test]
    fn all_have_all_patterns_but_those_that_take_the_text_at_once() {
        let Ok(openssl) = open(None) else {
            eprintln!("skipped: OpenSSL cannot be used here");
            return;
        };
        for implementation in openssl.implementations() {
            let name = implementation.algorithm.as_str();
            let facts = ciphermark_algorithms::find(name).expect("it is described");
            let at_once = name.ends_with("-ccm") || name.ends_with("-gcm-siv");
            let expected = Pattern::ALL.into_iter().filter(|pattern| match pattern {
                Pattern::Incremental => !at_once,
                Pattern::Rekeyed => facts.key_bytes > 0,
                _ => true,
            });
            assert!(implementation.patterns.into_iter().eq(expected), "{name}");
        }
    }

    #[test]
    fn a_renewed_function_refuses_messages_until_it_has_a_key() {
        let Ok(openssl) = open(None) else {
            eprintln!("skipped: OpenSSL cannot be used here");
            return;
        };
        crate::patterns::tests::messages_before_the_key_are_refused(openssl.as_ref(), |_| true);
    }
}
