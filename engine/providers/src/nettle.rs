//! Nettle: the installed libnettle, called through `engine/shims/nettle.c`.
//!
//! What is timed:
//!
//! | operation | timed |
//! |---|---|
//! | setup | `…_set_encrypt_key`, for HMAC and CMAC the subkeys too |
//! | seal, open | GCM and ChaCha20-Poly1305: the nonce, associated data (unless empty), text, tag; CCM, GCM-SIV and OCB by one call for a message; `open` compares with `memeql_sec` |
//! | encrypt, decrypt | a copy of the IV, `cbc_encrypt` (with AES `cbc_aes128_encrypt`, …), `cbc_decrypt` or `ctr_crypt`; XTS: `xts_aes128_encrypt_message`, … |
//! | mac, verify | update and digest, which leaves the context ready for the next message; UMAC and GMAC set the nonce first; `memeql_sec` |
//! | digest | update and digest |
//! | keystream | zeros, encrypted in place; of RC4 by a copy of the keyed state |
//!
//! In chunks, the calls are repeated; where Nettle takes whole blocks until the last, what is left
//! of a chunk is given again with the next. GCM-SIV, OCB and XTS take no chunks. A context made anew is
//! zeroed memory, and for hashes `…_init`.
//!
//! Debian's libnettle chooses its code path by the processor's features when it is loaded
//! (`NETTLE_FAT_OVERRIDE` in the environment overrides it) and does not say which one it took, so
//! the one backend is `default`, its evidence unknown. Nor does it state for each whether its time
//! depends on secrets.

use std::fs;
use std::path::Path;

use crate::api::*;
use crate::shared_library::SharedLibrary;
use crate::shim::Shim;
use crate::switches;

const NAME: &str = "nettle";
const TITLE: &str = "Nettle";

pub const REGISTRATION: Registration =
    Registration { name: NAME, title: TITLE, open, listed: true, switches: Some(SWITCHES) };

const SWITCHES: Switches = Switches {
    variable: "NETTLE_FAT_OVERRIDE",
    features: &switches::features(&NAMES),
    hiding: |hidden| allowing(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default(), hidden),
};

/// Names of ours with Nettle's, those of its `fat-x86_64.c` and `fat-arm64.c`.
#[cfg(target_arch = "x86_64")]
const NAMES: [(&str, &str); 3] = [("pclmulqdq", "pclmul"), ("aes", "aesni"), ("sha_ni", "sha_ni")];
#[cfg(target_arch = "aarch64")]
const NAMES: [(&str, &str); 4] =
    [("pmull", "pmull"), ("aes", "aes"), ("sha1", "sha1"), ("sha2", "sha2")];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const NAMES: [(&str, &str); 0] = [];

static SHIM: Shim = Shim {
    library: SharedLibrary {
        provider: NAME,
        title: TITLE,
        library: "libnettle",
        oldest: "3.7",
        sonames: &["libnettle.so.8"],
        package: "nettle-dev",
    },
    inside: "nettle_version_major",
    // All of 3.x since 3.6 have the structures of one soname.
    shared_numbers: 1,
};

fn open(path: Option<&Path>) -> Opened {
    SHIM.open(path)
}

/// What Nettle may use: its variable lists that instead of what is hidden, with the vendor, which
/// decides how it XORs.
fn allowing(cpuinfo: &str, hidden: &[&str]) -> String {
    let vendor = match cpuinfo {
        intel if intel.contains("GenuineIntel") => "vendor:intel",
        amd if amd.contains("AuthenticAMD") => "vendor:amd",
        _ => "vendor:other",
    };
    let is_flags = |line: &&str| line.starts_with("flags") || line.starts_with("Features");
    let flags = cpuinfo.lines().find(is_flags).unwrap_or_default();
    let has = |feature: &str| flags.split_whitespace().any(|flag| flag == feature);
    let left = NAMES.iter().filter(|(feature, _)| has(feature) && !hidden.contains(feature));
    [vendor].into_iter().chain(left.map(|(_, name)| *name)).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_is_known() {
        switches::assert_known(&SWITCHES);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_rest_that_the_processor_has_is_allowed() {
        let cpuinfo = "vendor_id\t: AuthenticAMD\nflags\t\t: fpu pclmulqdq aes avx\n\n";
        assert_eq!(allowing(cpuinfo, &[]), "vendor:amd,pclmul,aesni");
        assert_eq!(allowing(cpuinfo, &["aes"]), "vendor:amd,pclmul");
        assert_eq!(allowing(cpuinfo, &["aes", "pclmulqdq"]), "vendor:amd");
        let cpuinfo = "vendor_id\t: GenuineIntel\nflags\t\t: sha_ni\n";
        assert_eq!(allowing(cpuinfo, &["avx"]), "vendor:intel,sha_ni");
        assert_eq!(allowing("", &[]), "vendor:other");
    }

    #[cfg(target_arch = "aarch64")]
    #[test]
    fn the_rest_that_the_processor_has_is_allowed() {
        let cpuinfo = "Features\t: fp asimd aes pmull sha2\n";
        assert_eq!(allowing(cpuinfo, &["aes"]), "vendor:other,pmull,sha2");
    }
}
