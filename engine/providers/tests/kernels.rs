//! Shared objects that follow `kernel.h`, compiled here from C: what they become, and the sentences
//! that refuse them.

use std::path::{Path, PathBuf};
use std::process::Command;

use ciphermark_algorithms::vectors;
use ciphermark_providers::api::*;
use ciphermark_registry as registry;
use tempfile::TempDir;

/// The example of `docs/kernels.md`.
const DOCUMENTATION: &str = include_str!("../../../docs/kernels.md");

/// A table of rows, `ROWS`, over two functions. They write every byte of the output: the key's
/// first, and one that the row's `parameters` begin with, added to the input where there is one.
const FRAME: &str = r#"
#include "kernel.h"
static int set_key(const struct ciphermark_function *self, void *context, const uint8_t *key,
                   size_t key_bytes)
{
    (void)self, (void)key_bytes;
    *(uint8_t *)context = key[0];
    return CIPHERMARK_DONE;
}
static int process(const struct ciphermark_function *self, void *context,
                   const struct ciphermark_message *m)
{
    for (size_t i = 0; i < m->output_bytes; i++) {
        m->output[i] = (i < m->input_bytes ? m->input[i] : 0) + *(uint8_t *)context;
        m->output[i] += *(const char *)self->parameters;
    }
    return CIPHERMARK_DONE;
}
static int process_lanes(const struct ciphermark_function *self, void *const *contexts,
                         const struct ciphermark_message *messages, size_t count)
{
    for (size_t i = 0; i < count; i++)
        process(self, contexts[i], &messages[i]);
    return CIPHERMARK_DONE;
}
#define ROW(name, does, key, tag, ...) \
    {.algorithm = name, .operation = CIPHERMARK_##does, .key_bytes = {key, key}, \
     .tag_bytes = tag, .lanes = 1, .context_bytes = 1, .context_alignment = 1, \
     .set_key = set_key, .process = process, .parameters = "\0", __VA_ARGS__}
static const struct ciphermark_function functions[] = {ROWS};
#ifndef FORM
#define FORM CIPHERMARK_ABI
#endif
const struct ciphermark_library *ciphermark_library(void)
{
    static const struct ciphermark_library library = {
        .abi = FORM, .function_bytes = sizeof functions[0], .library_version = "2.1",
        .build = "by\n  hand", .function_count = COUNT, .functions = functions};
    return &library;
}
"#;

/// Two backends of XTEA, whose rows are mixed, and a MAC with lanes.
const GOOD: &str = r#"
#define NAMED(name, byte) .backend = name, .parameters = byte
#define LANES .lanes = 4, .process_lanes = process_lanes
#define ROWS \
    ROW("xtea-ecb", ENCRYPT, 16, 0, NAMED("table", "\1")), \
    ROW("xtea-ecb", ENCRYPT, 16, 0, NAMED("portable", "\2")), \
    ROW("xtea-ecb", DECRYPT, 16, 0, NAMED("portable", "\3")), \
    ROW("siphash-2-4-64", MAC, 16, 8, LANES)
#define COUNT 4
"#;

#[test]
fn backends_are_implementations_of_their_own() {
    let folder = folder();
    let path = kernel(&folder, GOOD);
    let provider = open(&path).unwrap_or_else(|why| panic!("{why}"));
    let library = provider.library();
    let real = path.canonicalize().expect("it is there").display().to_string();
    assert_eq!((library.version, library.build), ("2.1".into(), "by hand".into()));
    assert_eq!(library.location, real);

    use Operation::*;
    let listed = provider.implementations();
    let listed: Vec<_> = listed
        .iter()
        .map(|it| (&*it.algorithm, &*it.backend, it.default, it.backend_evidence, it.most_lanes))
        .zip(listed.iter().map(|it| &it.operations[..]))
        .collect();
    let (reported, unknown) = (BackendEvidence::Reported, BackendEvidence::Unknown);
    let expected: [(_, &[_]); 3] = [
        (("xtea-ecb", "table", true, reported, 1), &[Setup, Encrypt]),
        (("xtea-ecb", "portable", false, reported, 1), &[Setup, Encrypt, Decrypt]),
        (("siphash-2-4-64", "default", true, unknown, 4), &[Setup, Mac, Verify]),
    ];
    assert_eq!(listed, expected);
}

