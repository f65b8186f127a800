//! Which library a shim is linked to: the one at the path that is given, or none.
//!
//! A process links a shim once, so each provider is used by one test.

use std::path::{Path, PathBuf};
use std::process::Command;

use ciphermark_providers::api::*;
use ciphermark_registry as registry;
use tempfile::TempDir;

#[test]
fn the_library_at_a_path_is_the_one_that_is_called() {
    let folder = folder();
    let fake = "int nettle_version_major(void) { return 3; }";
    let fake = fake_library(&folder, fake, "libnettle.so.8", "NETTLE_8");
    let sentence = refusal(open("nettle", &fake));
    if was_not_built(&sentence) {
        return;
    }
    assert!(sentence.contains("libnettle.so.8 does not fit the headers"), "{sentence}");
    assert!(sentence.contains("undefined symbol: nettle_"), "{sentence}");
    assert!(sentence.ends_with("or name it with --library nettle=PATH"), "{sentence}");

    let copy = folder.path().join("copied.so");
    std::fs::copy(installed("libnettle.so.8"), &copy).expect("it can be copied");
    let provider = open("nettle", &copy).unwrap_or_else(|why| panic!("{why}"));
    let real = copy.canonicalize().expect("it is there").display().to_string();
    assert_eq!(provider.library().location, real);
    assert!(!provider.implementations().is_empty());
}

#[test]
fn a_library_of_another_soname_is_not_taken_for_the_right_one() {
    let folder = folder();
    let fake = "int register_cipher(const void *cipher) { return cipher != 0; }";
    let path = fake_library(&folder, fake, "libtomcrypt.so.99", "TOMCRYPT_99");
    let sentence = refusal(open("libtomcrypt", &path));
    if was_not_built(&sentence) {
        return;
    }
    assert_eq!(
        sentence,
        format!(
            "{} is of no soname that this engine has a shim for, which has those for LibTomCrypt \
             1.18.2: name another with --library libtomcrypt=PATH, or install Debian's \
             libtomcrypt-dev (apt-get install libtomcrypt-dev) and build the engine again",
            path.display()
        )
    );
}

fn open(provider: &str, path: &Path) -> Opened {
    (registry::find(provider).expect("registered").open)(Some(path))
}

fn refusal(opened: Opened) -> String {
    let Err(sentence) = opened else { panic!("it was accepted") };
    sentence.to_string()
}

/// The library is missing on the machine that builds: then there is nothing to link.
fn was_not_built(sentence: &str) -> bool {
    let not_built = sentence.contains("when the engine was built");
    if not_built {
        eprintln!("skipped: {sentence}");
    }
    not_built
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("there is room for temporary files")
}

/// Builds a shared object of that soname from C. Its symbols have a version, which the loader takes
/// for granted where the true one has some.
fn fake_library(folder: &TempDir, source: &str, soname: &str, version: &str) -> PathBuf {
    let [text, script, object] =
        ["fake.c", "versions", soname].map(|name| folder.path().join(name));
    std::fs::write(&text, source).expect("the folder is ours");
    std::fs::write(&script, format!("{version} {{ *; }};")).expect("the folder is ours");
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", &format!("-Wl,-soname,{soname}")]);
    cc.arg(format!("-Wl,--version-script={}", script.display()));
    cc.arg("-o").arg(&object).arg(&text);
    assert!(cc.status().expect("cc, which also links Rust, is here").success());
    object
}

/// Where the linker finds the library of that soname.
fn installed(soname: &str) -> PathBuf {
    let found = Command::new("cc").arg(format!("-print-file-name={soname}")).output();
    let path = found.expect("cc, which also links Rust, is here").stdout;
    String::from_utf8(path).expect("a path in UTF-8").trim_end().into()
}
