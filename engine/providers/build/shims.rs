//! Compiles the shims of `engine/shims/` whose library's headers are there, see `src/shim.rs`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

use super::compiler;

/// The source of each shim, and the name that the linker knows its library by.
const SHIMS: &[(&str, &str)] = &[
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
    let compiler = Compiler::new(&form);
    let description = compiler::description(&compiler.0);
    let mut source = format!("pub const COMPILER: &str = {description:?};\n");
    source += "pub const SHIMS: &[(&str, Built)] = &[\n";
    for (file, library) in SHIMS {
        let stem = file.split('.').next().expect("a name has a stem");
        let object = output.join(format!("{stem}.so"));
        let built = compiler.compile(&sources.join(file), library, &object);
        let provider = stem.replace('_', "-");
        source += &format!("    ({provider:?}, {built}),\n");
    }
    source += "];\n";
    fs::write(output.join("shims.rs"), source).expect("OUT_DIR can be written");
}

/// The C compiler that `CC`, `CFLAGS` and `LDFLAGS` ask for.
struct Compiler(cc::Tool);

impl Compiler {
    /// `form` is the folder of `kernel.h`.
    fn new(form: &Path) -> Self {
        let mut build = cc::Build::new();
        // The same in all of the engine's profiles: a library's caller is compiled so.
        build.opt_level(2).debug(false).pic(true).std("c99").extra_warnings(true).include(form);
        Self(build.get_compiler())
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
            return format!("Object(include_bytes!({object:?}))");
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
