//! Libraries that are called through a shim of our own, a shared object that is embedded in the engine. Its
//! form is that of `kernels/include/kernel.h`.
//!
//! Where callers must know structures, the shim is compiled where the library's headers are ([`Shim`]): the
//! engine opens first the library, the installed one or the one at a path, and then the shim, which the
//! loader links to it. Headers and library must be of one version, since structures differ between
//! versions. All others are [`opened`] without headers. CONTRIBUTING says how to add one.

pub mod abi;
mod context;
pub mod function;
mod lanes;
pub mod object;
pub mod opened;

use std::collections::BTreeMap;
use std::ffi::CString;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use self::function::Rows;
use self::object::{Built, Object};
use crate::api::*;
use crate::shared_library::{Loaded, OpenedLibrary, SharedLibrary, static_engine};
use crate::table::{Table, TableProvider};

/// A library whose shim is compiled with its headers.
pub struct Shim {
    pub library: SharedLibrary,
    /// The function of the library that the shim gives as `inside`.
    pub inside: &'static str,
    /// How many of the numbers of their versions headers and library must share: those that change
    /// when structures do.
    pub shared_numbers: usize,
    /// Debian's package of the headers.
    pub headers: &'static str,
}

/// The tables of the shims that are open, by their providers. What a shim is linked to cannot change
/// afterwards.
static TABLES: Mutex<BTreeMap<&str, &abi::Library>> = Mutex::new(BTreeMap::new());

impl Shim {
    /// Opens the installed library, or the one at `path`, and the shim.
    pub fn open(&'static self, path: Option<&Path>) -> Opened {
        let object = self.object()?;
        let library = self.library.open(path)?;
        let inside = library.address(self.inside)?;
        let shim = self.link(object, &library)?;
        let Loaded { location, .. } = library.keep((), shim.inside.address());
        if let Some(path) = path.filter(|_| shim.inside.address() != inside) {
            return Err(self.not_linked(path, &location));
        }
        let [headers, version] = [shim.header_version, shim.library_version].map(string);
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
        let provider = self.library.provider;
        let mut tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = tables.get(provider) {
            return Ok(table);
        }
        let opened = object::open_own(provider, object.bytes).map_err(|why| {
            library.refused(&format!("does not fit the headers that the engine knows ({why})"))
        })?;
        tables.insert(provider, opened);
        Ok(opened)
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
    let own = string(shim.build);
    let parts = [&format!("shim for headers of {headers} by {}", object.compiler), &own];
    let lines = parts.map(|part| one_line(part));
    lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}

/// A text of a table; empty where it has none.
pub fn string(text: abi::Text) -> String {
    text.get().unwrap_or_default().to_owned()
}

/// Text without line breaks.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A library's rows by algorithm, variant and backend.
pub fn algorithms(library: &'static abi::Library) -> Table<Rows> {
    let same = |one: &abi::Function, other: &abi::Function| one.algorithm() == other.algorithm();
    Vec::leak(rows(library).chunk_by(same).flat_map(backends).collect())
}

/// A library's rows, those of one algorithm together; of a family a row for each member.
pub fn rows(library: &'static abi::Library) -> &'static [abi::Function] {
    let same = |one: &abi::Function, other: &abi::Function| one.algorithm() == other.algorithm();
    Vec::leak(library.functions().chunk_by(same).flat_map(members).collect())
}

/// The rows of each member of a family, `aes-{128,256}-gcm`, or the rows as they are.
fn members(rows: &[abi::Function]) -> Vec<abi::Function> {
    let name = rows[0].algorithm();
    let parts =
        name.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
    let Some((before, (bits, after))) = parts else { return rows.to_vec() };
    let member = |bits: &str| {
        let name = CString::new(format!("{before}{bits}{after}")).expect("no part has a null");
        let algorithm = abi::Text::text(Box::leak(name.into_boxed_c_str()));
        let bytes = bits.parse().unwrap_or(0_usize) / 8;
        let key_bytes = abi::Range { least: bytes, most: bytes };
        rows.iter().map(move |row| abi::Function { algorithm, key_bytes, ..*row })
    };
    bits.split(',').flat_map(member).collect()
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
    fn every_row_of_every_shim_is_right() {
        check_rows("aws-lc", crate::aws_lc::library());
        let opening = [
            &crate::openssl::LIBRARY,
            &crate::libgcrypt::LIBRARY,
            &crate::libsodium::LIBRARY,
            &crate::botan::LIBRARY,
        ];
        for library in opening {
            match opened::table(library, None) {
                Ok((_, table)) => check_rows(library.provider, table),
                Err(why) => eprintln!("skipped {}: {why}", library.provider),
            }
        }
        for (name, built) in object::SHIMS {
            match built {
                _ if opening.iter().any(|library| library.provider == *name) => {}
                Built::Object(object) => {
                    let table = object::open_own(name, object.bytes);
                    check_rows(name, table.unwrap_or_else(|why| panic!("{name}: {why}")));
                }
                _ => eprintln!("skipped {name}: its shim was not built"),
            }
        }
    }

    fn check_rows(name: &str, table: &'static abi::Library) {
        crate::kernel::check(rows(table)).unwrap_or_else(|why| panic!("{name} {why}"));
    }

    #[test]
    fn a_family_has_a_row_for_each_size_of_key() {
        extern "C" fn process(
            _: &abi::Function,
            _: *mut std::ffi::c_void,
            _: &abi::Message,
        ) -> std::ffi::c_int {
            abi::DONE
        }
        let row = |name, operation| abi::row(name, operation, process);
        let family = [row(c"aes-{128,256}-gcm", abi::SEAL), row(c"aes-{128,256}-gcm", abi::OPEN)];
        let of = |row: &abi::Function| (row.algorithm(), row.operation, row.key_bytes.lengths());
        assert_eq!(
            members(&family).iter().map(of).collect::<Vec<_>>(),
            [
                ("aes-128-gcm", abi::SEAL, 16..=16),
                ("aes-128-gcm", abi::OPEN, 16..=16),
                ("aes-256-gcm", abi::SEAL, 32..=32),
                ("aes-256-gcm", abi::OPEN, 32..=32),
            ]
        );
        let alone = [row(c"sha256", abi::DIGEST)];
        assert_eq!(
            members(&alone).iter().map(of).collect::<Vec<_>>(),
            [("sha256", abi::DIGEST, 0..=0)]
        );
    }
}
