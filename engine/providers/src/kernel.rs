//! Code of one's own: a shared object at a path that follows `kernels/include/kernel.h` becomes a
//! provider without rebuilding the engine, see `docs/kernels.md`.
//!
//! It is what shims are, without a library behind it; what is timed is its own. Each opening stands
//! for itself, so several objects can be measured beside each other. A row that names its backend
//! is taken at its word: the evidence is `reported`.

mod rows;

#[cfg(test)]
pub use self::rows::check;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::api::*;
use crate::copy::{self, Found};
use crate::shared_library::{IS_STATIC, static_engine};
use crate::shim::object::{self, NoTable};
use crate::shim::{self, abi};
use crate::table::TableProvider;

const NAME: &str = "kernel";

pub const REGISTRATION: Registration =
    Registration { name: NAME, title: "Kernel", open, listed: false, switches: None };

const CURE: &str = "name a shared object that follows kernel.h with --kernel PATH";

fn open(path: Option<&Path>) -> Opened {
    let path = path.ok_or_else(|| Unusable(CURE.to_owned()))?;
    if IS_STATIC {
        return Err(static_engine(&path.display().to_string()));
    }
    let refused = |why: String| Unusable(format!("{} {why}", path.display()));
    let unreadable = |error| refused(format!("cannot be opened ({error}): {CURE}"));
    let Found { location, opened } = copy::find(path).map_err(unreadable)?;
    check_machine(&opened).map_err(refused)?;
    let kernel = load(&opened).map_err(|why| refused(sentence(&why)))?;
    check_table(kernel).map_err(refused)?;
    rows::check(shim::rows(kernel)).map_err(refused)?;
    let library = library(kernel, &location);
    let table = shim::algorithms(kernel);
    Ok(Box::new(TableProvider { name: NAME, functions: kernel, library, table }))
}

/// `ciphermark_library` is called by one thread at a time.
static LOADING: Mutex<()> = Mutex::new(());

fn load(path: &Path) -> Result<&'static abi::Library, NoTable> {
    let _alone = LOADING.lock().unwrap_or_else(PoisonError::into_inner);
    object::open(path)
}

/// Refuses a table that says where no rows are, or that there are more than fit the address space: as a
/// slice they may not even be looked at.
fn check_table(kernel: &abi::Library) -> Result<(), String> {
    let (count, rows) = (kernel.function_count, kernel.functions.address());
    let bytes = count.checked_mul(size_of::<abi::Function>());
    if rows.is_null() || !rows.is_aligned() {
        Err(format!("has a table whose functions are at {rows:?}: point it at its rows"))
    } else if bytes.is_none_or(|bytes| bytes > isize::MAX as usize) {
        Err(format!("has a table of {count} rows: set function_count to how many there are"))
    } else {
        Ok(())
    }
}

fn library(kernel: &abi::Library, location: &Path) -> Library {
    let [version, build] = [kernel.library_version, kernel.build].map(shim::string);
    Library { version, location: location.display().to_string(), build: shim::one_line(&build) }
}

/// What is wrong with an object that was not opened, and what to do.
fn sentence(why: &NoTable) -> String {
    match why {
        NoTable::NotLoaded(_) => {
            format!("cannot be loaded ({why}): link it as a shared object with all that it calls")
        }
        NoTable::NoFunction => {
            "lacks the function ciphermark_library that returns a table: write it as in \
             docs/kernels.md"
                .to_owned()
        }
        NoTable::OtherForm(..) => {
            format!("cannot be used: {why}: build it again with this kernel.h")
        }
    }
}

/// Refuses what is not for the machine that the engine itself is for; of some such files the loader
/// only says that they are not there.
fn check_machine(path: &Path) -> Result<(), String> {
    let own = machine(Path::new("/proc/self/exe"));
    match (machine(path), own) {
        (Ok(machine), Ok(own)) if machine != own => {
            let here = std::env::consts::ARCH;
            Err(format!("is not a shared object for {here}: build it here with cc -shared -fPIC"))
        }
        (Err(error), _) => Err(format!("cannot be read ({error}): {CURE}")),
        _ => Ok(()),
    }
}

/// What an ELF file says of the machine that it is for: its first bytes with word size and byte
/// order, and the number of the machine (`e_ident` and `e_machine`).
fn machine(path: &Path) -> io::Result<Vec<u8>> {
    let mut header = Vec::new();
    File::open(path)?.take(20).read_to_end(&mut header)?;
    header.resize(20, 0);
    Ok([&header[..6], &header[18..]].concat())
}
