use std::collections::BTreeSet;

use ciphermark_record::description::Kind;
use proptest::prelude::*;

use super::file::{Hex, Message};
use super::*;
use crate::facts::algorithms;

/// The only vector of a file with that stem and those fields beside `id`.
fn vector(stem: &str, fields: &str) -> Result<Vector, String> {
    let text = format!(r#"{{"vectors": [{{"id": "v", {fields}}}]}}"#);
    read(stem, &text).map(|vectors| vectors.into_iter().next().expect("one vector"))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A folder that is removed again.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let folder = Self(std::env::temp_dir().join(format!("{name}-{}", std::process::id())));
        fs::create_dir_all(&folder.0).unwrap();
        for (file, text) in files {
            fs::write(folder.0.join(file), text).unwrap();
        }
        folder
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn every_algorithm_has_vectors_that_can_be_run() {
    let vectors = embedded();
    for algorithm in algorithms().iter().filter(|algorithm| algorithm.name != "empty") {
        let mut own = vectors.iter().filter(|vector| vector.algorithm == algorithm.name);
        assert!(own.any(|vector| vector.checks().is_ok()), "{}", algorithm.name);
    }
}

#[test]
fn embedded_vectors_fit_the_facts() {
    for vector in embedded() {
        let Some(algorithm) = find(&vector.algorithm) else { continue };
        let checks = vector.checks().unwrap_or_else(|parameter| {
            panic!("{}/{}: {parameter} is not supported", vector.file, vector.id)
        });
        for check in checks {
            let operations = algorithm.kind.operations();
            assert!(operations.contains(&check.operation), "{}/{}", vector.file, vector.id);
            // HMAC takes keys of any length.
            if algorithm.kind != Kind::Mac {
                assert_eq!(check.key.len(), algorithm.key_bytes as usize, "{}", vector.id);
            }
        }
    }
}

#[test]
fn identifiers_are_unique() {
    let mut seen = BTreeSet::new();
    for vector in embedded() {
        assert!(seen.insert((vector.file.clone(), vector.id.clone())), "{vector:?}");
    }
}

#[test]
fn names_follow_the_stem_and_the_fields() {
    let block = r#""plaintext": "00", "ciphertext": "00""#;
    let mac = r#""message": "", "tag": "00""#;
    for (stem, fields, name) in [
        ("serpent", format!(r#""key": "{}", {block}"#, "00".repeat(24)), "serpent-192-ecb"),
        ("tea", format!(r#""key": "00", {block}"#), "tea-ecb"),
        ("rc5", format!(r#""key": "0000", "rounds": 8, {block}"#), "rc5-32-8-2-ecb"),
        ("rc5", format!(r#""key": "00", "rounds": 12, "mode": "CBC", {block}"#), "rc5-32-12-1-cbc"),
        ("rc6", format!(r#""key": "{}", {block}"#, "00".repeat(32)), "rc6-32-20-32-ecb"),
        ("aes-ctr", format!(r#""key": "{}", {block}"#, "00".repeat(16)), "aes-128-ctr"),
        ("rc4", r#""key": "0000000000", "output": "00""#.into(), "rc4-40"),
        ("hmac", format!(r#""key": "", "hash": "sha384", {mac}"#), "hmac-sha384"),
        (
            "cmac",
            format!(r#""key": "{}", "block_cipher": "RC6", {mac}"#, "00".repeat(16)),
            "cmac-rc6-128",
        ),
        ("umac-rfc4418", format!(r#""key": "", "tag_bits": 96, {mac}"#), "umac-96"),
        (
            "umac2000-32",
            format!(r#""key": "", "word_len": 4, "output_len": 12, {mac}"#),
            "umac2000-4-12",
        ),
        ("snow3g-uea2", format!(r#""key": "", {block}"#), "uea2"),
    ] {
        assert_eq!(vector(stem, &fields).unwrap().algorithm, name);
    }
}

#[test]
fn an_aead_is_sealed_opened_and_forged() {
    let key = "00".repeat(16);
    let tag = "0f".repeat(16);
    let fields = format!(
        r#""key": "{key}", "nonce": "0102", "aad": "03", "plaintext": "04", "ciphertext": "05",
           "tag": "{tag}""#
    );
    let checks = vector("aes-gcm", &fields).unwrap().checks().unwrap();
    let sealed = [vec![5], vec![0x0f; 16]].concat();
    let forged = [vec![5], vec![0x0f; 15], vec![0x0e]].concat();
    let calls: Vec<_> = checks
        .into_iter()
        .map(|check| {
            assert_eq!((check.key, check.nonce, check.aad), (vec![0; 16], vec![1, 2], vec![3]));
            (check.operation, check.input, check.expected)
        })
        .collect();
    let expected = [
        (Operation::Seal, vec![4], Expected::Answer(sealed.clone())),
        (Operation::Open, sealed, Expected::Answer(vec![4])),
        (Operation::Open, forged, Expected::Refusal),
    ];
    assert_eq!(calls, expected);
}

#[test]
fn a_cipher_is_checked_both_ways() {
    let fields = r#""key": "00", "iv": "01", "plaintext": "02", "ciphertext": "03""#;
    let checks = vector("aes-cbc", fields).unwrap().checks().unwrap();
    let [encrypt, decrypt] = &checks[..] else { panic!("{checks:?}") };
    assert_eq!((encrypt.operation, &encrypt.nonce), (Operation::Encrypt, &vec![1]));
    assert_eq!((&encrypt.input, &encrypt.expected), (&vec![2], &Expected::Answer(vec![3])));
    assert_eq!((decrypt.operation, &decrypt.nonce), (Operation::Decrypt, &vec![1]));
    assert_eq!((&decrypt.input, &decrypt.expected), (&vec![3], &Expected::Answer(vec![2])));
}

#[test]
fn only_a_whole_tag_is_verified() {
    let operations = |tag_bytes: usize| -> Vec<_> {
        let tag = "00".repeat(tag_bytes);
        let fields = format!(r#""key": "", "hash": "sha1", "message": "ff", "tag": "{tag}""#);
        let checks = vector("hmac", &fields).unwrap().checks().unwrap();
        checks.into_iter().map(|check| (check.operation, check.input.len())).collect()
    };
    assert_eq!(operations(12), [(Operation::Mac, 1)]);
    let verify = (Operation::Verify, 21);
    assert_eq!(operations(20), [(Operation::Mac, 1), verify, verify]);
}

#[test]
fn a_length_that_the_answer_does_not_have_is_unsupported() {
    let aead = r#""key": "", "nonce": "", "plaintext": "", "ciphertext": "", "tag": "00""#;
    let unsupported = vector("chacha20-poly1305", aead).unwrap().checks();
    assert_eq!(unsupported, Err("tag of 1 bytes".into()));
    let hash = vector("sha256", r#""message": "", "output": "00""#).unwrap().checks();
    assert_eq!(hash, Err("output of 1 bytes".into()));
}

#[test]
fn parameters_that_no_call_carries_are_named() {
    for (stem, fields, parameters) in [
        (
            "zuc-eea3",
            r#""key": "", "count": 1, "bearer": 2, "direction": 0, "length_bits": 3"#,
            "bearer, count, direction, length_bits",
        ),
        ("treyfer", r#""key": "", "sbox": "identity", "rounds": 32"#, "rounds, sbox"),
        (
            "seal3",
            r#""key": "", "output_sha256": "00", "length_bytes": 1"#,
            "length_bytes, output_sha256",
        ),
        ("rc4", r#""key": "", "offset_bytes": 0"#, "offset_bytes"),
        ("md5", r#""message": "", "output": "00", "personal": "x""#, "personal"),
    ] {
        assert_eq!(vector(stem, fields).unwrap().checks(), Err(parameters.into()), "{stem}");
    }
}

#[test]
fn a_wrong_vector_is_named() {
    for (stem, fields, problem) in [
        ("hmac", r#""key": "", "message": "", "tag": "00""#, "vector v: it has no `hash`"),
        (
            "hmac",
            r#""key": "", "hash": [], "message": "", "tag": "00""#,
            "vector v: its `hash` is [], not a number or a name",
        ),
        ("md5", r#""output": "00""#, "vector v: it has no `message`"),
        ("md5", r#""message": "", "output": """#, "vector v: its `output` is empty"),
        (
            "tea",
            r#""key": "", "plaintext": "0000", "ciphertext": "00""#,
            "vector v: its plaintext has 2 bytes and its ciphertext 1",
        ),
        (
            "md5",
            r#""message": {"repeat": "00", "count": 1073741824, "tail": "00"}, "output": "00""#,
            "vector v: its message of 1073741825 bytes is longer than 1 GiB",
        ),
    ] {
        assert_eq!(vector(stem, fields).unwrap_err(), problem);
    }
}

#[test]
fn a_wrong_field_is_described() {
    for (fields, problem) in [
        (r#""message": "", "output": "0""#, "`0` is not pairs of hexadecimal digits"),
        (r#""message": "", "output": "0g""#, "`0g` is not pairs of hexadecimal digits"),
        (r#""message": "", "output": "é""#, "`é` is not pairs of hexadecimal digits"),
        (r#""message": 5, "output": "00""#, "expected a message in hexadecimal or as repeat"),
    ] {
        let sentence = vector("md5", fields).unwrap_err();
        assert!(sentence.starts_with("not a vector file: "), "{sentence}");
        assert!(sentence.contains(problem), "{sentence}");
    }
}

#[test]
fn a_folder_is_read_in_the_order_of_its_names() {
    let vector =
        |id: &str| format!(r#"{{"vectors": [{{"id": "{id}", "message": "", "output": "00"}}]}}"#);
    let files = [
        ("sha1.json", &vector("b")[..]),
        ("md5.json", &vector("a")),
        ("README.md", "what these are"),
    ];
    let folder = Folder::new("ciphermark-vectors-read", &files);
    let read = read_dir(&folder.0).unwrap();
    let names: Vec<_> = read.iter().map(|v| (&v.algorithm[..], &v.file[..], &v.id[..])).collect();
    assert_eq!(names, [("md5", "md5.json", "a"), ("sha1", "sha1.json", "b")]);
}

#[test]
fn a_wrong_folder_is_named() {
    for (name, files, problem) in [
        ("no-vectors", &[("notes.txt", "")][..], "has no vector files (*.json)"),
        ("unknown-stem", &[("enigma.json", "{}")], "enigma.json: no vectors are known by the name"),
        ("not-json", &[("md5.json", "{")], "md5.json: not a vector file: EOF"),
        ("not-vectors", &[("md5.json", "{}")], "md5.json: not a vector file: missing field"),
    ] {
        let folder = Folder::new(&format!("ciphermark-{name}"), files);
        let sentence = read_dir(&folder.0).unwrap_err();
        assert!(sentence.starts_with(&folder.0.display().to_string()), "{sentence}");
        assert!(sentence.contains(problem), "{sentence}");
    }
    let absent = Path::new("/nonexistent/vectors");
    let sentence = read_dir(absent).unwrap_err();
    assert!(sentence.starts_with("cannot read the folder /nonexistent/vectors: "), "{sentence}");
}

proptest! {
    #[test]
    fn hexadecimal_is_read_in_both_cases(bytes: Vec<u8>) {
        let lower = hex(&bytes);
        prop_assert_eq!(Hex::try_from(lower.to_uppercase()).unwrap().0, bytes.clone());
        prop_assert_eq!(Hex::try_from(lower).unwrap().0, bytes);
    }

    #[test]
    fn text_that_is_not_hexadecimal_is_refused(text in ".*[^0-9a-fA-F].*") {
        prop_assert!(Hex::try_from(text).is_err());
    }

    #[test]
    fn a_repeated_message_is_written_out(repeat: Vec<u8>, count in 0..50_usize, tail: Vec<u8>) {
        let written = Message::Repeated {
            repeat: Hex(repeat.clone()), count, tail: Hex(tail.clone()),
        };
        let parts = std::iter::repeat_n(repeat, count).chain([tail]);
        prop_assert_eq!(written.bytes(), parts.flatten().collect::<Vec<_>>());
    }
}
