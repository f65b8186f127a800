//! The switch of x86-64.

use super::{Dependents, hidden_bits};
use crate::api::Switches;
use crate::switches;

const VARIABLE: &str = "OPENSSL_ia32cap";

/// BMI, SHA and the rest matter to some symmetric algorithm; ADX serves multiplication of long
/// numbers only, and code on x86-64 takes SSE2 for granted. OpenSSL asks for neither SSE4.1 nor
/// GFNI.
pub const OPENSSL: Switches = Switches {
    variable: VARIABLE,
    features: &[
        "ssse3",
        "movbe",
        "pclmulqdq",
        "aes",
        "avx",
        "bmi2",
        "avx2",
        "sha_ni",
        "vpclmulqdq",
        "vaes",
        "avx512",
    ],
    hiding,
};

/// As for OpenSSL; ChaCha20-Poly1305 also asks for SSE4.1.
pub const AWS_LC: Switches =
    Switches { variable: VARIABLE, features: &switches::features(&BITS), hiding };

const VECTORS: usize = 5;

// Where the registers that `CPUID` fills begin in the vectors (OPENSSL_ia32cap(3)); the numbers
// of bits within them are those of Intel's Software Developer's Manual, volume 2, `CPUID`.
const LEAF_1_ECX: u32 = 32;
const LEAF_7_EBX: u32 = 64;
const LEAF_7_ECX: u32 = 96;
const LEAF_7_1_EAX: u32 = 160;
const LEAF_7_1_EDX: u32 = 192;

const BITS: [(&str, &[u32]); 12] = [
    ("ssse3", &[LEAF_1_ECX + 9]),
    ("sse4_1", &[LEAF_1_ECX + 19]),
    ("movbe", &[LEAF_1_ECX + 22]),
    ("pclmulqdq", &[LEAF_1_ECX + 1]),
    ("aes", &[LEAF_1_ECX + 25]),
    // AVX, FMA and what is coded alike: XOP, for which OpenSSL uses this bit, and SHA-512, SM3
    // and SM4, which have no names of their own here.
    (
        "avx",
        &[
            LEAF_1_ECX + 28,
            LEAF_1_ECX + 12,
            LEAF_1_ECX + 11,
            LEAF_7_1_EAX,
            LEAF_7_1_EAX + 1,
            LEAF_7_1_EAX + 2,
        ],
    ),
    // With BMI1, which came with it.
    ("bmi2", &[LEAF_7_EBX + 8, LEAF_7_EBX + 3]),
    ("avx2", &[LEAF_7_EBX + 5]),
    ("sha_ni", &[LEAF_7_EBX + 29]),
    ("vpclmulqdq", &[LEAF_7_ECX + 10]),
    ("vaes", &[LEAF_7_ECX + 9]),
    // F, DQ, IFMA, BW, VL, VBMI, VBMI2; and AVX10, which contains them.
    (
        "avx512",
        &[
            LEAF_7_EBX + 16,
            LEAF_7_EBX + 17,
            LEAF_7_EBX + 21,
            LEAF_7_EBX + 30,
            LEAF_7_EBX + 31,
            LEAF_7_ECX + 1,
            LEAF_7_ECX + 6,
            LEAF_7_1_EDX + 19,
        ],
    ),
];

/// Both libraries ask for some of these alone, and would go on using registers and instructions
/// that are meant to be away.
const DEPENDENTS: &Dependents = &[
    ("pclmulqdq", &["vpclmulqdq"]),
    ("aes", &["vaes"]),
    ("avx", &["avx2", "vpclmulqdq", "vaes", "avx512"]),
    ("avx2", &["avx512"]),
];

