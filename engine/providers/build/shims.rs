//! Compiles the shims of `engine/shims/` whose library's headers are there, see `src/shim.rs`.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

use super::{compiler, elf};

/// The shim of the library that is compiled into the engine. Of the others in that folder, which are C++
/// where their names end in `.cc`, each says in its first comment what the linker links it with, or opens
/// its library at run time and needs no headers.
const COMPILED_IN: &str = "aws_lc.c";

/// What a shim says before the name of its library.
const LINKED: &str = "Linked with -l";

/// Where headers are. Cargo watches these folders, and so notices those that are installed later.
const HEADERS: &[&str] = &["/usr/include", "/usr/local/include"];

/// Names a folder of trees of packages, one for each version of the libraries; `tools/fetch_headers.sh` makes
/// it.
const TREES: &str = "CIPHERMARK_HEADERS";

/// A library may leave the upper halves of vector registers in use, after which the next instruction of
/// legacy SSE costs hundreds of cycles (see `src/scalar.rs`): the shims of such libraries have none.
const NO_VECTORS: &str = "-mgeneral-regs-only";

/// The function that gives a shim's table.
const TABLE: &str = "ciphermark_library";

/// Compiles all, and writes what became of them for `src/shim/object.rs`.
pub fn build() {
    let engine = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (sources, form) = (engine.join("shims"), engine.join("../kernels/include"));
    let ours = [sources.as_path(), form.as_path()];
    let named = env::var_os(TREES).map(PathBuf::from);
    for folder in HEADERS.iter().map(Path::new).chain(ours).chain(named.as_deref()) {
        if folder.exists() {
            println!("cargo::rerun-if-changed={}", folder.display());
        }
    }
    println!("cargo::rerun-if-env-changed=LDFLAGS");
    println!("cargo::rerun-if-env-changed={TREES}");
    build_compiled_in(&sources, &form);
    let output = PathBuf::from(env::var("OUT_DIR").expect("set by cargo"));
    let trees = named.map(|folder| trees(&folder)).unwrap_or_default();
    let cpp_library = trees.iter().find_map(Tree::cpp_library);
    let older_glibc = sources.join("older_glibc");
    let c = Compiler::for_c(&form, None);
    let cpp = Compiler::for_cpp(&form).with_library(cpp_library, &older_glibc);
    let scalar = Compiler::for_c(&form, Some(NO_VECTORS));
    let mut source = String::from("pub const SHIMS: &[(&str, Built)] = &[\n");
    for file in shims(&sources) {
        let text = fs::read_to_string(&file).expect("a shim can be read");
        let linked = text.split_once(LINKED).and_then(|(_, rest)| rest.split_once('.'));
        let linked = linked.map(|(library, _)| library);
        let (stem, is_cpp) = (stem(&file), file.extension().is_some_and(|it| it == "cc"));
        let compiler = match (is_cpp, linked) {
            (true, _) => &cpp,
            (false, Some(_)) => &c,
            (false, None) => &scalar,
        };
        let built = match compiler.is_there() {
            _ if is_static() => "StaticEngine".into(),
            true => compiler.compile_for_each(&file, linked, &trees, &output.join(&stem)),
            false => "NoCompiler".into(),
        };
        let provider = stem.replace('_', "-");
        source += &format!("    ({provider:?}, {built}),\n");
    }
    source += "];\n";
    fs::write(output.join("shims.rs"), source).expect("OUT_DIR can be written");
}

/// Headers and libraries of packages that were unpacked into one folder, for the target machine.
struct Tree {
    folder: PathBuf,
    /// Debian's name of the machine in paths: `x86_64-linux-gnu`.
    machine: String,
}

impl Tree {
    fn includes(&self) -> [PathBuf; 2] {
        let include = self.folder.join("usr/include");
        [include.join(&self.machine), include]
    }

    fn libraries(&self) -> PathBuf {
        self.folder.join("usr/lib").join(&self.machine)
    }

    /// The folders of headers and the files of GCC's C++ library.
    fn cpp_library(&self) -> Option<([PathBuf; 2], [PathBuf; 2])> {
        let folder = self.folder.join("usr/include/c++");
        let version = fs::read_dir(&folder).ok()?.next()?.ok()?.file_name();
        let own = self.folder.join("usr/include").join(&self.machine).join("c++");
        let headers = [folder.join(&version), own.join(&version)];
        Some((headers, ["libstdc++.so.6", "libgcc_s.so.1"].map(|name| self.libraries().join(name))))
    }

    fn library(&self, name: &str) -> PathBuf {
        self.libraries().join(format!("lib{name}.so"))
    }
}

/// The trees in a folder, in the order of their names.
fn trees(folder: &Path) -> Vec<Tree> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| {
        panic!("{TREES} names {}, which cannot be read: {error}", folder.display())
    });
    let architecture = env::var("CARGO_CFG_TARGET_ARCH").expect("set by cargo");
    let machine = format!("{architecture}-linux-gnu");
    let paths = entries.map(|entry| entry.expect("the folder of trees can be read").path());
    let mut trees: Vec<_> = paths
        .map(|folder| Tree { folder, machine: machine.clone() })
        .filter(|tree| tree.libraries().is_dir())
        .collect();
    trees.sort_by(|one, other| one.folder.cmp(&other.folder));
    trees
}