#[test]
fn the_backend_that_is_asked_for_answers() {
    let folder = folder();
    let provider = open(&kernel(&folder, GOOD)).unwrap_or_else(|why| panic!("{why}"));
    let answer = |backend, operation| {
        let request = Request::usual("xtea-ecb", backend, operation);
        let mut function = provider.create(&request)?;
        function.set_key(&[10; 16]).expect("a key of the right length");
        let (message, mut output) = (Message { input: &[100; 8], ..Message::default() }, [0; 8]);
        function.process(&message, &mut output).expect("a block");
        Ok(output[7])
    };
    assert_eq!(answer("table", Operation::Encrypt), Ok(111));
    assert_eq!(answer("portable", Operation::Encrypt), Ok(112));
    assert_eq!(answer("default", Operation::Encrypt), Ok(111));
    assert_eq!(answer("portable", Operation::Decrypt), Ok(113));
    let unsupported = |what: &str| Err(CreateError::Unsupported(what.into()));
    assert_eq!(answer("table", Operation::Decrypt), unsupported("the operation decrypt"));
    assert_eq!(answer("avx9", Operation::Encrypt), unsupported("the backend avx9"));
}

/// A cipher in two forms and a MAC that counts in bits.
const UNUSUAL: &str = r#"
#define ROWS \
    ROW("xtea-ecb", ENCRYPT, 16, 0, .parameters = "\1"), \
    ROW("xtea-ecb", ENCRYPT, 16, 0, .parameters = "\2", .variant = "rounds 6"), \
    ROW("siphash-2-4-64", MAC, 16, 8, .counts_bits = 1)
#define COUNT 3
"#;

#[test]
fn a_variant_is_had_by_its_name_and_is_no_implementation() {
    let folder = folder();
    let provider = open(&kernel(&folder, UNUSUAL)).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(provider.implementations().len(), 2);
    let answer = |variant| {
        let usual = Request::usual("xtea-ecb", "default", Operation::Encrypt);
        let mut function = provider.create(&Request { variant, ..usual })?;
        function.set_key(&[10; 16]).expect("a key of the right length");
        let mut output = [0; 8];
        function.process(&Message::new(&[], &[100; 8]), &mut output).expect("a block");
        Ok(output[7])
    };
    assert_eq!(answer(None), Ok(111));
    assert_eq!(answer(Some("rounds 6")), Ok(112));
    assert_eq!(answer(Some("rounds 7")), Err(CreateError::Unsupported("rounds 7".into())));
}

#[test]
fn only_what_counts_in_bits_is_given_a_part_of_a_byte() {
    let create = |rows, operation| {
        let folder = folder();
        let provider = open(&kernel(&folder, rows)).unwrap_or_else(|why| panic!("{why}"));
        let usual = Request::usual("siphash-2-4-64", "default", operation);
        provider.create(&Request { counts_bits: true, ..usual }).map(|_| ())
    };
    assert_eq!(create(UNUSUAL, Operation::Verify), Ok(()));
    let refused = CreateError::Unsupported("length_bits of a part of a byte".into());
    assert_eq!(create(GOOD, Operation::Mac), Err(refused));
}

#[test]
fn lanes_have_keys_of_their_own() {
    let folder = folder();
    let provider = open(&kernel(&folder, GOOD)).unwrap_or_else(|why| panic!("{why}"));
    let request = |operation| Request::usual("siphash-2-4-64", "default", operation);
    let mut mac = provider.create_lanes(&request(Operation::Mac), 3, 3).expect("it has four");
    let mut verify = provider.create_lanes(&request(Operation::Verify), 3, 3).expect("it has four");
    for lane in 0..3 {
        for lanes in [&mut mac, &mut verify] {
            lanes.set_key(lane, &[lane as u8; 16]).expect("a key of the right length");
        }
    }
    let messages = [b"", &b"\x01\x02"[..], b"\x01\x02\x03"];
    let messages = messages.map(|input| Message { input, ..Message::default() });
    let mut tags = [[0xff; 8]; 3];
    mac.process(&messages, &mut tags.each_mut().map(|tag| &mut tag[..])).expect("its lengths");
    assert_eq!(tags, [[0; 8], [2, 3, 1, 1, 1, 1, 1, 1], [3, 4, 5, 2, 2, 2, 2, 2]]);

    let mut sent = [0, 1, 2].map(|lane| [messages[lane].input, &tags[lane]].concat());
    let mut check = |sent: &[Vec<u8>; 3]| {
        let messages = sent.each_ref().map(|input| Message { input, ..Message::default() });
        verify.process(&messages, &mut [&mut [], &mut [], &mut []])
    };
    assert_eq!(check(&sent), Ok(()));
    sent[1][9] ^= 0x80;
    assert_eq!(check(&sent), Err(CallError::Refused));
}

