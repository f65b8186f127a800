//! Tells the engine how it was built, for `EngineBuild` in every run.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-env=CIPHERMARK_RUSTC={}", rustc_version());
    println!("cargo:rustc-env=CIPHERMARK_TARGET={}", cargo_says("TARGET"));
    println!("cargo:rustc-env=CIPHERMARK_PROFILE={}", cargo_says("PROFILE"));
    println!("cargo:rustc-env=CIPHERMARK_RUSTFLAGS={}", rustflags());
}

/// A variable that cargo sets for every build script.
fn cargo_says(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo did not set {name}"))
}

/// The compiler as it names itself: `rustc 1.89.0 (29483883e 2025-08-04)`.
fn rustc_version() -> String {
    let rustc = cargo_says("RUSTC");
    let output = Command::new(&rustc).arg("--version").output();
    let output = output.unwrap_or_else(|error| panic!("{rustc} --version: {error}"));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// All flags that cargo passes to the compiler, wherever they were set, but the names of folders.
fn rustflags() -> String {
    let flags = cargo_says("CARGO_ENCODED_RUSTFLAGS");
    let flags = flags.split('\x1f').filter(|flag| !flag.starts_with("--remap-path-prefix"));
    flags.collect::<Vec<_>>().join(" ")
}
