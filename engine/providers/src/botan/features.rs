//! Which features of the processor Botan is told to leave alone.

use std::env;

use crate::api::{Switches, Unusable};
use crate::shared_library::OpenedLibrary;
use crate::switches;

/// Botan 3 reads it; Botan 2 is told what it says.
const VARIABLE: &str = "BOTAN_CLEAR_CPUID";

pub const SWITCHES: Switches =
    Switches { variable: VARIABLE, features: &switches::features(&NAMES), hiding };

/// Names of ours with those of Botan 3, which ignores what it does not know, and the bits that
/// stand for them in Botan 2.17 to 2.19 (`botan/cpuid.h`).
#[cfg(target_arch = "x86_64")]
const NAMES: [(&str, (&str, u64)); 12] = [
    ("sse2", ("sse2", 1)),
    ("ssse3", ("ssse3", 1 << 1)),
    ("pclmulqdq", ("clmul", 1 << 17)),
    ("aes", ("aesni", 1 << 16)),
    ("bmi2", ("bmi2", 1 << 51)),
    ("adx", ("adx", 1 << 49)),
    ("avx2", ("avx2", 1 << 4)),
    ("sha_ni", ("intel_sha", 1 << 20)),
    ("gfni", ("gfni", 0)),
    ("vpclmulqdq", ("avx2_clmul,avx512_clmul", 1 << 22)),
    ("vaes", ("avx2_vaes,avx512_aes", 1 << 21)),
    // The sets F, DQ and BW, and all of those of Ice Lake.
    ("avx512", ("avx512", 1 << 5 | 1 << 6 | 1 << 7 | 1 << 11)),
];
#[cfg(target_arch = "aarch64")]
const NAMES: [(&str, (&str, u64)); 10] = [
    ("asimd", ("neon", 1)),
    ("pmull", ("armv8pmull", 1 << 17)),
    ("aes", ("armv8aes", 1 << 16)),
    ("sha1", ("armv8sha1", 1 << 18)),
    ("sha2", ("armv8sha2", 1 << 19)),
    ("sha512", ("armv8sha2_512", 1 << 21)),
    ("sha3", ("armv8sha3", 1 << 20)),
    ("sm3", ("armv8sm3", 1 << 22)),
    ("sm4", ("armv8sm4", 1 << 23)),
    ("sve", ("arm_sve", 1 << 1)),
];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const NAMES: [(&str, (&str, u64)); 0] = [];

fn hiding(hidden: &[&str]) -> String {
    let names = NAMES.iter().filter(|(feature, _)| hidden.contains(feature));
    names.map(|(_, (names, _))| *names).collect::<Vec<_>>().join(",")
}

/// Tells a Botan 2 what [`VARIABLE`] says: the bits are cleared in the variable of the library that
/// `CPUID::clear_cpuid_bit` of its header, which is inlined into callers, clears them in.
pub fn hide_from_botan_2(library: &OpenedLibrary, minor: u32) -> Result<(), Unusable> {
    const INITIALIZE: &str = "_ZN5Botan5CPUID10initializeEv";
    const STATE: &str = "_ZZN5Botan5CPUID5stateEvE7g_cpuid";
    let bits = bits(&env::var(VARIABLE).unwrap_or_default());
    if bits == 0 {
        return Ok(());
    }
    // SAFETY: these are the types of `CPUID::initialize()` and of a pointer to the first member of
    // the variable.
    let found = unsafe {
        let initialize = library.optional_function::<unsafe extern "C" fn()>(INITIALIZE);
        initialize.zip(library.optional_function::<*mut u64>(STATE))
    };
    match found.filter(|_| minor >= 17) {
        Some((initialize, state)) => {
            // SAFETY: the variable has its value once it is initialised; the features are its first
            // member in these versions, and the library is not used by others before it is opened.
            unsafe {
                initialize();
                *state &= !bits;
            }
            Ok(())
        }
        None => Err(library.refused(&format!("takes no notice of {VARIABLE}, which is set"))),
    }
}

/// The bits of the features that a list of Botan's names has.
fn bits(list: &str) -> u64 {
    let listed = |name: &str| list.split(',').any(|other| other == name);
    let lines = NAMES.iter().map(|(_, line)| line);
    let hidden = lines.filter(|(names, _)| names.split(',').any(listed));
    hidden.fold(0, |bits, (_, more)| bits | more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_is_told_by_its_name() {
        switches::assert_known(&SWITCHES);
        let all = NAMES.iter().fold(0, |bits, (_, (_, more))| bits | more);
        assert_eq!(bits(&hiding(SWITCHES.features)), all);
        assert_eq!(bits(&hiding(&[])), 0);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_feature_may_have_two_names() {
        assert_eq!(hiding(&["vaes", "aes"]), "aesni,avx2_vaes,avx512_aes");
        assert_eq!(bits("aesni,avx512_aes,rdrand"), 1 << 16 | 1 << 21);
    }
}