#[test]
fn two_objects_are_two_providers() {
    let (one, other) = (folder(), folder());
    let provider = |folder, version| {
        let library = FRAME.replace("2.1", version);
        open(&compile(folder, &format!("{GOOD}{library}"))).unwrap_or_else(|why| panic!("{why}"))
    };
    let providers = [provider(&one, "7"), provider(&other, "8")];
    assert_eq!(providers.map(|provider| provider.library().version), ["7", "8"]);
}

#[test]
fn the_example_of_the_documentation_passes_its_vectors() {
    let (_, example) = DOCUMENTATION.split_once("```c\n").expect("it has an example");
    let (example, _) = example.split_once("```").expect("which ends");
    let folder = folder();
    let provider = open(&compile(&folder, example)).unwrap_or_else(|why| panic!("{why}"));
    let [implementation] = &provider.implementations()[..] else { panic!("it has one") };
    let algorithm = &*implementation.algorithm;
    let own = vectors::known().iter().filter(|vector| vector.algorithm == algorithm);
    let mut passed = 0;
    for check in own.flat_map(|vector| vector.checks().into_iter().flatten()) {
        let (backend, operation, nonce_bytes) = ("default", check.operation, None);
        let request = Request { nonce_bytes, ..Request::usual(algorithm, backend, operation) };
        let mut function = provider.create(&request).expect("it has all operations");
        function.set_key(&check.key).expect("a vector's key is one");
        let mut output = vec![0; if operation == Operation::Mac { 8 } else { 0 }];
        let message = Message { input: &check.input, ..Message::default() };
        let called = function.process(&message, &mut output);
        match check.expected.compared(&output) {
            None => assert_eq!(called, Err(CallError::Refused)),
            Some((given, right)) => assert_eq!((called, given), (Ok(()), right)),
        }
        passed += 1;
    }
    assert!(passed > 0, "it has vectors");
}

#[test]
fn without_a_path_there_is_none() {
    let registration = registry::find("kernel").expect("registered");
    assert!(!registration.listed);
    let Err(why) = (registration.open)(None) else { panic!("there is none") };
    assert_eq!(why.0, "name a shared object that follows kernel.h with --kernel PATH");
}

#[test]
fn a_path_with_nothing_there_is_named() {
    assert_eq!(
        refusal(&folder().path().join("mine.so")),
        "PATH-GIVEN cannot be opened (No such file or directory (os error 2)): name a shared \
         object that follows kernel.h with --kernel PATH"
    );
}

#[test]
fn what_is_not_for_this_machine_is_refused() {
    let folder = folder();
    let here = std::env::consts::ARCH;
    let expected = format!(
        "PATH-GIVEN is not a shared object for {here}: build it here with cc -shared -fPIC"
    );
    let notes = folder.path().join("notes.txt");
    std::fs::write(&notes, "no ELF").expect("the folder is ours");
    assert_eq!(refusal(&notes), expected);

    let path = kernel(&folder, GOOD);
    let mut bytes = std::fs::read(&path).expect("it was built");
    // The number of the machine: 0x28 is 32-bit ARM, where no test runs.
    bytes[18] = 0x28;
    std::fs::write(&path, bytes).expect("the folder is ours");
    assert_eq!(refusal(&path), expected);
}

#[test]
fn what_the_loader_refuses_is_said_in_its_words() {
    let folder = folder();
    let source = "int nowhere(void); int answer(void) { return nowhere(); }";
    assert_eq!(
        refusal(&compile(&folder, source)),
        "PATH-GIVEN cannot be loaded (undefined symbol: nowhere): link it as a shared object with \
         all that it calls"
    );
}

#[test]
fn an_object_without_a_table_is_refused() {
    let expected = "PATH-GIVEN lacks the function ciphermark_library that returns a table: write \
                    it as in docs/kernels.md";
    let folder = folder();
    assert_eq!(refusal(&compile(&folder, "int answer(void) { return 42; }")), expected);
    let null = "void *ciphermark_library(void) { return 0; }";
    assert_eq!(refusal(&compile(&folder, null)), expected);
}

#[test]
fn another_form_is_named_with_ours() {
    let folder = folder();
    assert_eq!(
        refusal(&kernel(&folder, &format!("#define FORM 1\n{GOOD}"))),
        "PATH-GIVEN cannot be used: its form is 1 and this engine's is 6: build it again with \
         this kernel.h"
    );
    let longer = FRAME.replace("sizeof functions[0], .lib", "sizeof functions[0] + 8, .lib");
    let sentence = refusal(&compile(&folder, &format!("{GOOD}{longer}")));
    assert!(sentence.starts_with("PATH-GIVEN cannot be used: its rows have "), "{sentence}");
    assert!(sentence.ends_with(": build it again with this kernel.h"), "{sentence}");
}

