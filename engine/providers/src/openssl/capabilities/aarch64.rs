//! The switch of arm64.

use super::{Bits, Dependents, hidden_bits};
use crate::api::Switches;

pub const AWS_LC: Switches = Switches {
    variable: "OPENSSL_armcap",
    features: &["asimd", "pmull", "aes", "sha1", "sha2", "sha512", "sha3"],
    hiding,
};

/// The numbers of the bits of AWS-LC's `openssl/arm_arch.h`.
const BITS: &Bits = &[
    ("asimd", &[0]),
    ("aes", &[2]),
    ("sha1", &[3]),
    ("sha2", &[4]),
    ("pmull", &[5]),
    ("sha512", &[6]),
    ("sha3", &[11]),
];

/// All others work on the registers of the first.
const DEPENDENTS: &Dependents = &[("asimd", &["aes", "sha1", "sha2", "pmull", "sha512", "sha3"])];

fn hiding(features: &[&str]) -> String {
    let hidden = hidden_bits(features, DEPENDENTS, BITS);
    let mask = hidden.fold(0_u32, |mask, bit| mask | 1 << bit);
    format!("~{mask:#x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_have_the_bits_of_the_header() {
        assert_eq!(hiding(&["aes"]), "~0x4");
        assert_eq!(hiding(&["sha3", "sha512"]), "~0x840");
        assert_eq!(hiding(&["asimd"]), "~0x87d");
    }
}
