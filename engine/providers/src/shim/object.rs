//! Opening shared objects that follow `kernel.h`: those that `build/shims.rs` has built, and the
//! user's own.
//!
//! The former are part of the engine, which can be copied to a machine alone, and are opened from
//! memory: nothing is written to disk.

use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::{fmt, mem};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use rustix::fs::{MemfdFlags, memfd_create};

use super::abi;

/// What became of a shim when the engine was built.
// Which of these occur depends on the machine where that was.
#[allow(dead_code)]
pub enum Built {
    /// The shims for different headers, the newest first; one, of a library that needs none.
    Objects(&'static [Object]),
    /// There was no compiler for its language.
    NoCompiler,
    NoHeaders,
    /// The engine is linked statically and opens none.
    StaticEngine,
    /// With the compiler's words.
    DoesNotCompile(&'static str),
}

/// A shim that was built.
pub struct Object {
    pub bytes: &'static [u8],
    /// Which compiler has compiled it, and how.
    pub compiler: &'static str,
    /// Version of the library's headers; empty where it needed none.
    pub headers: &'static str,
    /// Sonames of the libraries that the loader links it to.
    pub needed: &'static [&'static str],
}

mod built {
    use super::Built::{self, *};

    include!(concat!(env!("OUT_DIR"), "/shims.rs"));
}
/// The shims by their names.
pub use built::SHIMS;

/// What became of the shim of that name.
pub fn find(name: &str) -> &'static Built {
    let (_, built) = SHIMS
        .iter()
        .find(|(stem, _)| *stem == name)
        .unwrap_or_else(|| panic!("build/shims.rs does not name {name}"));
    built
}

/// Opens a shim for good and returns its table.
///
/// The loader opens the library that the shim is linked to, unless one of its name is open already.
pub fn open_own(name: &str, object: &[u8]) -> Result<&'static abi::Library, NoTable> {
    load_own(name, object)?.table()
}

/// Opens a shared object for good and returns its table.
pub fn open(path: &Path) -> Result<&'static abi::Library, NoTable> {
    load(path)?.table()
}

/// Opens a shim.
pub fn load_own(name: &str, object: &[u8]) -> Result<Shared, NoTable> {
    let file = in_memory(name, object).map_err(|error| NoTable::NotLoaded(error.to_string()))?;
    let shared = load(Path::new(&format!("/proc/self/fd/{}", file.as_raw_fd())))?;
    // The loader knows objects by their paths, so the number must not be used again.
    mem::forget(file);
    Ok(shared)
}

fn load(path: &Path) -> Result<Shared, NoTable> {
    // SAFETY: opening runs the object's own initialisation: of a shim there is none, and all else
    // is what the user asks for.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
    library.map(Shared).map_err(|error| NoTable::NotLoaded(words(error, path)))
}

/// A shared object that the loader has opened.
pub struct Shared(Library);

impl Shared {
    /// The function of that name.
    ///
    /// # Safety
    ///
    /// `T` is the type of a pointer to it.
    pub unsafe fn function<T: Copy>(&self, name: &CStr) -> Result<T, NoTable> {
        // SAFETY: the caller vouches for it.
        let function = unsafe { self.0.get::<T>(name) };
        function.map(|function| *function).map_err(|_| NoTable::NoFunction)
    }

    /// Its table. It stays open for good.
    pub fn table(self) -> Result<&'static abi::Library, NoTable> {
        // SAFETY: an object of this form exports a function of this name and type, which takes nothing.
        let table = unsafe { self.function::<abi::LibraryFunction>(abi::LIBRARY)?() };
        if table.is_null() {
            return Err(NoTable::NoFunction);
        }
        // SAFETY: tables of all forms begin with these two numbers; of the rest nothing is read.
        let (form, bytes) = unsafe { ((*table).abi, (*table).function_bytes) };
        if (form, bytes as usize) != (abi::ABI, size_of::<abi::Function>()) {
            return Err(NoTable::OtherForm(form, bytes));
        }
        mem::forget(self);
        // SAFETY: it is of our form, and lives as long as its object is loaded, which is for good.
        Ok(unsafe { &*table })
    }
}

/// Why a shared object gives no table.
pub enum NoTable {
    /// In the loader's words.
    NotLoaded(String),
    NoFunction,
    /// Its number, and the length of its rows in bytes.
    OtherForm(u32, u32),
}

impl fmt::Display for NoTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = abi::ABI;
        match self {
            NoTable::NotLoaded(words) => f.write_str(words),
            NoTable::NoFunction => f.write_str("no ciphermark_library that gives a table"),
            NoTable::OtherForm(form, bytes) if *form == own => {
                let own = size_of::<abi::Function>();
                write!(f, "its rows have {bytes} bytes and this engine's {own}")
            }
            NoTable::OtherForm(form, _) => {
                write!(f, "its form is {form} and this engine's is {own}")
            }
        }
    }
}

/// The loader's words, without the path that they begin with.
fn words(error: libloading::Error, path: &Path) -> String {
    let words = match error {
        libloading::Error::DlOpen { source } => source.to_string(),
        other => other.to_string(),
    };
    words.replace(&format!("{}: ", path.display()), "")
}

/// A file without a place in any folder.
fn in_memory(name: &str, bytes: &[u8]) -> io::Result<File> {
    let mut file = File::from(memfd_create(name, MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    Ok(file)
}
