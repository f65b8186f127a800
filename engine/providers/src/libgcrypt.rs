//! libgcrypt: the installed one, opened at run time and called through
//! `engine/shims/libgcrypt.c`.
//!
//! Handles are opened once, when a function is made, and kept. What is timed:
//!
//! | operation | timed |
//! |---|---|
//! | setup | `gcry_cipher_setkey` or `gcry_mac_setkey` |
//! | seal | `gcry_cipher_setiv`, `gcry_cipher_authenticate` and `gcry_cipher_encrypt` (each unless empty), `gcry_cipher_gettag`; CCM is told the lengths, OCB that the data is the last, and GCM-SIV is reset first |
//! | open | the mirror, with `gcry_cipher_checktag` |
//! | encrypt, decrypt | `gcry_cipher_setiv` or `gcry_cipher_setctr` (not for ECB), `gcry_cipher_encrypt` or `gcry_cipher_decrypt` |
//! | keystream | `gcry_cipher_setiv`, or for RC4 a reset to the state of the key; zeros, encrypted in place |
//! | mac, verify | a reset (GMAC: `gcry_mac_setiv`), `gcry_mac_write`, `gcry_mac_read` or `gcry_mac_verify`; CBC-MAC is a flag of CBC encryption |
//! | digest | `gcry_md_reset`, `gcry_md_write`, `gcry_md_read`; the digest copied out |
//!
//! To keep nothing between messages, a handle is closed and one opened by the algorithm's number. In
//! chunks, `…_encrypt`, `…_decrypt` or `…_write` is called for each; OCB
//! takes whole blocks until the last, and GCM-SIV and XTS take no chunks.
//!
//! Hashing with the one call `gcry_md_hash_buffer` was not quicker for all (SHA-512 at 16 bytes by
//! 10 %, MD5 slower by half).
//!
//! libgcrypt chooses its code path by the processor's features (`hwflist` in `build`, less what
//! `CIPHERMARK_LIBGCRYPT_OFF` in the environment hides) and does not say which one it took, so the
//! one backend is `default`, its evidence unknown. Nor does it state
//! whether the time of each path depends on secrets.

use std::path::Path;

use crate::api::*;
use crate::shared_library::SharedLibrary;
use crate::shim::opened;
use crate::switches;

const NAME: &str = "libgcrypt";

pub const REGISTRATION: Registration =
    Registration { name: NAME, title: NAME, open, listed: true, switches: Some(SWITCHES) };

/// `gcry_get_config` came with 1.8.
pub static LIBRARY: SharedLibrary = SharedLibrary {
    provider: NAME,
    title: NAME,
    library: NAME,
    oldest: "1.8",
    sonames: &["libgcrypt.so.20"],
    package: "libgcrypt20",
};

fn open(path: Option<&Path>) -> Opened {
    opened::open(&LIBRARY, path)
}

/// libgcrypt reads no variable, so its shim does.
const SWITCHES: Switches = Switches {
    variable: "CIPHERMARK_LIBGCRYPT_OFF",
    features: &switches::features(&NAMES),
    hiding,
};

/// Names of ours with libgcrypt's, those of `hwflist` in its `src/hwfeatures.c`.
#[cfg(target_arch = "x86_64")]
const NAMES: [(&str, &str); 11] = [
    ("ssse3", "intel-ssse3"),
    ("sse4_1", "intel-sse4.1"),
    ("pclmulqdq", "intel-pclmul"),
    ("aes", "intel-aesni"),
    ("avx", "intel-avx"),
    ("bmi2", "intel-bmi2"),
    ("avx2", "intel-avx2"),
    ("sha_ni", "intel-shaext"),
    ("gfni", "intel-gfni"),
    // It has one name for this and vpclmulqdq.
    ("vaes", "intel-vaes-vpclmul"),
    ("avx512", "intel-avx512"),
];
#[cfg(target_arch = "aarch64")]
const NAMES: [(&str, &str); 11] = [
    ("asimd", "arm-neon"),
    ("pmull", "arm-pmull"),
    ("aes", "arm-aes"),
    ("sha1", "arm-sha1"),
    ("sha2", "arm-sha2"),
    ("sha512", "arm-sha512"),
    ("sha3", "arm-sha3"),
    ("sm3", "arm-sm3"),
    ("sm4", "arm-sm4"),
    ("sve", "arm-sve"),
    ("sve2", "arm-sve2"),
];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const NAMES: [(&str, &str); 0] = [];

/// libgcrypt's names of these.
fn hiding(hidden: &[&str]) -> String {
    switches::names(&NAMES, hidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_is_told_by_its_name() {
        switches::assert_known(&SWITCHES);
        assert_eq!(hiding(SWITCHES.features).split(',').count(), NAMES.len());
        assert_eq!(hiding(&[]), "");
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn features_become_names_of_libgcrypt() {
        assert_eq!(hiding(&["aes", "sse4_1"]), "intel-sse4.1,intel-aesni");
    }
}