/// The sources of the shims that become shared objects.
fn shims(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder of shims can be read");
    let paths = entries.map(|entry| entry.expect("the folder of shims can be read").path());
    let is_shim = |path: &PathBuf| {
        let is_source = path.extension().is_some_and(|it| it == "c" || it == "cc");
        is_source && path.file_name().is_some_and(|name| name != COMPILED_IN)
    };
    let mut shims: Vec<_> = paths.filter(is_shim).collect();
    shims.sort();
    shims
}

fn stem(file: &Path) -> String {
    file.file_stem().expect("a file has a name").to_string_lossy().into_owned()
}

/// Compiles the shim of what is linked into the engine, with the headers that its crate tells of.
fn build_compiled_in(sources: &Path, form: &Path) {
    let is_include = |name: &str| name.starts_with("DEP_AWS_LC_") && name.ends_with("_INCLUDE");
    let headers = env::vars().find_map(|(name, value)| is_include(&name).then_some(value));
    let headers = headers.expect("the crate aws-lc-sys tells where its headers are");
    let stem = stem(Path::new(COMPILED_IN));
    let mut build = cc::Build::new();
    build
        .std("c99")
        .opt_level(2)
        .debug(false)
        .extra_warnings(true)
        .includes([form, Path::new(&headers)]);
    build.flag_if_supported(NO_VECTORS).define(TABLE, Some(format!("{TABLE}_{stem}").as_str()));
    build.file(sources.join(COMPILED_IN)).compile(&format!("ciphermark_{stem}"));
}

/// Whether the engine is linked statically, and so cannot open shared objects.
fn is_static() -> bool {
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    features.split(',').any(|feature| feature == "crt-static")
}

/// The compiler that `CC`, `CFLAGS` and `LDFLAGS`, for C++ `CXX` and `CXXFLAGS`, ask for.
struct Compiler {
    tool: cc::Tool,
    /// Further arguments, and files that are linked.
    arguments: Vec<OsString>,
    linked: Vec<PathBuf>,
}

impl Compiler {
    /// `form` is the folder of `kernel.h`.
    fn for_c(form: &Path, flag: Option<&str>) -> Self {
        let mut build = cc::Build::new();
        if let Some(flag) = flag {
            build.flag_if_supported(flag);
        }
        Self::new(build.std("c99"), form)
    }

    fn for_cpp(form: &Path) -> Self {
        // Where there is none it would warn, and here that only disables a provider.
        Self::new(cc::Build::new().cpp(true).std("c++17").cargo_warnings(false), form)
    }

    fn new(build: &mut cc::Build, form: &Path) -> Self {
        // The same in all of the engine's profiles: a library's caller is compiled so.
        build.opt_level(2).debug(false).pic(true).extra_warnings(true).include(form);
        Self { tool: build.get_compiler(), arguments: Vec::new(), linked: Vec::new() }
    }

    /// The compiler with GCC's C++ library, which libraries in C++ are linked to, where it may have another.
    fn with_library(
        mut self,
        library: Option<([PathBuf; 2], [PathBuf; 2])>,
        older_glibc: &Path,
    ) -> Self {
        if let Some((headers, files)) = library.filter(|_| self.tool.is_like_clang()) {
            self.arguments.extend(["-nostdinc++", "-nostdlib++"].map(OsString::from));
            for folder in [older_glibc].into_iter().chain(headers.iter().map(PathBuf::as_path)) {
                self.arguments.extend([OsStr::new("-I"), folder.as_os_str()].map(OsString::from));
            }
            self.linked.extend(files);
        }
        self
    }

    fn is_there(&self) -> bool {
        self.tool.to_command().arg("--version").output().is_ok()
    }

    /// Compiles one shim with each version of its library's headers; returns the Rust expression that says what
    /// became of it. The files of objects begin with `object`.
    fn compile_for_each(
        &self,
        source: &Path,
        linked: Option<&str>,
        trees: &[Tree],
        object: &Path,
    ) -> String {
        let Some(library) = linked else {
            return match self.compile(source, "dl", None, &object.with_extension("so")) {
                Ok(object) => format!("Objects(&[{}])", self.expression(&object, "", &[])),
                Err(why) => why,
            };
        };
        let having = trees.iter().filter(|tree| tree.library(library).exists()).map(Some);
        let mut objects: Vec<(String, Vec<String>, PathBuf)> = Vec::new();
        // The third number changes no structures under the same soname.
        let minor = |version: &str| numbers(version).into_iter().take(2).collect::<Vec<_>>();
        let mut failures = Vec::new();
        for (i, tree) in [None].into_iter().chain(having).enumerate() {
            let file = tree.map(|tree| tree.library(library));
            let soname = file.and_then(|file| elf::soname(&fs::read(file).ok()?));
            let version = self.headers(source, tree);
            let is_there = |(of, by, _): &(String, Vec<String>, PathBuf)| {
                minor(of) == minor(&version) && by.iter().any(|it| Some(it) == soname.as_ref())
            };
            if objects.iter().any(is_there) {
                continue;
            }
            match self.compile(source, library, tree, &object.with_extension(format!("{i}.so"))) {
                Ok(object) => objects.push((version, needed(&object), object)),
                Err(why) => failures.push(why),
            }
        }
        if objects.is_empty() {
            return failures.swap_remove(0);
        }
        objects.sort_by_key(|(version, ..)| std::cmp::Reverse(numbers(version)));
        let expressions: Vec<_> = objects
            .iter()
            .map(|(version, needed, object)| self.expression(object, version, needed))
            .collect();
        format!("Objects(&[{}])", expressions.join(", "))
    }

