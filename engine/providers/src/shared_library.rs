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
use crate::copy;

/// Count of sonames newer than any of the list that are looked for.
const NEWER: u32 = 8;

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
    /// Names by which the loader finds the installed one, the newest first.
    pub sonames: &'static [&'static str],
    /// Debian's package that brings it along.
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
            None => self.open_installed(|_| true),
        }
    }

    fn open_file(&'static self, path: &Path) -> Result<OpenedLibrary, Unusable> {
        let found = copy::find(path).map_err(|error| {
            let Self { title, provider, .. } = self;
            Unusable(format!(
                "{} cannot be opened ({error}): name {title}'s {} with --library {provider}=PATH",
                path.display(),
                self.library
            ))
        })?;
        let library = load(&found.opened).map_err(|words| self.not_loaded(&words))?;
        Ok(self.opened(library, path.display().to_string()))
    }

    /// Opens the installed library: the newest of a soname that can be used, or else one that cannot, which
    /// the caller refuses by its name.
    pub fn open_installed(
        &'static self,
        is_usable: impl Fn(&str) -> bool,
    ) -> Result<OpenedLibrary, Unusable> {
        if IS_STATIC {
            return Err(static_engine(self.title));
        }
        let (usable, others): (Vec<_>, Vec<_>) =
            self.sonames.iter().map(|it| (*it).to_owned()).partition(|it| is_usable(it));
        let newer = self.newer_sonames();
        for soname in usable.iter().chain(&newer).chain(&others) {
            match load(Path::new(soname)) {
                Ok(_) if newer.contains(soname) => return Err(self.untried(soname)),
                Ok(library) => return Ok(self.opened(library, soname.clone())),
                Err(words) if is_absent(soname, &words) => {}
                Err(words) => return Err(self.not_loaded(&words)),
            }
        }
        Err(Unusable(format!("{} was not found: {}", self.library, self.cure())))
    }

    /// The next sonames after the newest that was there when this was written.
    fn newer_sonames(&self) -> Vec<String> {
        let numbered = |soname: &&'static str| {
            let (stem, number) = soname.rsplit_once('.')?;
            Some((stem, number.parse::<u32>().ok()?))
        };
        let newest = self.sonames.iter().find_map(numbered);
        let next = |(stem, last)| (1..=NEWER).map(move |more| format!("{stem}.{}", last + more));
        newest.into_iter().flat_map(next).collect()
    }

    fn untried(&self, soname: &str) -> Unusable {
        let Self { title, provider, sonames, .. } = self;
        let newest = sonames[0];
        Unusable(format!(
            "{soname} is a newer {title} than ciphermark was tried with, up to {newest}: name an older one \
             with --library {provider}=PATH"
        ))
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

    /// Whether the loader links what needs this soname to the library.
    pub fn is(&self, soname: &str) -> bool {
        // SAFETY: nothing is loaded, so no code runs.
        let open = unsafe { Library::open(Some(soname), RTLD_NOW | libc::RTLD_NOLOAD) };
        let Ok(handle) = open.map(Library::into_raw) else { return false };
        // SAFETY: it is the handle of a library that is open, which counts its openings.
        drop(unsafe { Library::from_raw(handle) });
        handle == self.handle
    }

    /// The path or the soname that it was opened by.
    pub fn asked_for(&self) -> &str {
        &self.asked_for
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

/// Real path of the file that the code at `address` was loaded from; none of a copy, which has no place.
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
            "libnone was not found: install Debian's libnone1 (apt-get install \
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
    fn a_newer_soname_than_any_that_was_tried_is_refused() {
        static OLDER: SharedLibrary = SharedLibrary { sonames: &["libc.so.4"], ..ABSENT };
        let Err(Unusable(sentence)) = OLDER.open(None) else { panic!("it is newer") };
        assert_eq!(
            sentence,
            "libc.so.6 is a newer None than ciphermark was tried with, up to libc.so.4: name an older one \
             with --library none=PATH"
        );
    }

    #[test]
    fn a_soname_that_can_be_used_goes_before_a_newer_one() {
        static TWO: SharedLibrary =
            SharedLibrary { sonames: &["libm.so.6", "libc.so.6"], ..ABSENT };
        let open = |usable: &'static str| {
            let opened = TWO.open_installed(|soname| soname == usable);
            opened.unwrap_or_else(|why| panic!("{why}"))
        };
        let opened = open("libc.so.6");
        assert_eq!(opened.asked_for(), "libc.so.6");
        assert!(opened.is("libc.so.6") && !opened.is("libm.so.6") && !opened.is("libnone.so.1"));
        assert_eq!(open("libnone.so.1").asked_for(), "libm.so.6");
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
