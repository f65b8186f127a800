//! Libraries whose callers must know structures: called through a shim of our own, a shared object
//! that is compiled where the library's headers are, and embedded in the engine. Its form is that
//! of `kernels/include/kernel.h`.
//!
//! The engine opens first the library, the installed one or the one at a path, and then the shim,
//! which the loader links to it. Headers and library must be of one version, since structures
//! differ between versions.
//!
//! To add a library: write `engine/shims/<library>.c`, or `<library>.cc` in C++, and its line in
//! `build/shims.rs`, and a [`Shim`] in `<library>.rs`.

pub mod abi;
mod context;
pub mod function;
mod lanes;
pub mod object;

use std::ffi::c_void;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use self::function::Rows;
use self::object::{Built, Object};
use crate::api::*;
use crate::shared_library::{Loaded, OpenedLibrary, SharedLibrary, static_engine, text};
use crate::table::{Table, TableProvider};

/// A library with a shim.
pub struct Shim {
    pub library: SharedLibrary,
    /// The function of the library that the shim gives as `inside`.
    pub inside: &'static str,
    /// How many of the numbers of their versions headers and library must share: those that change
    /// when structures do.
    pub shared_numbers: usize,
    /// Debian's package of the headers.
    pub headers: &'static str,
    /// The shim's table, once it is open. What it is linked to cannot change afterwards.
    pub table: Mutex<Option<&'static abi::Library>>,
}

impl Shim {
    /// Opens the installed library, or the one at `path`, and the shim.
    pub fn open(&'static self, path: Option<&Path>) -> Opened {
        let object = self.object()?;
        let library = self.library.open(path)?;
        // SAFETY: only its address is looked at.
        let inside = unsafe { library.function::<*const c_void>(self.inside) }?;
        let shim = self.link(object, &library)?;
        let Loaded { location, .. } = library.keep((), shim.inside);
        if let Some(path) = path.filter(|_| shim.inside != inside) {
            return Err(self.not_linked(path, &location));
        }
        // SAFETY: the strings of a table live as long as it.
        let [headers, version] =
            [shim.header_version, shim.library_version].map(|string| unsafe { text(string) });
        if !same_numbers(&headers, &version, self.shared_numbers) {
            return Err(self.other_version(&location, &version, &headers));
        }
        let library = Library { build: build(object, shim, &headers), version, location };
        let name = self.library.provider;
        Ok(Box::new(TableProvider { name, functions: shim, library, table: algorithms(shim) }))
    }

    fn object(&self) -> Result<&'static Object, Unusable> {
        match object::find(self.library.provider) {
            Built::Object(object) => Ok(object),
            not_built => Err(self.not_built(not_built)),
        }
    }

    fn not_built(&self, built: &Built) -> Unusable {
        let Self { library: SharedLibrary { title, .. }, headers, .. } = self;
        let why = match built {
            Built::StaticEngine => return static_engine(title),
            Built::NoCompiler => {
                return Unusable(format!(
                    "no C++ compiler, which {title} needs, was there when the engine was built: \
                     install Debian's g++ and {headers} (apt-get install g++ {headers}) and build \
                     the engine again"
                ));
            }
            Built::DoesNotCompile(words) => {
                format!("did not fit its shim when the engine was built ({words})")
            }
            _ => "were not there when the engine was built".into(),
        };
        Unusable(format!("the headers of {title} {why}: {}", self.build_again()))
    }

    /// Opens the shim, which the loader links to `library`.
    fn link(
        &self,
        object: &Object,
        library: &OpenedLibrary,
    ) -> Result<&'static abi::Library, Unusable> {
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = *table {
            return Ok(table);
        }
        let opened = object::open_own(self.library.provider, object.bytes).map_err(|why| {
            library.refused(&format!("does not fit the headers that the engine knows ({why})"))
        })?;
        Ok(table.insert(opened))
    }

    /// The loader links by soname, and not to a library at a path that has another.
    fn not_linked(&self, path: &Path, location: &str) -> Unusable {
        let path = path.display();
        let provider = self.library.provider;
        Unusable(format!(
            "{path} is not of the soname that the engine was built for, that of {location}: name \
             one that is with --library {provider}=PATH"
        ))
    }

    fn other_version(&self, location: &str, version: &str, headers: &str) -> Unusable {
        let title = self.library.title;
        Unusable(format!(
            "{location} is {title} {version}, and the engine was built with the headers of \
             {headers}: {}",
            self.build_again()
        ))
    }

    fn build_again(&self) -> String {
        let headers = self.headers;
        format!("install Debian's {headers} (apt-get install {headers}) and build the engine again")
    }
}

