//! OpenSSL: the installed libcrypto, opened at run time and called through `engine/shims/openssl.c`.
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
//! | encrypt, decrypt | `EVP_…Init_ex2` with the IV (ECB: without), `EVP_…Update`, `EVP_…Final_ex`; ECB and CBC unpadded, a sector of XTS in one update |
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
//! | incremental | one update for each chunk of the input, or of the keystream; associated data stays whole. CCM, GCM-SIV and XTS take the text in one update only, so they do not have this pattern |
//!
//! libcrypto chooses its code path by the processor's features (which `build` shows) and does not
//! say which one it took, so the one backend is `default`, its evidence unknown. Whether the time
//! depends on secrets differs between these paths (AES by instructions, by vector permutation or
//! by tables), and OpenSSL makes no statement for all of them.

pub mod capabilities;

use std::path::Path;

use crate::api::*;
use crate::shared_library::SharedLibrary;
use crate::shim::opened;

const NAME: &str = "openssl";
const TITLE: &str = "OpenSSL";

pub const REGISTRATION: Registration =
    Registration { name: NAME, title: TITLE, open, listed: true, switches: capabilities::OPENSSL };

/// Fetching, which a good caller does once, came with OpenSSL 3.0.
pub static LIBRARY: SharedLibrary = SharedLibrary {
    provider: NAME,
    title: TITLE,
    library: "libcrypto",
    oldest: "3.0",
    sonames: &["libcrypto.so.4", "libcrypto.so.3", "libcrypto.so.1.1"],
    package: "openssl",
};

fn open(path: Option<&Path>) -> Opened {
    opened::open(&LIBRARY, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_have_all_patterns_but_those_that_take_the_text_at_once() {
        let Ok(openssl) = open(None) else {
            eprintln!("skipped: OpenSSL cannot be used here");
            return;
        };
        for implementation in openssl.implementations() {
            let name = implementation.algorithm.as_str();
            let facts = ciphermark_algorithms::find(name).expect("it is described");
            let at_once = ["-ccm", "-gcm-siv", "-xts"].iter().any(|mode| name.ends_with(mode));
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
        crate::testing::messages_before_the_key_are_refused(openssl.as_ref(), |_| true);
    }
}
