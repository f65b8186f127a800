//! Libraries that are called through a shim of our own, a shared object that is embedded in the engine. Its
//! form is that of `kernels/include/kernel.h`.
//!
//! Where callers must have structures, a shim is compiled for each version of the library's headers that is
//! there when the engine is built ([`Shim`]): the engine opens first the library, the installed one or the
//! one at a path, and then the newest shim that is linked to its soname, which the loader links to it.
//! Headers and library must be of one version, since structures differ between versions. All others are
//! [`opened`] without headers. CONTRIBUTING says how to add one.

pub mod abi;
mod context;
pub mod function;
mod lanes;
pub mod object;
pub mod opened;

use std::collections::BTreeMap;
use std::ffi::{CString, c_void};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use self::function::Rows;
use self::object::{Built, NoTable, Object};
use crate::api::*;
use crate::shared_library::{Loaded, OpenedLibrary, SharedLibrary, static_engine};
use crate::table::{Table, TableProvider};

/// A library whose shims are compiled with its headers.
pub struct Shim {
    pub library: SharedLibrary,
    /// The function of the library that the shim gives as `inside`.
    pub inside: &'static str,
    /// Count of the first numbers of their versions that headers and library must share: those that change
    /// when structures do.
    pub shared_numbers: usize,
}

/// The tables of the shims that are open, by the places of their bytes. What a shim is linked to cannot
/// change afterwards.
static TABLES: Mutex<BTreeMap<usize, &abi::Library>> = Mutex::new(BTreeMap::new());

impl Shim {
    /// Opens the installed library, or the one at `path`, and its shim.
    pub fn open(&'static self, path: Option<&Path>) -> Opened {
        let objects = self.objects()?;
        let has_shim = |soname: &str| objects.iter().any(|object| object.needed.contains(&soname));
        let library = match path {
            Some(path) => self.library.open(Some(path))?,
            None => self.library.open_installed(has_shim)?,
        };
        let inside = library.address(self.inside)?;
        let fits = |object: &&Object| object.needed.iter().any(|soname| library.is(soname));
        let mut refusal = None;
        for object in objects.iter().filter(fits) {
            match self.link(object, &library, inside) {
                Ok(shim) => return Ok(self.provider(object, shim, library)),
                Err(why) => _ = refusal.get_or_insert(why),
            }
        }
        Err(refusal.unwrap_or_else(|| self.other_soname(&library, objects)))
    }

    fn objects(&self) -> Result<&'static [Object], Unusable> {
        match object::find(self.library.provider) {
            Built::Objects(objects) => Ok(objects),
            not_built => Err(self.not_built(not_built)),
        }
    }

    fn not_built(&self, built: &Built) -> Unusable {
        let SharedLibrary { title, package, .. } = self.library;
        let why = match built {
            Built::StaticEngine => return static_engine(title),
            Built::NoCompiler => {
                return Unusable(format!(
                    "no C++ compiler, which {title} needs, was there when the engine was built: \
                     install Debian's g++ and {package} (apt-get install g++ {package}) and build \
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

    /// Opens a shim, which the loader links to `library`, where `inside` is, and checks that its headers are
    /// those of the library.
    fn link(
        &self,
        object: &Object,
        library: &OpenedLibrary,
        inside: *const c_void,
    ) -> Result<&'static abi::Library, Unusable> {
        let mut tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
        let key = object.bytes.as_ptr() as usize;
        let shim = match tables.get(&key) {
            Some(shim) => *shim,
            None => {
                let opened = object::open_own(self.library.provider, object.bytes);
                let shim = opened.map_err(|why| self.does_not_link(object, library, &why))?;
                tables.insert(key, shim);
                shim
            }
        };
        if shim.inside.address() != inside {
            return Err(library.refused("is not the library of its soname that is already open"));
        }
        let version = string(shim.library_version);
        match same_numbers(object.headers, &version, self.shared_numbers) {
            true => Ok(shim),
            false => Err(self.other_version(library, &version)),
        }
    }

    fn provider(
        &self,
        object: &Object,
        shim: &'static abi::Library,
        library: OpenedLibrary,
    ) -> Box<dyn Provider> {
        let Loaded { location, .. } = library.keep((), shim.inside.address());
        let library =
            Library { build: build(object, shim), version: string(shim.library_version), location };
        let name = self.library.provider;
        Box::new(TableProvider { name, functions: shim, library, table: algorithms(shim) })
    }

    fn does_not_link(&self, object: &Object, library: &OpenedLibrary, why: &NoTable) -> Unusable {
        let Self { library: SharedLibrary { title, .. }, .. } = self;
        let headers = object.headers;
        library.refused(&format!("does not fit the headers of {title} {headers} ({why})"))
    }

    fn other_version(&self, library: &OpenedLibrary, version: &str) -> Unusable {
        let SharedLibrary { title, provider, .. } = self.library;
        let known = match object::find(provider) {
            Built::Objects(objects) => versions(objects),
            _ => String::new(),
        };
        Unusable(format!(
            "{} is {title} {version}, and this engine has shims for {known}: {}",
            library.asked_for(),
            self.another()
        ))
    }

    fn other_soname(&self, library: &OpenedLibrary, objects: &[Object]) -> Unusable {
        let title = self.library.title;
        Unusable(format!(
            "{} is of no soname that this engine has a shim for, which has those for {title} {}: {}",
            library.asked_for(),
            versions(objects),
            self.another()
        ))
    }

    fn another(&self) -> String {
        let SharedLibrary { provider, .. } = self.library;
        format!("name another with --library {provider}=PATH, or {}", self.build_again())
    }

    fn build_again(&self) -> String {
        let package = self.library.package;
        format!("install Debian's {package} (apt-get install {package}) and build the engine again")
    }
}

/// The versions of headers: `2.28.3 and 3.6.6`.
fn versions(objects: &[Object]) -> String {
    let mut versions: Vec<_> = objects.iter().rev().map(|object| object.headers).collect();
    versions.dedup();
    match versions.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => versions.concat(),
    }
}

/// Whether two versions begin with the same `count` numbers.
fn same_numbers(one: &str, other: &str, count: usize) -> bool {
    one.split('.').take(count).eq(other.split('.').take(count))
}

/// How the shim was compiled, and what the library says of itself, in one line.
fn build(object: &Object, shim: &abi::Library) -> String {
    let Object { headers, compiler, .. } = object;
    let parts = [format!("shim for headers of {headers} by {compiler}"), string(shim.build)];
    let lines = parts.map(|part| one_line(&part));
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
            package: "none-dev",
        },
        inside: "none",
        shared_numbers: 1,
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
    }

    #[test]
    fn versions_are_listed_from_the_oldest() {
        let of = |headers| Object { bytes: &[], compiler: "", headers, needed: &[] };
        assert_eq!(versions(&[of("3.6.6"), of("2.28.3")]), "2.28.3 and 3.6.6");
        assert_eq!(versions(&[of("3.6.6")]), "3.6.6");
        assert_eq!(versions(&[of("3"), of("2"), of("1")]), "1, 2 and 3");
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
                // The newer ones are for other libraries than this machine's.
                Built::Objects(objects) => {
                    let tables = objects.iter().map(|it| object::open_own(name, it.bytes));
                    let table = tables.filter_map(Result::ok).next();
                    check_rows(name, table.unwrap_or_else(|| panic!("{name} has no table")));
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
