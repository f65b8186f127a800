//! Libraries with an opaque interface: the installed one, or the one at a path, is opened at run time, and
//! its shim, which needs no headers, finds the functions by name. Each opening has a shim of its own, so
//! that two builds of a library may be open at once.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::object::{self, Built, NoTable, Shared};
use super::{abi, algorithms, one_line, string};
use crate::api::*;
use crate::shared_library::{Loaded, OpenedLibrary, SharedLibrary};
use crate::table::TableProvider;

/// `ciphermark_open` of `engine/shims/opened.h`: what `dlopen` has returned, room for words, its bytes.
type Open = unsafe extern "C" fn(*mut c_void, *mut c_char, usize) -> c_int;

// What it answers, numbered as there.
const OPENED: c_int = 0;
const LACKS: c_int = 1;
const TOO_OLD: c_int = 2;

/// Libraries do not guard their initialisation against two threads.
static OPENING: Mutex<()> = Mutex::new(());

/// Opens the installed library, or the one at `path`, and its shim.
pub fn open(about: &'static SharedLibrary, path: Option<&Path>) -> Opened {
    let (library, table) = table(about, path)?;
    let [version, build] = [table.library_version, table.build].map(string);
    let Loaded { location, .. } = library.keep((), table.inside.address());
    let library = Library { version, location, build: one_line(&build) };
    let name = about.provider;
    Ok(Box::new(TableProvider { name, functions: table, library, table: algorithms(table) }))
}

/// The library, which must stay open, and the table of its shim.
pub fn table(
    about: &'static SharedLibrary,
    path: Option<&Path>,
) -> Result<(OpenedLibrary, &'static abi::Library), Unusable> {
    let library = about.open(path)?;
    let no_shim = |why| library.refused(&format!("cannot be called, as its shim has {why}"));
    let not_built = || no_shim("not been built: build the engine again".to_owned());
    let Built::Objects([object]) = object::find(about.provider) else { return Err(not_built()) };
    let refused = |why: NoTable| no_shim(format!("no table ({why})"));
    let _alone = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
    let shim = object::load_own(about.provider, object.bytes).map_err(refused)?;
    start(&shim, &library)?;
    let table = shim.table().map_err(refused)?;
    Ok((library, table))
}

/// Has the shim find the library's functions and start it.
fn start(shim: &Shared, library: &OpenedLibrary) -> Result<(), Unusable> {
    let mut words = [0_u8; 256];
    // SAFETY: shims of this kind export a function of this name and type, which takes what has the names
    // of the library's functions for these, and writes no more words than there is room for.
    let answer = unsafe {
        let open = shim.function::<Open>(c"ciphermark_open").ok().expect("an opening shim opens");
        open(library.handle(), words.as_mut_ptr().cast(), words.len())
    };
    let words = CStr::from_bytes_until_nul(&words).unwrap_or_default().to_string_lossy();
    match answer {
        OPENED => Ok(()),
        LACKS => Err(library.lacks(&words)),
        TOO_OLD => Err(library.too_old(&words)),
        _ => Err(library.refused(&words)),
    }
}
