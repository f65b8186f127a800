//! AWS-LC: C and assembly that the crate `aws-lc-sys` brings along, compiled into the engine.
//!
//! Contexts are allocated once, when a function is made. What is timed:
//!
//! | operation | timed |
//! |---|---|
//! | setup | `EVP_CipherInit_ex`, `EVP_AEAD_CTX_init`, `HMAC_Init_ex` or `CMAC_Init` with a key; the stream ChaCha20 and Poly1305 only copy theirs |
//! | seal of GCM | `EVP_CipherInit_ex` with the nonce, `EVP_CipherUpdate` for associated data and for plaintext (each unless empty), `EVP_CipherFinal_ex`, the tag by `EVP_CIPHER_CTX_ctrl` |
//! | open of GCM | the mirror |
//! | seal, open of other AEADs | `EVP_AEAD_CTX_seal` or `EVP_AEAD_CTX_open`, from buffer to buffer |
//! | encrypt, decrypt | `EVP_CipherInit_ex` with the IV, `EVP_CipherUpdate`, `EVP_CipherFinal_ex`; CBC unpadded |
//! | keystream | zeros, and `CRYPTO_chacha_20` in place; for RC4 a copy of the keyed context, which allocates, and `EVP_CipherUpdate` in place |
//! | mac | `HMAC_Init_ex` or `CMAC_Reset` with the kept key, update, final; Poly1305 init with the key, update, finish; GMAC as GCM without a text |
//! | verify | as mac, and `CRYPTO_memcmp` |
//! | digest | `EVP_DigestInit_ex` with the kept digest, `EVP_DigestUpdate`, `EVP_DigestFinal_ex` |
//!
//! The other patterns do the same with these differences:
//!
//! | pattern | timed besides, or instead |
//! |---|---|
//! | rekeyed | what setup times, before each message |
//! | one-shot | as rekeyed, after `…_CTX_new` and `…_CTX_free` of the context before; the first `…Init` takes the algorithm together with the key. `EVP_AEAD_CTX_new` takes the key and is timed with it. Nothing more for the stream ChaCha20 and Poly1305, which have no context |
//! | fetched | not there: algorithms are functions, and nothing is looked up by name |
//! | incremental | one update for each chunk of the input, or of the keystream; associated data stays whole. `EVP_AEAD` and the stream ChaCha20, whose one call begins at a block, do not have this pattern |
//!
//! Ciphers go through `EVP_CIPHER`, as for OpenSSL, which costs some 30 ns a message:
//! `AES_cbc_encrypt` alone takes 9 of the 41 ns of 16 bytes in AES-128-CBC. GCM goes through it too,
//! since its `EVP_AEAD` copies the state of the key for every message, which takes 25 ns longer. A
//! kept digest context is quicker than `EVP_Digest`, which allocates one (SHA-256 at 16 bytes by a
//! quarter), and kept MAC contexts are quicker than `HMAC` and `AES_CMAC`, which set the key up
//! anew.
//!
//! AWS-LC chooses its code path by the processor's features and does not say which one it took, so
//! the one backend is `default`, its evidence unknown.

mod aead;
mod answers;
mod cipher;
mod digest;
mod gcm;
mod mac;
mod stream;

use std::path::Path;

use aws_lc_sys::*;
use ciphermark_algorithms::Algorithm;

use self::aead::NewAead;
use self::cipher::NewCipher;
use self::digest::NewDigest;
use crate::api::*;
use crate::openssl::capabilities;
use crate::shared_library::text;
use crate::table::{self, Table, TableProvider};
use crate::{checks, compiled_in};

const NAME: &str = "aws-lc";

pub const REGISTRATION: Registration = Registration {
    name: NAME,
    title: "AWS-LC",
    open,
    listed: true,
    switches: capabilities::AWS_LC,
};

fn open(path: Option<&Path>) -> Opened {
    compiled_in::refuse_path(NAME, path)?;
    // SAFETY: takes any number, and gives a string that lives as long as the program. The library
    // is asked, since the crate's build script may have found another one to link.
    let version = unsafe { text(OpenSSL_version(OPENSSL_VERSION)) };
    let library = Library {
        version: version.trim_start_matches("AWS-LC ").into(),
        location: compiled_in::LOCATION.into(),
        build: concat!("with ", env!("AWS_LC_CRATE"), "; ", env!("C_COMPILER")).into(),
    };
    Ok(Box::new(TableProvider { name: NAME, functions: &(), library, table: TABLE }))
}

/// How a function is made, with the functions that name its parts.
#[derive(Clone, Copy)]
enum Recipe {
    Gcm(NewCipher),
    Aead(NewAead),
    Cipher(NewCipher),
    Gmac(NewCipher),
    Cmac(NewCipher),
    Hmac(NewDigest),
    Poly1305,
    ChaCha20,
    Rc4,
    Digest(NewDigest),
}
use Recipe::{Aead, ChaCha20, Cipher, Cmac, Digest, Gcm, Gmac, Hmac, Poly1305, Rc4};

