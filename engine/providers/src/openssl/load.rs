//! Opens libcrypto at run time and refuses, in a sentence, what cannot be used.

use std::ffi::{CStr, c_char, c_int, c_ulong, c_void};
use std::mem::{self, MaybeUninit};
use std::path::Path;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use super::libcrypto::Libcrypto;
use crate::api::Unusable;

/// Name of the library since OpenSSL 3.0, by which the loader finds the installed one.
const SONAME: &str = "libcrypto.so.3";

/// OpenSSL 3.0.0 as `OpenSSL_version_num` counts (0xMNN00PP0). Fetching, which a good caller does
/// once, came with it.
const OLDEST: c_ulong = 0x3000_0000;

const INSTALL: &str = "install Debian's libssl3 (apt-get install libssl3)";
const NAME_IT: &str = "with --library openssl=PATH";

/// A libcrypto that was opened.
pub struct Loaded {
    pub libcrypto: &'static Libcrypto,
    /// Real path of the file.
    pub location: String,
}

/// Opens the installed library, or the one at `path`.
pub fn load(path: Option<&Path>) -> Result<Loaded, Unusable> {
    let asked_for = path.unwrap_or(Path::new(SONAME)).display().to_string();
    let library = match path {
        Some(path) => open_file(path)?,
        None => open_library(Path::new(SONAME)).map_err(|words| installed_unusable(&words))?,
    };
    check_version(&library, &asked_for)?;
    // SAFETY: the library says that it is OpenSSL 3.0 or later, and is never closed.
    let libcrypto =
        unsafe { Libcrypto::find(&library) }.map_err(|function| lacks(&asked_for, function))?;
    // Never closed: it runs handlers of its own when threads and the process end.
    mem::forget(library);
    let location = real_path(libcrypto.OpenSSL_version_num as *const c_void);
    Ok(Loaded {
        libcrypto: Box::leak(Box::new(libcrypto)),
        location: location.unwrap_or(asked_for),
    })
}

fn open_file(path: &Path) -> Result<Library, Unusable> {
    let file = std::fs::canonicalize(path).map_err(|error| {
        Unusable(format!(
            "{} cannot be opened ({error}): name OpenSSL's {SONAME} {NAME_IT}",
            path.display()
        ))
    })?;
    open_library(&file).map_err(|words| not_loaded(&words))
}

/// Lets the loader open a library; the error is in the loader's words.
fn open_library(name: &Path) -> Result<Library, String> {
    // All symbols are bound at once, so that no lookup happens in timed code.
    //
    // SAFETY: opening runs the library's own initialisation, which is what the user asks for; none
    // of its symbols becomes visible to others.
    unsafe { Library::open(Some(name), RTLD_NOW | RTLD_LOCAL) }.map_err(|error| match error {
        libloading::Error::DlOpen { source } => source.to_string(),
        other => other.to_string(),
    })
}

/// Refuses what is older than [`OLDEST`], which 1.1 is and LibreSSL and BoringSSL say they are.
fn check_version(library: &Library, asked_for: &str) -> Result<(), Unusable> {
    // SAFETY: these two functions have had these types since they came, with OpenSSL 1.1.0.
    let (number, version) = unsafe {
        let number = library.get::<unsafe extern "C" fn() -> c_ulong>("OpenSSL_version_num");
        let number = number.map_err(|_| lacks(asked_for, "OpenSSL_version_num"))?;
        let version =
            library.get::<unsafe extern "C" fn(c_int) -> *const c_char>("OpenSSL_version");
        let version = version.map_err(|_| lacks(asked_for, "OpenSSL_version"))?;
        (number(), text(version(0)))
    };
    if number >= OLDEST {
        return Ok(());
    }
    Err(Unusable(format!(
        "{asked_for} is {version}, and OpenSSL 3.0 or later is needed: {INSTALL} or name it {NAME_IT}"
    )))
}

fn lacks(asked_for: &str, function: &str) -> Unusable {
    Unusable(format!(
        "{asked_for} has no function {function}, so it is not the libcrypto of OpenSSL 3.0 or \
         later: {INSTALL} or name it {NAME_IT}"
    ))
}

/// The loader could not open [`SONAME`]: it is not installed, or installed and broken.
fn installed_unusable(words: &str) -> Unusable {
    // A dependency that is missing is named in place of the library.
    if words.contains(SONAME) && words.contains("No such file or directory") {
        return Unusable(format!("{SONAME} was not found: {INSTALL} or name it {NAME_IT}"));
    }
    not_loaded(words)
}

fn not_loaded(words: &str) -> Unusable {
    Unusable(format!("libcrypto cannot be loaded ({words}): {INSTALL} or name it {NAME_IT}"))
}

/// Real path of the file that the code at `address` was loaded from.
fn real_path(address: *const c_void) -> Option<String> {
    let mut info = MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: `dladdr` fills the structure when it returns non-zero, and the name that it points
    // to lives as long as the library is loaded.
    let name = unsafe {
        if libc::dladdr(address, info.as_mut_ptr()) == 0 {
            return None;
        }
        text(info.assume_init().dli_fname)
    };
    Some(std::fs::canonicalize(name).ok()?.display().to_string())
}

/// A string of the library; empty for null.
///
/// # Safety
///
/// `string` is null or a C string that lives for the length of this call.
pub unsafe fn text(string: *const c_char) -> String {
    if string.is_null() {
        return String::new();
    }
    // SAFETY: not null, and the caller vouches for the rest.
    unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_loader_does_not_find_is_to_be_installed() {
        let words = open_library(Path::new("libcrypto.so.3.none")).expect_err("not there");
        let Unusable(sentence) = installed_unusable(&words);
        assert_eq!(
            sentence,
            "libcrypto.so.3 was not found: install Debian's libssl3 (apt-get install libssl3) or \
             name it with --library openssl=PATH"
        );
    }

    #[test]
    fn a_missing_dependency_is_named() {
        let words = "libz.so.1: cannot open shared object file: No such file or directory";
        let Unusable(sentence) = installed_unusable(words);
        assert!(sentence.starts_with("libcrypto cannot be loaded (libz.so.1: "), "{sentence}");
    }
}
