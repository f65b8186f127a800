//! Collects `algorithms/` and `suites/` so that the engine carries it and can be copied to a machine alone.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let crate_folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let algorithms = crate_folder.join("../../algorithms");
    let source = constant("FACTS", &files(&algorithms, "toml"))
        + &constant("SUITES", &files(&crate_folder.join("../../suites"), "toml"))
        + &constant("VECTORS", &files(&algorithms.join("vectors"), "json"));
    let output = PathBuf::from(env::var("OUT_DIR").expect("set by cargo"));
    fs::write(output.join("embedded.rs"), source).expect("OUT_DIR can be written");
}

/// The files of a folder with that extension, in the order of their stems.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    // Cargo watches the folder, and so notices a file that is added or removed.
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort_by(|a, b| a.file_stem().cmp(&b.file_stem()));
    paths
}

/// A constant of `(stem, text)` pairs.
fn constant(name: &str, paths: &[PathBuf]) -> String {
    let mut source = format!("pub const {name}: &[(&str, &str)] = &[\n");
    for path in paths {
        let stem = path.file_stem().expect("a file with an extension has a stem");
        source += &format!("    ({stem:?}, include_str!({path:?})),\n");
    }
    source + "];\n"
}
