//! Names of the extensions of processors that libraries choose their code paths by, as
//! `/proc/cpuinfo` spells them; groups that come together have one name.

/// Of x86-64, from the plainest to the most special: hiding all from one on leaves what came
/// before it.
pub const X86_64: &[&str] = &[
    "sse2",
    "ssse3",
    "sse4_1",
    "movbe",
    "pclmulqdq",
    "aes",
    "avx",
    "bmi2",
    "adx",
    "avx2",
    "sha_ni",
    "gfni",
    "vpclmulqdq",
    "vaes",
    "avx512",
];

/// Of arm64.
pub const AARCH64: &[&str] =
    &["asimd", "pmull", "aes", "sha1", "sha2", "sha512", "sha3", "sm3", "sm4", "sve", "sve2"];
