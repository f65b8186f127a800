//! Compiles the C of this folder.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Folders of sources with the optimisation that each gets: references are compiled as most
/// programs are, and faster kernels so that loops become vectors. Files for instructions that not
/// every processor has switch them on themselves, and are empty for other architectures.
const SOURCES: &[(&str, u32)] = &[
    (".", 2),
    ("common", 2),
    ("modes", 2),
    ("reference", 2),
    ("portable", 3),
    ("lanes", 2),
    ("x86", 3),
    ("arm", 3),
    ("powerpc", 3),
];

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let mut archive = cc::Build::new();
    for (folder, level) in SOURCES {
        println!("cargo::rerun-if-changed={folder}");
        let mut build = build(*level);
        build.files(sources(&root.join(folder)));
        for object in build.compile_intermediates() {
            archive.object(object);
        }
    }
    println!("cargo::rerun-if-changed=include");
    println!("cargo::rerun-if-changed=universal");
    archive.compile("ciphermark_kernels");
    println!("cargo::rustc-env=C_COMPILER={}", description(&build(2).get_compiler()));
}

fn build(level: u32) -> cc::Build {
    let mut build = cc::Build::new();
    build.std("c99").opt_level(level).debug(false).extra_warnings(true).flag("-Wconversion");
    build.includes(["include", "common", "modes", "reference", "lanes", "universal"]);
    build
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of sources can be read");
    let paths = entries.map(|entry| entry.expect("a folder of sources can be read").path());
    let mut sources: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "c")).collect();
    sources.sort();
    sources
}

/// Version and flags of the compiler, without those about warnings and folders.
fn description(compiler: &cc::Tool) -> String {
    let output = compiler.to_command().arg("--version").env("LC_ALL", "C").output();
    let output = output.unwrap_or_else(|error| {
        panic!("{} cannot be run: {error}", compiler.path().display());
    });
    let words = String::from_utf8_lossy(&output.stdout);
    let version = words.lines().next().unwrap_or_default();
    let flags = compiler.args().iter().map(|flag| flag.to_string_lossy());
    let flags: Vec<_> = flags
        .filter(|flag| flag.starts_with("-O") || flag.starts_with("-m") || flag.starts_with("-std"))
        .collect();
    format!("{version}, {}", flags.join(" "))
}