const TABLE: Table<Recipe> = &[
    ("aes-128-gcm", Gcm(EVP_aes_128_gcm)),
    ("aes-192-gcm", Gcm(EVP_aes_192_gcm)),
    ("aes-256-gcm", Gcm(EVP_aes_256_gcm)),
    ("aes-128-gcm-siv", Aead(EVP_aead_aes_128_gcm_siv)),
    ("aes-256-gcm-siv", Aead(EVP_aead_aes_256_gcm_siv)),
    ("chacha20-poly1305", Aead(EVP_aead_chacha20_poly1305)),
    ("xchacha20-poly1305", Aead(EVP_aead_xchacha20_poly1305)),
    ("aes-128-ecb", Cipher(EVP_aes_128_ecb)),
    ("aes-192-ecb", Cipher(EVP_aes_192_ecb)),
    ("aes-256-ecb", Cipher(EVP_aes_256_ecb)),
    ("aes-128-cbc", Cipher(EVP_aes_128_cbc)),
    ("aes-192-cbc", Cipher(EVP_aes_192_cbc)),
    ("aes-256-cbc", Cipher(EVP_aes_256_cbc)),
    ("aes-128-ctr", Cipher(EVP_aes_128_ctr)),
    ("aes-192-ctr", Cipher(EVP_aes_192_ctr)),
    ("aes-256-ctr", Cipher(EVP_aes_256_ctr)),
    ("gmac-aes-128", Gmac(EVP_aes_128_gcm)),
    ("gmac-aes-256", Gmac(EVP_aes_256_gcm)),
    ("cmac-aes-128", Cmac(EVP_aes_128_cbc)),
    ("cmac-aes-192", Cmac(EVP_aes_192_cbc)),
    ("cmac-aes-256", Cmac(EVP_aes_256_cbc)),
    ("hmac-md5", Hmac(EVP_md5)),
    ("hmac-sha1", Hmac(EVP_sha1)),
    ("hmac-sha224", Hmac(EVP_sha224)),
    ("hmac-sha256", Hmac(EVP_sha256)),
    ("hmac-sha384", Hmac(EVP_sha384)),
    ("hmac-sha512", Hmac(EVP_sha512)),
    ("hmac-sha3-256", Hmac(EVP_sha3_256)),
    ("hmac-sha3-512", Hmac(EVP_sha3_512)),
    ("poly1305", Poly1305),
    ("chacha20", ChaCha20),
    ("rc4-128", Rc4),
    ("md5", Digest(EVP_md5)),
    ("ripemd160", Digest(EVP_ripemd160)),
    ("sha1", Digest(EVP_sha1)),
    ("sha224", Digest(EVP_sha224)),
    ("sha256", Digest(EVP_sha256)),
    ("sha384", Digest(EVP_sha384)),
    ("sha512", Digest(EVP_sha512)),
    ("sha512-256", Digest(EVP_sha512_256)),
    ("sha3-224", Digest(EVP_sha3_224)),
    ("sha3-256", Digest(EVP_sha3_256)),
    ("sha3-384", Digest(EVP_sha3_384)),
    ("sha3-512", Digest(EVP_sha3_512)),
];

impl table::Recipe for Recipe {
    type Library = ();

    fn create(
        self,
        _: &'static (),
        facts: &'static Algorithm,
        request: &Request<'_>,
    ) -> Result<Box<dyn Function>, CreateError> {
        // GCM alone takes nonces of any length.
        if !matches!(self, Gcm(_)) {
            checks::check_nonce(request, facts.nonce_bytes as usize)?;
        }
        let operation = request.operation;
        match self {
            Gcm(cipher) => gcm::create(cipher, request),
            Aead(aead) => aead::create(aead, operation),
            Cipher(cipher) => cipher::create(cipher, operation),
            Gmac(cipher) => gcm::gmac(cipher, operation),
            Cmac(cipher) => mac::cmac(cipher, operation),
            Hmac(digest) => mac::hmac(digest, operation),
            Poly1305 => Ok(mac::poly1305(operation)),
            ChaCha20 => Ok(stream::chacha20()),
            Rc4 => stream::rc4(),
            Digest(digest) => digest::create(digest),
        }
    }

    /// The authors state it of each code path of AES (`aes_nohw.c`, `vpaes-x86_64.pl`) and of GHASH
    /// (`gcm_nohw.c`) that goes without instructions for them, and the modes add nothing that looks
    /// at data. Of the rest they say nothing.
    fn constant_time(self) -> Option<bool> {
        matches!(self, Gcm(_) | Cipher(_) | Gmac(_) | Cmac(_)).then_some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_facts() {
        crate::table::tests::every_line_has_facts(TABLE);
    }

    #[test]
    fn all_can_be_renewed_and_most_take_chunks() {
        let aws_lc = open(None).unwrap_or_else(|why| panic!("{why}"));
        for implementation in aws_lc.implementations() {
            let name = implementation.algorithm.as_str();
            let facts = ciphermark_algorithms::find(name).expect("it is described");
            let at_once = ["-gcm-siv", "chacha20-poly1305", "chacha20"];
            let expected = Pattern::ALL.into_iter().filter(|pattern| match pattern {
                Pattern::Incremental => !at_once.iter().any(|end| name.ends_with(end)),
                Pattern::Rekeyed => facts.key_bytes > 0,
                Pattern::Fetched => false,
                _ => true,
            });
            assert!(implementation.patterns.into_iter().eq(expected), "{name}");
        }
    }

    #[test]
    fn a_renewed_function_refuses_messages_until_it_has_a_key() {
        let aws_lc = open(None).unwrap_or_else(|why| panic!("{why}"));
        let has_context = |name: &str| !["chacha20", "poly1305"].contains(&name);
        crate::patterns::tests::messages_before_the_key_are_refused(aws_lc.as_ref(), has_context);
    }
}
