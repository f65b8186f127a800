//! Libraries that are opened at run time: the installed one, or the one at a path. What cannot be
//! used is refused in a sentence that says what to type.
//!
//! [`crate::shim`] calls them.

use std::ffi::{CStr, OsStr, c_void};
use std::mem::{self, MaybeUninit};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::api::Unusable;

/// Where a library is found, and what the sentences call it.
pub struct SharedLibrary {
    /// Name in options: `openssl`.
    pub provider: &'static str,
    /// Name as people write it: `OpenSSL`.
    pub title: &'static str,
    /// Name of the library itself, where it is another: `libcrypto`.
    pub library: &'static str,
    /// Oldest version that can be used.
    pub oldest: &'static str,
    /// Names by which the loader finds the installed one, the first choice first. The last is the
    /// one of `package`.
    pub sonames: &'static [&'static str],
    /// Debian's package of it.
    pub package: &'static str,
}

/// A library that the loader has opened, while it is not yet known to be the right one.
pub struct OpenedLibrary {
    library: Library,
    /// What `dlopen` has returned for it.
    handle: *mut c_void,
    about: &'static SharedLibrary,
    /// The path or the soname that it was opened by.
    asked_for: String,
}

/// A library that can be called.
pub struct Loaded<F: 'static> {
    pub functions: &'static F,
    /// Real path of the file.
    pub location: String,
}

impl SharedLibrary {
    /// Opens the installed library, or the one at `path`.
    pub fn open(&'static self, path: Option<&Path>) -> Result<OpenedLibrary, Unusable> {
        match path {
            _ if IS_STATIC => Err(static_engine(self.title)),
            Some(path) => self.open_file(path),
            None => self.open_installed(),
        }
    }

    fn open_file(&'static self, path: &Path) -> Result<OpenedLibrary, Unusable> {
        let file = std::fs::canonicalize(path).map_err(|error| {
            let Self { title, provider, .. } = self;
            Unusable(format!(
                "{} cannot be opened ({error}): name {title}'s {} with --library {provider}=PATH",
                path.display(),
                self.packaged()
            ))
        })?;
        let library = load(&file).map_err(|words| self.not_loaded(&words))?;
        Ok(self.opened(library, path.display().to_string()))
    }

    fn open_installed(&'static self) -> Result<OpenedLibrary, Unusable> {
        for soname in self.sonames {
            match load(Path::new(soname)) {
                Ok(library) => {
                    return Ok(self.opened(library, (*soname).into()));
                }
                Err(words) if is_absent(soname, &words) => {}
                Err(words) => return Err(self.not_loaded(&words)),
            }
        }
        Err(Unusable(format!("{} was not found: {}", self.packaged(), self.cure())))
    }

    fn opened(&'static self, library: Library, asked_for: String) -> OpenedLibrary {
        let handle = library.into_raw();
        // SAFETY: it is the handle of a library that is open, and nobody else's.
        let library = unsafe { Library::from_raw(handle) };
        OpenedLibrary { library, handle, about: self, asked_for }
    }

    fn not_loaded(&self, words: &str) -> Unusable {
        Unusable(format!("{} cannot be loaded ({words}): {}", self.library, self.cure()))
    }

    /// Soname of the library in Debian's package.
    fn packaged(&self) -> &'static str {
        self.sonames.last().expect("a library has a soname")
    }

    fn cure(&self) -> String {
        let Self { package, provider, .. } = self;
        format!(
            "install Debian's {package} (apt-get install {package}) or name it with --library \
             {provider}=PATH"
        )
    }

    /// `OpenSSL 3.0 or later`
    fn needed(&self) -> String {
        format!("{} {} or later", self.title, self.oldest)
    }
}

impl OpenedLibrary {
    /// The function of that name.
    ///
    /// # Safety
    ///
    /// `T` is the type of a pointer to that function, which is not called after the library is
    /// closed.
    pub unsafe fn function<T: Copy>(&self, name: &str) -> Result<T, Unusable> {
        // SAFETY: the caller vouches for it.
        let found = unsafe { self.library.get::<T>(name) };
        found.map(|symbol| *symbol).map_err(|_| self.lacks(name))
    }

    /// Where the function of that name is.
    pub fn address(&self, name: &str) -> Result<*const c_void, Unusable> {
        // SAFETY: any function has an address, and only that is looked at.
        unsafe { self.function(name) }
    }

