//! Which features of the processor libgcrypt is told to leave alone.

use std::env;
use std::ffi::{CStr, c_char, c_int};
use std::ptr;

use crate::api::Switches;
use crate::switches;

/// libgcrypt reads no variable, so the provider does.
const VARIABLE: &str = "CIPHERMARK_LIBGCRYPT_OFF";

pub const SWITCHES: Switches = Switches {
    variable: VARIABLE,
    features: &switches::features(&NAMES),
    hiding: |hidden| hidden.join(","),
};

/// Names of ours with libgcrypt's, those of `hwflist` in its `src/hwfeatures.c`.
#[cfg(target_arch = "x86_64")]
const NAMES: [(&str, &CStr); 11] = [
    ("ssse3", c"intel-ssse3"),
    ("sse4_1", c"intel-sse4.1"),
    ("pclmulqdq", c"intel-pclmul"),
    ("aes", c"intel-aesni"),
    ("avx", c"intel-avx"),
    ("bmi2", c"intel-bmi2"),
    ("avx2", c"intel-avx2"),
    ("sha_ni", c"intel-shaext"),
    ("gfni", c"intel-gfni"),
    // It has one name for this and vpclmulqdq.
    ("vaes", c"intel-vaes-vpclmul"),
    ("avx512", c"intel-avx512"),
];
#[cfg(target_arch = "aarch64")]
const NAMES: [(&str, &CStr); 11] = [
    ("asimd", c"arm-neon"),
    ("pmull", c"arm-pmull"),
    ("aes", c"arm-aes"),
    ("sha1", c"arm-sha1"),
    ("sha2", c"arm-sha2"),
    ("sha512", c"arm-sha512"),
    ("sha3", c"arm-sha3"),
    ("sm3", c"arm-sm3"),
    ("sm4", c"arm-sm4"),
    ("sve", c"arm-sve"),
    ("sve2", c"arm-sve2"),
];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const NAMES: [(&str, &CStr); 0] = [];

/// `gcry_control` as it is called here: a command, a string, null.
pub type Control = unsafe extern "C" fn(c_int, ...) -> u32;

/// Tells libgcrypt what [`VARIABLE`] says.
///
/// # Safety
///
/// `control` is `gcry_control` of a libgcrypt that is not yet initialised; afterwards it would be
/// too late.
pub unsafe fn hide(control: Control) {
    /// `GCRYCTL_DISABLE_HWF`
    const DISABLE_FEATURE: c_int = 63;
    for name in names(&env::var(VARIABLE).unwrap_or_default()) {
        // A version that does not know the name makes no use of the feature either, so that its
        // error is none.
        //
        // SAFETY: the command takes a string.
        unsafe { control(DISABLE_FEATURE, name.as_ptr(), ptr::null::<c_char>()) };
    }
}

/// libgcrypt's names of those in a list of ours.
fn names(list: &str) -> impl Iterator<Item = &'static CStr> {
    let hidden = |feature: &str| list.split(',').any(|name| name.trim() == feature);
    NAMES.iter().filter(move |(feature, _)| hidden(feature)).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_is_told_by_its_name() {
        switches::assert_known(&SWITCHES);
        let all = (SWITCHES.hiding)(SWITCHES.features);
        assert_eq!(names(&all).count(), NAMES.len());
        assert_eq!(names("").count(), 0);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_list_of_ours_becomes_names_of_libgcrypt() {
        let list = (SWITCHES.hiding)(&["aes", "sse4_1"]);
        assert_eq!(list, "aes,sse4_1");
        assert_eq!(names(&list).collect::<Vec<_>>(), [c"intel-sse4.1", c"intel-aesni"]);
        assert_eq!(names("aes, mmx").collect::<Vec<_>>(), [c"intel-aesni"]);
    }
}
