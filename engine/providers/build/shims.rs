//! Compiles the shims of `engine/shims/` whose library's headers are there, see `src/shim.rs`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

use super::compiler;

/// The source of each shim, which is C++ where its name ends in `.cc`, and the name that the linker
/// knows its library by.
const SHIMS: &[(&str, &str)] = &[
    ("cryptopp.cc", "cryptopp"),
    ("ipsec_mb.c", "IPSec_MB"),
    ("libtomcrypt.c", "tomcrypt"),
    ("mbedtls.c", "mbedcrypto"),
    ("nettle.c", "nettle"),
    ("wolfssl.c", "wolfssl"),
];

/// Where headers are. Cargo watches these folders, and so notices those that are installed later.
const HEADERS: &[&str] = &["/usr/include", "/usr/local/include"];

/// Compiles all, and writes what became of them for `src/shim/object.rs`.
pub fn build() {
    let engine = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (sources, form) = (engine.join("shims"), engine.join("../kernels/include"));
    let ours = [sources.as_path(), form.as_path()];
    for folder in HEADERS.iter().map(Path::new).chain(ours) {
        if folder.exists() {
            println!("cargo::rerun-if-changed={}", folder.display());
        }
    }
    println!("cargo::rerun-if-env-changed=LDFLAGS");
    let output = PathBuf::from(env::var("OUT_DIR").expect("set by cargo"));
    let (c, cpp) = (Compiler::for_c(&form), Compiler::for_cpp(&form));
    let mut source = String::from("pub const SHIMS: &[(&str, Built)] = &[\n");
    for (file, library) in SHIMS {
        let stem = file.split('.').next().expect("a name has a stem");
        let object = output.join(format!("{stem}.so"));
        let compiler = if file.ends_with(".cc") { &cpp } else { &c };
        let built = match compiler.is_there() {
            _ if is_static() => "StaticEngine".into(),
            true => compiler.compile(&sources.join(file), library, &object),
            false => "NoCompiler".into(),
        };
        let provider = stem.replace('_', "-");
        source += &format!("    ({provider:?}, {built}),\n");
    }
    source += "];\n";
    fs::write(output.join("shims.rs"), source).expect("OUT_DIR can be written");
}

/// Whether the engine is linked statically, and so cannot open shared objects.
fn is_static() -> bool {
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    features.split(',').any(|feature| feature == "crt-static")
}

/// The compiler that `CC`, `CFLAGS` and `LDFLAGS`, for C++ `CXX` and `CXXFLAGS`, ask for.
struct Compiler(cc::Tool);

impl Compiler {
    /// `form` is the folder of `kernel.h`.
    fn for_c(form: &Path) -> Self {
        Self::new(cc::Build::new().std("c99"), form)
    }

    fn for_cpp(form: &Path) -> Self {
        // Where there is none it would warn, and here that only disables a provider.
        Self::new(cc::Build::new().cpp(true).std("c++17").cargo_warnings(false), form)
    }

    fn new(build: &mut cc::Build, form: &Path) -> Self {
        // The same in all of the engine's profiles: a library's caller is compiled so.
        build.opt_level(2).debug(false).pic(true).extra_warnings(true).include(form);
        Self(build.get_compiler())
    }

    fn is_there(&self) -> bool {
        self.0.to_command().arg("--version").output().is_ok()
    }

    /// Compiles one shim; returns the Rust expression that says what became of it.
    fn compile(&self, source: &Path, library: &str, object: &Path) -> String {
        let mut command = self.0.to_command();
        command.args(["-shared", "-Wl,--no-undefined", "-o"]).arg(object).arg(source);
        command.args(env::var("LDFLAGS").unwrap_or_default().split_whitespace());
        let output = run(command.arg(format!("-l{library}")));
        let words = String::from_utf8_lossy(&output.stderr);
        // `cargo build -vv` shows all of them.
        eprint!("{words}");
        if output.status.success() {
            let compiler = compiler::description(&self.0);
            return format!(
                "Object(&super::Object {{ bytes: include_bytes!({object:?}), compiler: {compiler:?} }})"
            );
        }
        if self.lacks_headers(source) {
            return "NoHeaders".into();
        }
        let reason = reason(&words);
        println!("cargo::warning={} does not compile: {reason}", source.display());
        format!("DoesNotCompile({reason:?})")
    }

    /// Whether a header that the source includes is not there: then its dependencies cannot be
    /// listed.
    fn lacks_headers(&self, source: &Path) -> bool {
        let output = run(self.0.to_command().arg("-M").arg(source));
        let words = String::from_utf8_lossy(&output.stderr);
        ["No such file or directory", "file not found"].iter().any(|absent| words.contains(absent))
    }
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
