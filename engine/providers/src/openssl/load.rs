//! Opens libcrypto and refuses, in a sentence, what is not of OpenSSL 3.

use std::ffi::{c_char, c_int, c_ulong, c_void};
use std::path::Path;
use std::ptr;

use super::libcrypto::Libcrypto;
use crate::api::Unusable;
use crate::shared_library::{Loaded, OpenedLibrary, SharedLibrary, text};

/// Fetching, which a good caller does once, came with OpenSSL 3.0.
static LIBRARY: SharedLibrary = SharedLibrary {
    provider: super::NAME,
    title: super::TITLE,
    library: "libcrypto",
    oldest: "3.0",
    sonames: &["libcrypto.so.3"],
    package: "libssl3",
};

/// OpenSSL 3.0.0 as `OpenSSL_version_num` counts (0xMNN00PP0).
const OLDEST: c_ulong = 0x3000_0000;

/// Opens the installed library, or the one at `path`.
pub fn load(path: Option<&Path>) -> Result<Loaded<Libcrypto>, Unusable> {
    let library = LIBRARY.open(path)?;
    check_version(&library)?;
    // SAFETY: the library says that it is OpenSSL 3.0 or later, and is kept.
    let libcrypto = unsafe { Libcrypto::find(&library) }?;
    load_legacy(&libcrypto);
    let inside = libcrypto.OpenSSL_version_num as *const c_void;
    Ok(library.keep(libcrypto, inside))
}

/// Loads the provider of RC4 and IDEA beside what is loaded anyway, for the life of the process.
/// Where it is not installed they are not there.
fn load_legacy(libcrypto: &Libcrypto) {
    // SAFETY: null means the default context, the name is a C string, and 1 leaves the default
    // provider in use.
    let provider =
        unsafe { (libcrypto.OSSL_PROVIDER_try_load)(ptr::null_mut(), c"legacy".as_ptr(), 1) };
    if provider.is_null() {
        libcrypto.take_error();
    }
}

/// Refuses what is older than [`OLDEST`], which 1.1 is and LibreSSL and BoringSSL say they are.
fn check_version(library: &OpenedLibrary) -> Result<(), Unusable> {
    type Number = unsafe extern "C" fn() -> c_ulong;
    type Text = unsafe extern "C" fn(c_int) -> *const c_char;
    // SAFETY: these two functions have had these types since they came, with OpenSSL 1.1.0.
    let (number, version) = unsafe {
        let number = library.function::<Number>("OpenSSL_version_num")?;
        let version = library.function::<Text>("OpenSSL_version")?;
        (number(), text(version(0)))
    };
    if number >= OLDEST { Ok(()) } else { Err(library.too_old(&version)) }
}
