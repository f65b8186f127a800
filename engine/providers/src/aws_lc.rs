//! AWS-LC: C and assembly that the crate `aws-lc-sys` brings along, compiled into the engine, called
//! through `engine/shims/aws_lc.c`.
//!
//! Contexts are allocated once, when a function is made. What is timed:
//!
//! | operation | timed |
//! |---|---|
//! | setup | `EVP_CipherInit_ex`, `EVP_AEAD_CTX_init`, `HMAC_Init_ex` or `CMAC_Init` with a key; the stream ChaCha20 and Poly1305 only copy theirs |
//! | seal of GCM | `EVP_CipherInit_ex` with the nonce, `EVP_CipherUpdate` for associated data and for plaintext (each unless empty), `EVP_CipherFinal_ex`, the tag by `EVP_CIPHER_CTX_ctrl` |
//! | open of GCM | the mirror |
//! | seal, open of other AEADs | `EVP_AEAD_CTX_seal` or `EVP_AEAD_CTX_open`, from buffer to buffer |
//! | encrypt, decrypt | `EVP_CipherInit_ex` with the IV, `EVP_CipherUpdate`, `EVP_CipherFinal_ex`; CBC unpadded, a sector of XTS in one update |
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
//! | one-shot | as rekeyed, after `…_CTX_free` of the context before and `…_CTX_new`; the first `…Init` takes the algorithm together with the key. `EVP_AEAD_CTX_new` takes the key and is timed with it. Nothing more for the stream ChaCha20 and Poly1305, which have no context |
//! | fetched | not there: algorithms are functions, and nothing is looked up by name |
//! | incremental | one update for each chunk of the input, or of the keystream; associated data stays whole. `EVP_AEAD`, XTS and the stream ChaCha20, whose one call begins at a block, do not have this pattern |
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

use std::path::Path;

// It is the shim that calls it.
use aws_lc_sys as _;

use crate::api::*;
use crate::compiled_in;
use crate::openssl::capabilities;
use crate::shim::{self, abi};
use crate::table::TableProvider;

const NAME: &str = "aws-lc";

pub const REGISTRATION: Registration = Registration {
    name: NAME,
    title: "AWS-LC",
    open,
    listed: true,
    switches: capabilities::AWS_LC,
};

unsafe extern "C" {
    // The table lives as long as the program, and what the shim writes is the same each time.
    safe fn ciphermark_library_aws_lc() -> &'static abi::Library;
}

/// The shim's table.
pub fn library() -> &'static abi::Library {
    ciphermark_library_aws_lc()
}

fn open(path: Option<&Path>) -> Opened {
    compiled_in::refuse_path(NAME, path)?;
    let shim = library();
    let library = Library {
        version: shim::string(shim.library_version).trim_start_matches("AWS-LC ").into(),
        location: compiled_in::LOCATION.into(),
        build: concat!("with ", env!("AWS_LC_CRATE"), "; ", env!("C_COMPILER")).into(),
    };
    let table = shim::algorithms(shim);
    Ok(Box::new(TableProvider { name: NAME, functions: shim, library, table }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_can_be_renewed_and_most_take_chunks() {
        let aws_lc = open(None).unwrap_or_else(|why| panic!("{why}"));
        for implementation in aws_lc.implementations() {
            let name = implementation.algorithm.as_str();
            let facts = ciphermark_algorithms::find(name).expect("it is described");
            let at_once = ["-gcm-siv", "-xts", "chacha20-poly1305", "chacha20"];
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
        crate::testing::messages_before_the_key_are_refused(aws_lc.as_ref(), has_context);
    }
}
