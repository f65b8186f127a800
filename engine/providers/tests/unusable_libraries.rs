//! A library that cannot be used is refused in one sentence that says what to type.

use std::path::{Path, PathBuf};
use std::process::Command;

use ciphermark_registry as registry;
use tempfile::TempDir;

const VERSIONS: &str = r#"
unsigned long OpenSSL_version_num(void) { return NUMBER; }
const char *OpenSSL_version(int type) { (void)type; return TEXT; }
"#;

/// Builds a shared object from C.
fn shared_object(folder: &TempDir, source: &str) -> PathBuf {
    let (text, object) = (folder.path().join("fake.c"), folder.path().join("libcrypto.so.3"));
    std::fs::write(&text, source).expect("the folder is ours");
    let built =
        Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&object).arg(&text).status();
    assert!(built.expect("cc, which also links Rust, is here").success());
    object
}

/// The sentence with which the provider refuses the library.
fn refusal(provider: &str, path: &Path) -> String {
    let registration = registry::find(provider).expect("registered");
    let Err(sentence) = (registration.open)(Some(path)) else {
        panic!("{} was accepted", path.display())
    };
    sentence.to_string().replace(&path.display().to_string(), "PATH-GIVEN")
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("there is room for temporary files")
}

const CURE: &str = "install Debian's openssl (apt-get install openssl) or name it with --library \
                    openssl=PATH";

#[test]
fn an_older_openssl_is_named_with_its_version() {
    let folder = folder();
    let version = "#define NUMBER 0x1010117fUL\n#define TEXT \"OpenSSL 1.1.1w  11 Sep 2023\"\n";
    let library = shared_object(&folder, &format!("{version}{VERSIONS}"));
    assert_eq!(
        refusal("openssl", &library),
        format!(
            "PATH-GIVEN is OpenSSL 1.1.1w  11 Sep 2023, and OpenSSL 3.0 or later is needed: {CURE}"
        )
    );
}

#[test]
fn a_missing_function_is_named() {
    let folder = folder();
    let version = "#define NUMBER 0x30000130UL\n#define TEXT \"OpenSSL 3.0.19\"\n";
    let library = shared_object(&folder, &format!("{version}{VERSIONS}"));
    assert_eq!(
        refusal("openssl", &library),
        format!(
            "PATH-GIVEN has no function OPENSSL_info, so it is not the libcrypto of OpenSSL 3.0 \
             or later: {CURE}"
        )
    );
}

#[test]
fn an_older_libgcrypt_is_named_with_its_version() {
    let folder = folder();
    let library = shared_object(
        &folder,
        r#"const char *gcry_check_version(const char *oldest) { return oldest ? 0 : "1.7.6"; }"#,
    );
    assert_eq!(
        refusal("libgcrypt", &library),
        "PATH-GIVEN is libgcrypt 1.7.6, and libgcrypt 1.8 or later is needed: install Debian's \
         libgcrypt20 (apt-get install libgcrypt20) or name it with --library libgcrypt=PATH"
    );
}

#[test]
fn an_older_botan_is_named_with_its_version() {
    let folder = folder();
    let library = shared_object(
        &folder,
        "unsigned botan_version_major(void) { return 2; }\n\
         unsigned botan_version_minor(void) { return 4; }\n\
         unsigned botan_version_patch(void) { return 0; }\n",
    );
    assert_eq!(
        refusal("botan", &library),
        "PATH-GIVEN is Botan 2.4.0, and Botan 2.14 or later is needed: install Debian's \
         libbotan-2-19 (apt-get install libbotan-2-19) or name it with --library botan=PATH"
    );
}

#[test]
fn a_library_that_cannot_start_is_refused() {
    let folder = folder();
    let library = shared_object(&folder, "int sodium_init(void) { return -1; }");
    assert_eq!(
        refusal("libsodium", &library),
        "PATH-GIVEN cannot be initialised (sodium_init fails): install Debian's libsodium23 \
         (apt-get install libsodium23) or name it with --library libsodium=PATH"
    );
}

#[test]
fn another_library_is_none_of_them() {
    let folder = folder();
    let library = shared_object(&folder, "int answer(void) { return 42; }");
    let expected = [
        ("libgcrypt", "gcry_check_version", "libgcrypt 1.8"),
        ("libsodium", "sodium_init", "libsodium 1.0.12"),
        ("botan", "botan_version_major", "the libbotan of Botan 2.14"),
    ];
    for (provider, function, what) in expected {
        let sentence = refusal(provider, &library);
        let start =
            format!("PATH-GIVEN has no function {function}, so it is not {what} or later: ");
        assert!(sentence.starts_with(&start), "{sentence}");
    }
}

#[test]
fn another_library_is_not_libcrypto() {
    let folder = folder();
    let library = shared_object(&folder, "int answer(void) { return 42; }");
    assert_eq!(
        refusal("openssl", &library),
        format!(
            "PATH-GIVEN has no function OpenSSL_version_num, so it is not the libcrypto of \
             OpenSSL 3.0 or later: {CURE}"
        )
    );
}

#[test]
fn a_file_that_is_no_library_is_refused_in_the_loaders_words() {
    let folder = folder();
    let file = folder.path().join("notes.txt");
    std::fs::write(&file, "not a library\n".repeat(100)).expect("the folder is ours");
    let sentence = refusal("openssl", &file);
    assert!(sentence.starts_with("libcrypto cannot be loaded (PATH-GIVEN: "), "{sentence}");
    assert!(sentence.ends_with(&format!("): {CURE}")), "{sentence}");
}

#[test]
fn a_library_for_another_word_size_is_refused_in_the_loaders_words() {
    let folder = folder();
    let library = shared_object(&folder, "int answer(void) { return 42; }");
    let mut bytes = std::fs::read(&library).expect("it was built");
    // The class byte of the ELF header: 1 for 32 bits, 2 for 64.
    bytes[4] = 3 - bytes[4];
    std::fs::write(&library, bytes).expect("the folder is ours");
    let sentence = refusal("openssl", &library);
    assert!(sentence.starts_with("libcrypto cannot be loaded (PATH-GIVEN: "), "{sentence}");
    assert!(sentence.contains("ELF class"), "{sentence}");
}

#[test]
fn a_path_with_nothing_there_is_named() {
    let folder = folder();
    assert_eq!(
        refusal("openssl", &folder.path().join("libcrypto.so.3")),
        "PATH-GIVEN cannot be opened (No such file or directory (os error 2)): name OpenSSL's \
         libcrypto with --library openssl=PATH"
    );
}

#[test]
fn what_is_compiled_in_cannot_be_replaced() {
    let sentence = refusal("rustcrypto", Path::new("/lib/librustcrypto.so"));
    assert_eq!(
        sentence,
        "rustcrypto is compiled into the engine and cannot be read from PATH-GIVEN: leave out \
         --library rustcrypto=PATH"
    );
}
