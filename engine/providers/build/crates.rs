//! Tells the providers that are compiled in which crates they are compiled from, out of
//! `Cargo.lock`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::compiler;

/// The crates that the provider `rustcrypto` calls.
const CALLED: &[&str] = &[
    "aes",
    "aes-gcm",
    "aes-gcm-siv",
    "ascon-aead",
    "ascon-hash256",
    "blake2",
    "camellia",
    "cbc",
    "cbc-mac",
    "ccm",
    "chacha20",
    "chacha20poly1305",
    "cmac",
    "ctr",
    "hmac",
    "idea",
    "md-5",
    "ocb3",
    "poly1305",
    "rc4",
    "rc5",
    "rc6",
    "ripemd",
    "serpent",
    "sha1",
    "sha2",
    "sha3",
    "sm3",
    "sm4",
    "twofish",
];

/// The crates beneath them that hold an algorithm's code or choose its code path.
const BENEATH: &[&str] = &["ascon", "ascon-core", "cpufeatures", "ghash", "keccak", "polyval"];

pub fn tell() {
    let file = lock_file();
    println!("cargo::rerun-if-changed={}", file.display());
    let lock: Table = std::fs::read_to_string(&file)
        .expect("Cargo.lock can be read")
        .parse()
        .expect("Cargo.lock is TOML");
    let packages = lock["package"].as_array().expect("Cargo.lock lists packages");
    let compiled = reachable(packages, env!("CARGO_PKG_NAME"));
    println!("cargo::rustc-env=RUSTCRYPTO_CALLED={}", list(&compiled, CALLED));
    println!("cargo::rustc-env=RUSTCRYPTO_BENEATH={}", list(&compiled, BENEATH));
    println!("cargo::rustc-env=AWS_LC_CRATE={}", list(&compiled, &["aws-lc-sys"]));
    println!("cargo::rustc-env=BLAKE3_CRATE={}", list(&compiled, &["blake3"]));
    // Both compile their C with the crate `cc`, and so as it is asked to here.
    let compiler = compiler::description(&cc::Build::new().get_compiler());
    println!("cargo::rustc-env=C_COMPILER={compiler}");
}

/// The lock file of the workspace that this package is built in.
fn lock_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("Cargo.lock"))
        .find(|file| file.is_file())
        .expect("a Cargo.lock lies beside or above engine/providers: run cargo generate-lockfile")
}

/// Name and version of all packages that `root` depends on, directly or not.
///
/// The lock file is walked rather than searched by name, since the workspace may hold a second
/// version of a crate for another member.
fn reachable<'a>(packages: &'a [Value], root: &str) -> BTreeSet<(&'a str, &'a str)> {
    let mut found = BTreeSet::new();
    let mut waiting = vec![root];
    while let Some(wanted) = waiting.pop() {
        let package = packages.iter().find(|package| is(package, wanted));
        let package = package.expect("Cargo.lock holds every dependency it names");
        if found.insert((text(package, "name"), text(package, "version"))) {
            let dependencies = package.get("dependencies").and_then(Value::as_array);
            waiting.extend(dependencies.into_iter().flatten().filter_map(Value::as_str));
        }
    }
    found
}

/// Whether a dependency entry means this package: `name`, or `name version` where names clash.
fn is(package: &Value, wanted: &str) -> bool {
    let mut words = wanted.split(' ');
    words.next() == Some(text(package, "name"))
        && words.next().is_none_or(|version| version == text(package, "version"))
}

fn text<'a>(package: &'a Value, key: &str) -> &'a str {
    package[key].as_str().expect("names and versions are strings")
}

/// `aes 0.9.4, aes-gcm 0.11.1, …` for those of `names` that are compiled in.
fn list(compiled: &BTreeSet<(&str, &str)>, names: &[&str]) -> String {
    let chosen = compiled.iter().filter(|(name, _)| names.contains(name));
    chosen.map(|(name, version)| format!("{name} {version}")).collect::<Vec<_>>().join(", ")
}
