//! Botan through its C interface: the installed one, opened at run time and called
//! through `engine/shims/botan.c`.
//!
//! Objects are made once, when a function is made, and kept. What is timed:
//!
//! | operation | timed |
//! |---|---|
//! | setup | `botan_…_set_key`; OCB: and `botan_cipher_reset`, without which Botan 2 answers wrong when the last nonce comes again under the new key |
//! | seal, open | `botan_cipher_set_associated_data` (unless there is none, nor was before), `botan_cipher_start` with the nonce, `botan_cipher_update` with all of the message; in Botan 2, with the part that the mode takes in advance, and again with the rest |
//! | encrypt, decrypt | ECB: `botan_block_cipher_encrypt_blocks` or `…_decrypt_blocks`; other modes: `botan_cipher_start` and `botan_cipher_update` |
//! | keystream | the same, on zeros; RC4 begins with `botan_cipher_set_key`, since nothing else brings its state back |
//! | mac, verify | `botan_mac_set_nonce` (GMAC), `botan_mac_update`, `botan_mac_final`; Poly1305 and, in Botan 2, SipHash forget their key and begin with `botan_mac_set_key`; to verify, `botan_constant_time_compare` |
//! | digest | `botan_hash_update`, `botan_hash_final` |
//!
//! `botan_cipher_update` copies the message into a buffer of its own, works there and copies the
//! answer out: that is part of what a caller of the C interface pays, and a caller in C++ does not.
//!
//! An object is always made by the name of its algorithm, so that the one way to give all up
//! between messages is `fetched`: a new object, and the old one destroyed. In chunks, `…_update` is
//! called for each; ciphers take multiples of a number of their own, and what is left of a chunk is
//! given again with the next. Botan 2 turns such a chunk multiple by multiple, which for CTR and
//! stream ciphers is byte by byte. CCM, GCM-SIV and XTS take no chunks.
//!
//! Botan chooses its code path by the processor's features and does not say which one it took, so
//! the one backend is `default`, its evidence unknown. `BOTAN_CLEAR_CPUID` in the environment hides
//! features. Botan 3 reads it. Botan 2 has no call for it in C: the shim clears the bits in a variable of
//! the library, which it finds by its C++ symbol, after a look whether that holds what Botan 2.17 to 2.19
//! have there. The other way is a caller in C++ compiled with Botan's headers, which means the same
//! variable by the same symbol. Builds that do not export it, or have another structure, are refused while
//! the variable is set, and measured as usual without it.

use std::path::Path;

use crate::api::*;
use crate::shared_library::SharedLibrary;
use crate::shim::opened;
use crate::switches;

const NAME: &str = "botan";
const TITLE: &str = "Botan";

pub const REGISTRATION: Registration =
    Registration { name: NAME, title: TITLE, open, listed: true, switches: Some(SWITCHES) };

pub static LIBRARY: SharedLibrary = SharedLibrary {
    provider: NAME,
    title: TITLE,
    library: "libbotan",
    oldest: "2.14",
    // Of Botan 3 every release has a soname of its own, and all have the same functions in C.
    sonames: &[
        "libbotan-3.so.19",
        "libbotan-3.so.18",
        "libbotan-3.so.17",
        "libbotan-3.so.16",
        "libbotan-3.so.15",
        "libbotan-3.so.14",
        "libbotan-3.so.13",
        "libbotan-3.so.12",
        "libbotan-3.so.11",
        "libbotan-3.so.10",
        "libbotan-3.so.9",
        "libbotan-3.so.8",
        "libbotan-3.so.7",
        "libbotan-3.so.6",
        "libbotan-3.so.5",
        "libbotan-3.so.4",
        "libbotan-3.so.3",
        "libbotan-3.so.2",
        "libbotan-3.so.1",
        "libbotan-3.so.0",
        "libbotan-2.so.19",
    ],
    package: "libbotan-2-19",
};

fn open(path: Option<&Path>) -> Opened {
    opened::open(&LIBRARY, path)
}

/// Botan 3 reads it; Botan 2 is told what it says.
const SWITCHES: Switches =
    Switches { variable: "BOTAN_CLEAR_CPUID", features: &switches::features(&NAMES), hiding };

/// Names of ours with those of Botan 3, which ignores what it does not know.
#[cfg(target_arch = "x86_64")]
const NAMES: [(&str, &str); 12] = [
    ("sse2", "sse2"),
    ("ssse3", "ssse3"),
    ("pclmulqdq", "clmul"),
    ("aes", "aesni"),
    ("bmi2", "bmi2"),
    ("adx", "adx"),
    ("avx2", "avx2"),
    ("sha_ni", "intel_sha"),
    ("gfni", "gfni"),
    ("vpclmulqdq", "avx2_clmul,avx512_clmul"),
    ("vaes", "avx2_vaes,avx512_aes"),
    ("avx512", "avx512"),
];
#[cfg(target_arch = "aarch64")]
const NAMES: [(&str, &str); 10] = [
    ("asimd", "neon"),
    ("pmull", "armv8pmull"),
    ("aes", "armv8aes"),
    ("sha1", "armv8sha1"),
    ("sha2", "armv8sha2"),
    ("sha512", "armv8sha2_512"),
    ("sha3", "armv8sha3"),
    ("sm3", "armv8sm3"),
    ("sm4", "armv8sm4"),
    ("sve", "arm_sve"),
];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const NAMES: [(&str, &str); 0] = [];

/// Botan's names of these.
fn hiding(hidden: &[&str]) -> String {
    switches::names(&NAMES, hidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_is_known() {
        switches::assert_known(&SWITCHES);
        assert_eq!(hiding(&[]), "");
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_feature_may_have_two_names() {
        assert_eq!(hiding(&["vaes", "aes"]), "aesni,avx2_vaes,avx512_aes");
    }
}