#[test]
fn rows_that_do_not_fit_are_named() {
    let expected = [
        ("", "has no rows: give its table one for each algorithm and operation"),
        (
            r#"ROW("rot13", ENCRYPT, 16, 0)"#,
            "has a row of the algorithm \"rot13\", which is not known here: `ciphermark list \
             algorithms` says which are",
        ),
        (
            r#"ROW(0, ENCRYPT, 16, 0)"#,
            "has a row of the algorithm \"\", which is not known here: `ciphermark list \
             algorithms` says which are",
        ),
        (
            r#"ROW("xtea", ENCRYPT, 16, 0)"#,
            "has a row of the algorithm xtea, which is called xtea-ecb here",
        ),
        (
            r#"ROW("xtea-ecb", MAC, 16, 0)"#,
            "has a row of xtea-ecb with an operation that xtea-ecb does not have: see kernel.h",
        ),
        (
            r#"ROW("xtea-ecb", ENCRYPT, 8, 0)"#,
            "has a row of xtea-ecb (encrypt) with keys of 8 to 8 bytes, not 16: see \
             algorithms/xtea-ecb.toml",
        ),
        (
            r#"ROW("xtea-ecb", ENCRYPT, 16, 0, .nonce_bytes = {8, 12})"#,
            "has a row of xtea-ecb (encrypt) with nonces of 8 to 12 bytes, not 0: see \
             algorithms/xtea-ecb.toml",
        ),
        (
            r#"ROW("siphash-2-4-64", MAC, 16, 16)"#,
            "has a row of siphash-2-4-64 (mac) with a tag of 16 bytes, not 8: see \
             algorithms/siphash-2-4-64.toml",
        ),
        (
            r#"ROW("xtea-ecb", ENCRYPT, 16, 0, .process = 0)"#,
            "has a row of xtea-ecb (encrypt) with no process: see kernel.h",
        ),
        (
            r#"ROW("xtea-ecb", ENCRYPT, 16, 0, .set_key = 0)"#,
            "has a row of xtea-ecb (encrypt) with keys and no set_key: see kernel.h",
        ),
        (
            r#"ROW("xtea-ecb", ENCRYPT, 16, 0, .context_alignment = 12)"#,
            "has a row of xtea-ecb (encrypt) with an alignment that is no power of two: see \
             kernel.h",
        ),
        (
            r#"ROW("xtea-ecb", ENCRYPT, 16, 0, .lanes = 0, .process_lanes = process_lanes)"#,
            "has a row of xtea-ecb (encrypt) with process_lanes and no lanes: see kernel.h",
        ),
        (
            r#"ROW("xtea-ecb", ENCRYPT, 16, 0), ROW("siphash-2-4-64", MAC, 16, 8),
               ROW("xtea-ecb", DECRYPT, 16, 0)"#,
            "has rows of xtea-ecb in two places: put them together",
        ),
        (
            r#"ROW("xtea-ecb", ENCRYPT, 16, 0), ROW("xtea-ecb", ENCRYPT, 16, 0, .backend = "b")"#,
            "has several backends of xtea-ecb, one without a name: name it",
        ),
    ];
    for (rows, why) in expected {
        let folder = folder();
        let count = rows.matches("ROW(").count();
        let rows = rows.replace('\n', " ");
        let path = match count {
            // C has no arrays without elements.
            0 => kernel(&folder, "#define ROWS {.lanes = 1}\n#define COUNT 0\n"),
            _ => kernel(&folder, &format!("#define ROWS {rows}\n#define COUNT {count}\n")),
        };
        assert_eq!(refusal(&path), format!("PATH-GIVEN {why}"));
    }
}

fn open(path: &Path) -> Opened {
    (registry::find("kernel").expect("registered").open)(Some(path))
}

fn refusal(path: &Path) -> String {
    let Err(sentence) = open(path) else { panic!("it was accepted") };
    sentence.to_string().replace(&path.display().to_string(), "PATH-GIVEN")
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("there is room for temporary files")
}

/// Builds a kernel with the rows that the definitions name.
fn kernel(folder: &TempDir, definitions: &str) -> PathBuf {
    compile(folder, &format!("{definitions}{FRAME}"))
}

/// Builds a shared object from C as the documentation says.
fn compile(folder: &TempDir, source: &str) -> PathBuf {
    let [text, object] = ["mine.c", "mine.so"].map(|name| folder.path().join(name));
    std::fs::write(&text, source).expect("the folder is ours");
    let include = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/include");
    let mut cc = Command::new("cc");
    cc.args(["-O2", "-w", "-shared", "-fPIC", "-I", include, "-o"]).arg(&object).arg(&text);
    assert!(cc.status().expect("cc, which also links Rust, is here").success());
    object
}