    /// What the loader calls the library by.
    pub fn handle(&self) -> *mut c_void {
        self.handle
    }

    /// The refusal of a library without a function that it must have.
    pub fn lacks(&self, function: &str) -> Unusable {
        let SharedLibrary { title, library, .. } = self.about;
        let mut what = self.about.needed();
        if library != title {
            what = format!("the {library} of {what}");
        }
        self.refused(&format!("has no function {function}, so it is not {what}"))
    }

    /// The refusal of a library that says it is `version`, as in `OpenSSL 1.1.1w`.
    pub fn too_old(&self, version: &str) -> Unusable {
        self.refused(&format!("is {version}, and {} is needed", self.about.needed()))
    }

    /// The refusal of a library for what it says or does, as in `does not start`.
    pub fn refused(&self, reason: &str) -> Unusable {
        Unusable(format!("{} {reason}: {}", self.asked_for, self.about.cure()))
    }

    /// Keeps the library open for good: many run handlers of their own when threads and the
    /// process end. `inside` is the address of one of its functions.
    pub fn keep<F>(self, functions: F, inside: *const c_void) -> Loaded<F> {
        mem::forget(self.library);
        Loaded {
            functions: Box::leak(Box::new(functions)),
            location: real_path(inside).unwrap_or(self.asked_for),
        }
    }
}

/// Whether this engine was linked statically: then it has no loader, and opens no library at all.
pub const IS_STATIC: bool = cfg!(target_feature = "crt-static");

/// The refusal of a library, or of another shared object, by an engine that is linked statically.
pub fn static_engine(title: &str) -> Unusable {
    Unusable(format!(
        "{title} is a shared library, and this engine is statically linked and opens none: measure \
         it with the engine that `pip install` puts beside ciphermark, on a machine with glibc"
    ))
}

/// Lets the loader open a library; the error is in the loader's words.
fn load(name: &Path) -> Result<Library, String> {
    // All symbols are bound at once, so that no lookup happens in timed code.
    //
    // SAFETY: opening runs the library's own initialisation, which is what the user asks for; none
    // of its symbols becomes visible to others.
    unsafe { Library::open(Some(name), RTLD_NOW | RTLD_LOCAL) }.map_err(|error| match error {
        libloading::Error::DlOpen { source } => source.to_string(),
        other => other.to_string(),
    })
}

/// Whether the loader's words say that the library itself is not there: of a dependency that is
/// missing they give the name in place of the library's.
fn is_absent(soname: &str, words: &str) -> bool {
    words.contains(soname) && words.contains("No such file or directory")
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
        CStr::from_ptr(info.assume_init().dli_fname)
    };
    let path = Path::new(OsStr::from_bytes(name.to_bytes()));
    Some(std::fs::canonicalize(path).ok()?.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    static ABSENT: SharedLibrary = SharedLibrary {
        provider: "none",
        title: "None",
        library: "libnone",
        oldest: "1.0",
        sonames: &["libnone.so.2.never", "libnone.so.1.never"],
        package: "libnone1",
    };

    #[test]
    fn what_the_loader_does_not_find_is_to_be_installed() {
        let Err(Unusable(sentence)) = ABSENT.open(None) else { panic!("it is not there") };
        assert_eq!(
            sentence,
            "libnone.so.1.never was not found: install Debian's libnone1 (apt-get install \
             libnone1) or name it with --library none=PATH"
        );
    }

    #[test]
    fn a_missing_dependency_is_not_the_library() {
        let words = "libz.so.1: cannot open shared object file: No such file or directory";
        assert!(!is_absent("libnone.so.1", words));
        assert!(is_absent("libz.so.1", words));
    }

    #[test]
    fn the_first_soname_that_is_there_is_opened() {
        static C_LIBRARY: SharedLibrary =
            SharedLibrary { sonames: &["libnone.so.1.never", "libc.so.6"], ..ABSENT };
        let opened = C_LIBRARY.open(None).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(opened.asked_for, "libc.so.6");
        let inside = opened.address("abs").unwrap_or_else(|why| panic!("{why}"));
        let loaded = opened.keep((), inside);
        assert!(loaded.location.starts_with('/'), "{}", loaded.location);
    }
}
