//! Opening the shared objects that `build/shims.rs` has built.
//!
//! They are part of the engine, which can be copied to a machine alone, and are opened from memory:
//! nothing is written to disk.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, Write};
use std::mem;
use std::os::fd::{AsRawFd, FromRawFd};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use super::abi;

/// What became of a shim when the engine was built.
// Which of these occur depends on the machine where that was.
#[allow(dead_code)]
pub enum Built {
    Object(&'static Object),
    /// There was none for its language.
    NoCompiler,
    NoHeaders,
    /// With the compiler's words.
    DoesNotCompile(&'static str),
}

/// A shim that was built.
pub struct Object {
    pub bytes: &'static [u8],
    /// Which compiler has compiled it, and how.
    pub compiler: &'static str,
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

/// Opens a shim for good and returns its table; the error is in the loader's words.
///
/// The loader opens the library that the shim is linked to, unless one of its name is open already.
pub fn open(name: &str, object: &[u8]) -> Result<&'static abi::Library, String> {
    let file = in_memory(name, object).map_err(|error| error.to_string())?;
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    // SAFETY: the object is our own, and nothing in it runs when it is loaded; of the library the
    // user asks for it.
    let library = unsafe { Library::open(Some(&path), RTLD_NOW | RTLD_LOCAL) };
    let library = library.map_err(|error| words(error).replace(&format!("{path}: "), ""))?;
    // SAFETY: a shim exports a function of this name and type, which takes nothing and returns a
    // table that lives as long as the shim.
    let table = unsafe {
        let function = library.get::<abi::LibraryFunction>(abi::LIBRARY.to_bytes());
        &*function.map_err(words)?()
    };
    check_form(table)?;
    // The loader knows objects by their paths, so the number must not be used again.
    mem::forget(file);
    mem::forget(library);
    Ok(table)
}

fn check_form(table: &abi::Library) -> Result<(), String> {
    let abi::Library { abi, function_bytes, .. } = *table;
    if (abi, function_bytes as usize) != (abi::ABI, size_of::<abi::Function>()) {
        let own = abi::ABI;
        return Err(format!("its shim has form {abi} of kernel.h, and the engine form {own}"));
    }
    Ok(())
}

fn words(error: libloading::Error) -> String {
    match error {
        libloading::Error::DlOpen { source } | libloading::Error::DlSym { source } => {
            source.to_string()
        }
        other => other.to_string(),
    }
}

/// A file without a place in any folder.
fn in_memory(name: &str, bytes: &[u8]) -> io::Result<File> {
    let name = CString::new(name)?;
    // SAFETY: the name is a C string, and the descriptor that is returned is nobody else's.
    let mut file = unsafe {
        match libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) {
            -1 => return Err(io::Error::last_os_error()),
            descriptor => File::from_raw_fd(descriptor),
        }
    };
    file.write_all(bytes)?;
    Ok(file)
}