    /// The Rust expression of an object for headers of a version.
    fn expression(&self, object: &Path, headers: &str, needed: &[String]) -> String {
        let compiler = compiler::description(&self.tool);
        format!(
            "super::Object {{ bytes: include_bytes!({object:?}), compiler: {compiler:?}, \
             headers: {headers:?}, needed: &{needed:?} }}"
        )
    }

    /// The compiler with the headers of a tree, or its own.
    fn command(&self, tree: Option<&Tree>) -> Command {
        let mut command = self.tool.to_command();
        command.args(&self.arguments);
        for folder in tree.iter().flat_map(|tree| tree.includes()) {
            command.arg("-isystem").arg(folder);
        }
        command
    }

    /// Compiles one shim into an object, or says in a Rust expression why not.
    fn compile(
        &self,
        source: &Path,
        library: &str,
        tree: Option<&Tree>,
        object: &Path,
    ) -> Result<PathBuf, String> {
        let mut command = self.command(tree);
        command.args(["-shared", "-Wl,--no-undefined", "-s", "-o"]).arg(object).arg(source);
        if let Some(tree) = tree {
            command.arg("-L").arg(tree.libraries());
        }
        command.args(env::var("LDFLAGS").unwrap_or_default().split_whitespace());
        let output = run(command.arg(format!("-l{library}")).args(&self.linked));
        let words = String::from_utf8_lossy(&output.stderr);
        // `cargo build -vv` shows all of them.
        eprint!("{words}");
        if output.status.success() {
            return Ok(object.into());
        }
        if self.lacks_headers(source, tree) {
            return Err("NoHeaders".into());
        }
        let reason = reason(&words);
        println!("cargo::warning={} does not compile: {reason}", source.display());
        Err(format!("DoesNotCompile({reason:?})"))
    }

    /// Whether a header that the source includes is not there: then its dependencies cannot be
    /// listed.
    fn lacks_headers(&self, source: &Path, tree: Option<&Tree>) -> bool {
        let output = run(self.command(tree).arg("-M").arg(source));
        let words = String::from_utf8_lossy(&output.stderr);
        ["No such file or directory", "file not found"].iter().any(|absent| words.contains(absent))
    }

    /// The version of the headers, which a shim defines as `HEADERS`; empty where they are not there.
    fn headers(&self, source: &Path, tree: Option<&Tree>) -> String {
        const MARK: &str = "version_of_headers";
        let out = PathBuf::from(env::var("OUT_DIR").expect("set by cargo"));
        let end = source.extension().expect("it has one").to_string_lossy();
        let file = out.join(format!("version.{end}"));
        let text = format!("#include \"{}\"\n{MARK} HEADERS\n", source.display());
        fs::write(&file, text).expect("OUT_DIR can be written");
        let output = run(self.command(tree).args(["-E", "-P"]).arg(file));
        let words = String::from_utf8_lossy(&output.stdout);
        let (_, version) = words.rsplit_once(MARK).unwrap_or_default();
        version.chars().filter(|it| it.is_ascii_digit() || *it == '.').collect()
    }
}

fn numbers(version: &str) -> Vec<u32> {
    version.split('.').map(|number| number.parse().unwrap_or_default()).collect()
}

/// The sonames that a shared object is linked to.
fn needed(object: &Path) -> Vec<String> {
    let bytes = fs::read(object).expect("the compiler has written it");
    elf::needed(&bytes).unwrap_or_else(|| panic!("{} is no object of ELF", object.display()))
}

fn run(command: &mut Command) -> Output {
    // The words of a compiler are looked into.
    command.env("LC_ALL", "C").output().unwrap_or_else(|error| {
        panic!("{} cannot be run: {error}", command.get_program().display())
    })
}

/// The first complaint of the compiler or the linker, without its place.
fn reason(words: &str) -> String {
    const COMPLAINTS: [&str; 3] = ["error: ", "undefined reference to ", "cannot find "];
    let complaint = |line: &str| {
        let start = COMPLAINTS.iter().find_map(|complaint| line.find(complaint))?;
        Some(line[start..].trim_start_matches("error: ").to_owned())
    };
    words.lines().find_map(complaint).unwrap_or_else(|| first_line(words).into())
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
