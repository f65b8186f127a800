//! Opens libgcrypt and initialises it.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;
use std::sync::{Mutex, PoisonError};

use super::functions::Libgcrypt;
use super::{NAME, features};
use crate::api::Unusable;
use crate::shared_library::{Loaded, OpenedLibrary, SharedLibrary, text};

/// `gcry_get_config` came with 1.8.
static LIBRARY: SharedLibrary = SharedLibrary {
    provider: NAME,
    title: NAME,
    library: NAME,
    oldest: "1.8",
    sonames: &["libgcrypt.so.20"],
    package: "libgcrypt20",
};

/// `LIBRARY.oldest` as `gcry_check_version` wants it.
const OLDEST: &CStr = c"1.8.0";

/// Opens the installed library, or the one at `path`.
pub fn load(path: Option<&Path>) -> Result<Loaded<Libgcrypt>, Unusable> {
    // The library does not guard its initialisation against two threads.
    static INITIALISING: Mutex<()> = Mutex::new(());
    let library = LIBRARY.open(path)?;
    let _alone = INITIALISING.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: `gcry_control` has always had this type, and the initialisation begins below.
    unsafe {
        if let Some(control) = library.optional_function("gcry_control") {
            features::hide(control);
        }
    }
    check_version(&library)?;
    // SAFETY: the library says that it is libgcrypt 1.8 or later, and is kept.
    let libgcrypt = unsafe { Libgcrypt::find(&library) }?;
    initialise(&library, &libgcrypt)?;
    let inside = libgcrypt.gcry_control as *const c_void;
    Ok(library.keep(libgcrypt, inside))
}

/// Begins the initialisation, which only this function may do.
fn check_version(library: &OpenedLibrary) -> Result<(), Unusable> {
    type Check = unsafe extern "C" fn(*const c_char) -> *const c_char;
    // SAFETY: the function has always had this type. It takes a version, and gives its own where
    // that is not older, else null; null asks for the version alone.
    unsafe {
        let check = library.function::<Check>("gcry_check_version")?;
        if !check(OLDEST.as_ptr()).is_null() {
            return Ok(());
        }
        Err(library.too_old(&format!("{NAME} {}", text(check(ptr::null())))))
    }
}

fn initialise(library: &OpenedLibrary, libgcrypt: &Libgcrypt) -> Result<(), Unusable> {
    // No locked memory: it is scarce, and the keys here are nobody's.
    const DISABLE_SECMEM: c_int = 37;
    const INITIALIZATION_FINISHED: c_int = 38;
    for command in [DISABLE_SECMEM, INITIALIZATION_FINISHED] {
        // SAFETY: both commands take a number that is not used.
        let status = unsafe { (libgcrypt.gcry_control)(command, 0) };
        libgcrypt
            .created(status)
            .map_err(|words| library.refused(&format!("cannot be initialised ({words})")))?;
    }
    Ok(())
}