/// Whether two versions begin with the same `count` numbers.
fn same_numbers(one: &str, other: &str, count: usize) -> bool {
    one.split('.').take(count).eq(other.split('.').take(count))
}

/// How the shim was compiled, and what the library says of itself, in one line.
fn build(object: &Object, shim: &abi::Library, headers: &str) -> String {
    // SAFETY: null or a C string that lives as long as the library.
    let own = unsafe { text(shim.build) };
    let parts = [&format!("shim for headers of {headers} by {}", object.compiler), &own];
    let lines = parts.map(|part| one_line(part));
    lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}

/// Text without line breaks.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The rows of each algorithm, which stand together, by backend.
pub fn algorithms(shim: &'static abi::Library) -> Table<Rows> {
    let same = |one: &abi::Function, other: &abi::Function| one.algorithm() == other.algorithm();
    Vec::leak(shim.functions().chunk_by(same).flat_map(backends).collect())
}

/// The variants and backends of one algorithm, in the order of their first rows.
fn backends(rows: &'static [abi::Function]) -> Vec<(&'static str, Rows)> {
    let mut backends = Vec::new();
    for row in rows {
        let which = (row.variant(), row.backend());
        if !backends.contains(&which) {
            backends.push(which);
        }
    }
    let line = |(variant, backend)| (rows[0].algorithm(), Rows { rows, backend, variant });
    backends.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks;
    use crate::table::Recipe;

    static SHIM: Shim = Shim {
        library: SharedLibrary {
            provider: "none",
            title: "None",
            library: "libnone",
            oldest: "1.0",
            sonames: &["libnone.so.1"],
            package: "libnone1",
        },
        inside: "none",
        shared_numbers: 1,
        headers: "none-dev",
        table: Mutex::new(None),
    };

    #[test]
    fn what_was_not_built_says_why_and_what_to_type() {
        let cure =
            "install Debian's none-dev (apt-get install none-dev) and build the engine again";
        assert_eq!(
            SHIM.not_built(&Built::NoHeaders).0,
            format!("the headers of None were not there when the engine was built: {cure}")
        );
        assert_eq!(
            SHIM.not_built(&Built::NoCompiler).0,
            "no C++ compiler, which None needs, was there when the engine was built: install \
             Debian's g++ and none-dev (apt-get install g++ none-dev) and build the engine again"
        );
        assert_eq!(
            SHIM.not_built(&Built::DoesNotCompile("cannot find -lnone")).0,
            format!(
                "the headers of None did not fit its shim when the engine was built (cannot find \
                 -lnone): {cure}"
            )
        );
    }

    #[test]
    fn versions_are_compared_in_the_numbers_that_matter() {
        assert!(same_numbers("3.8", "3.10", 1));
        assert!(!same_numbers("3.8", "4.0", 1));
        assert!(same_numbers("1.18.2", "1.18", 2));
        assert!(!same_numbers("1.18.2", "1.1.8", 2));
        assert!(!same_numbers("1.18.2", "", 2));
        assert_eq!(
            SHIM.other_version("/lib/libnone.so.1", "2.0", "1.4").0,
            "/lib/libnone.so.1 is None 2.0, and the engine was built with the headers of 1.4: \
             install Debian's none-dev (apt-get install none-dev) and build the engine again"
        );
    }

    /// A row that is wrong would be left out in silence.
    #[test]
    fn every_row_of_every_shim_can_be_used() {
        for (name, built) in object::SHIMS {
            let Built::Object(object) = built else {
                eprintln!("skipped {name}: its shim was not built");
                continue;
            };
            let shim =
                object::open_own(name, object.bytes).unwrap_or_else(|why| panic!("{name}: {why}"));
            for (algorithm, rows) in algorithms(shim) {
                let facts = ciphermark_algorithms::find(algorithm).filter(|f| f.name == *algorithm);
                let facts = facts.unwrap_or_else(|| panic!("{name}: no facts of {algorithm}"));
                for &operation in facts.kind.operations() {
                    let (backend, nonce_bytes) = (checks::DEFAULT_BACKEND, None);
                    let request =
                        Request { nonce_bytes, ..Request::usual(algorithm, backend, operation) };
                    let made = rows.create(shim, facts, &request);
                    assert!(made.is_ok(), "{name} {algorithm} {operation}: {:?}", made.err());
                }
            }
        }
    }
}