/// A mask for each vector, since OpenSSL clears the vectors that are left out. Versions that
/// have fewer of them, and AWS-LC, read those that they have.
fn hiding(features: &[&str]) -> String {
    let mut masks = [0_u64; VECTORS];
    for bit in hidden_bits(features, DEPENDENTS, &BITS) {
        masks[bit as usize / 64] |= 1 << (bit % 64);
    }
    masks.map(|mask| format!("~{mask:#x}")).join(":")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_have_the_bits_of_the_manual() {
        let expected = [
            ("ssse3", "~0x20000000000:~0x0:~0x0:~0x0:~0x0"),
            ("sse4_1", "~0x8000000000000:~0x0:~0x0:~0x0:~0x0"),
            ("movbe", "~0x40000000000000:~0x0:~0x0:~0x0:~0x0"),
            ("pclmulqdq", "~0x200000000:~0x40000000000:~0x0:~0x0:~0x0"),
            ("aes", "~0x200000000000000:~0x20000000000:~0x0:~0x0:~0x0"),
            ("avx", "~0x1000180000000000:~0x642c0230020:~0x700000000:~0x80000:~0x0"),
            ("bmi2", "~0x0:~0x108:~0x0:~0x0:~0x0"),
            ("avx2", "~0x0:~0x42c0230020:~0x0:~0x80000:~0x0"),
            ("sha_ni", "~0x0:~0x20000000:~0x0:~0x0:~0x0"),
            ("vpclmulqdq", "~0x0:~0x40000000000:~0x0:~0x0:~0x0"),
            ("vaes", "~0x0:~0x20000000000:~0x0:~0x0:~0x0"),
            ("avx512", "~0x0:~0x42c0230000:~0x0:~0x80000:~0x0"),
        ];
        for (feature, masks) in expected {
            assert_eq!(hiding(&[feature]), masks, "{feature}");
        }
        assert_eq!(hiding(&[]), "~0x0:~0x0:~0x0:~0x0:~0x0");
        assert_eq!(hiding(&["sha_ni", "bmi2"]), "~0x0:~0x20000108:~0x0:~0x0:~0x0");
    }

    #[test]
    fn every_feature_can_be_hidden() {
        for switches in [OPENSSL, AWS_LC] {
            for feature in switches.features {
                assert!(BITS.iter().any(|(name, _)| name == feature), "{feature}");
                assert!(crate::features::X86_64.contains(feature), "{feature}");
            }
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests_here {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    use std::process::Command;

    use super::*;
    use crate::openssl;

    /// The first bit of a line is the one that the feature is named after; what this processor
    /// says of it and what the standard library finds have to be the same.
    #[test]
    fn bits_are_those_that_this_processor_sets() {
        let (one, seven) = (__cpuid(1), __cpuid_count(7, 0));
        let vectors = [
            u64::from(one.edx) | u64::from(one.ecx) << 32,
            u64::from(seven.ebx) | u64::from(seven.ecx) << 32,
        ];
        let found = [
            ("ssse3", is_x86_feature_detected!("ssse3")),
            ("sse4_1", is_x86_feature_detected!("sse4.1")),
            ("movbe", is_x86_feature_detected!("movbe")),
            ("pclmulqdq", is_x86_feature_detected!("pclmulqdq")),
            ("aes", is_x86_feature_detected!("aes")),
            ("avx", is_x86_feature_detected!("avx")),
            ("bmi2", is_x86_feature_detected!("bmi2")),
            ("avx2", is_x86_feature_detected!("avx2")),
            ("sha_ni", is_x86_feature_detected!("sha")),
            ("vpclmulqdq", is_x86_feature_detected!("vpclmulqdq")),
            ("vaes", is_x86_feature_detected!("vaes")),
            ("avx512", is_x86_feature_detected!("avx512f")),
        ];
        for ((feature, bits), (name, is_there)) in BITS.iter().zip(found) {
            assert_eq!(*feature, name);
            let is_set = vectors[bits[0] as usize / 64] >> (bits[0] % 64) & 1 == 1;
            assert_eq!(is_set, is_there, "{feature}");
        }
    }

    #[test]
    fn openssl_hides_what_it_is_told_and_nothing_else() {
        let Some([all, others]) = settings("") else { return };
        let [left, others_left] = settings(&hiding(&["aes"])).expect("as before");
        assert_eq!(left, all & !(1 << 57));
        assert_eq!(others_left, others & !(1 << 41));
    }

    /// The first two vectors as OpenSSL tells them in a process with that variable; `None`
    /// where OpenSSL cannot be used.
    fn settings(value: &str) -> Option<[u64; 2]> {
        let myself = std::env::current_exe().expect("a test knows its file");
        let mut child = Command::new(myself);
        child.args(["openssl::capabilities::x86_64::tests_here::prints_what_openssl_says"]);
        child.args(["--exact", "--ignored", "--nocapture"]);
        child.env_remove(VARIABLE);
        if !value.is_empty() {
            child.env(VARIABLE, value);
        }
        let printed = child.output().expect("it can be started").stdout;
        let printed = String::from_utf8(printed).expect("it prints text");
        let (_, settings) = printed.split_once("OPENSSL_ia32cap=")?;
        let mut vectors = settings.split([':', ' ', ';']).map(|vector| {
            let digits = vector.trim_start_matches("0x");
            u64::from_str_radix(digits, 16).expect("a vector in hexadecimal")
        });
        Some([vectors.next()?, vectors.next()?])
    }

    #[test]
    #[ignore = "run by the tests above, in a process of its own"]
    fn prints_what_openssl_says() {
        match openssl::open(None) {
            Ok(openssl) => println!("{}", openssl.library().build),
            Err(why) => eprintln!("skipped: {why}"),
        }
    }
}
