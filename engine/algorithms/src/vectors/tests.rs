use std::collections::BTreeSet;

use ciphermark_record::description::Kind;
use ciphermark_record::question::Question;
use proptest::prelude::*;

use super::asked::hex;
use super::file::{Hex, Message};
use super::*;
use crate::facts::algorithms;

/// The only vector of a file with that stem and those fields beside `id`.
fn vector(stem: &str, fields: &str) -> Result<Vector, String> {
    let text = format!(r#"{{"vectors": [{{"id": "v", {fields}}}]}}"#);
    read(stem, &text).map(|vectors| vectors.into_iter().next().expect("one vector"))
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
    // Suites have their vectors beside the code that frames packets, and the parts theirs here.
    let needs_vectors = |it: &&crate::Algorithm| it.name != "empty" && it.suite.is_none();
    for algorithm in algorithms().iter().filter(needs_vectors) {
        let mut own = known().iter().filter(|vector| vector.algorithm == algorithm.name);
        assert!(own.any(|vector| vector.checks().is_ok()), "{}", algorithm.name);
    }
}

#[test]
fn embedded_vectors_fit_the_facts() {
    for vector in known() {
        let Some(algorithm) = find(&vector.algorithm) else { continue };
        for check in vector.checks().into_iter().flatten() {
            let place = format!("{}/{}", vector.file, vector.id);
            assert!(algorithm.kind.operations().contains(&check.operation), "{place}");
            // HMAC, KMAC and keyed BLAKE2 take keys of any length.
            if algorithm.kind != Kind::Mac {
                assert_eq!(check.key.len(), algorithm.key_bytes as usize, "{place}");
            }
            if !algorithm.nonce_fields.is_empty() {
                assert_eq!(check.nonce.len(), algorithm.nonce_bytes as usize, "{place}");
            }
        }
    }
}

/// All that no call can carry or that is of another function, so that nothing else is lost unseen.
#[test]
fn few_embedded_vectors_are_unusual() {
    let mut unusual = BTreeSet::new();
    for vector in known() {
        let parameters = vector.checks().err().or(vector.variant().map(str::to_owned));
        unusual.extend(parameters.map(|parameters| format!("{}: {parameters}", vector.file)));
    }
    let expected = [
        "treyfer.json: sbox identity",
        "treyfer.json: sbox primes-mod-256",
        "umac2000-16.json: block_cipher RC6-32/20/16",
        "umac2000-32.json: flavour reference-code",
    ];
    assert_eq!(unusual, BTreeSet::from(expected.map(String::from)));
}

#[test]
fn identifiers_are_unique() {
    let mut seen = BTreeSet::new();
    for vector in known() {
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
        (
            "umac2000-rc6",
            format!(r#""key": "", "word_len": 2, "output_len": 16, {mac}"#),
            "umac2000-2-16-rc6",
        ),
        (
            "snow3g-uea2",
            format!(r#""key": "", "count": 1, "bearer": 2, "direction": 0, {block}"#),
            "uea2",
        ),
        ("hmac-more", format!(r#""key": "", "hash": "sha3-256", {mac}"#), "hmac-sha3-256"),
        ("siphash-2-4", format!(r#""key": "", "tag_bits": 128, {mac}"#), "siphash-2-4-128"),
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
fn a_forgery_is_a_question_whose_answer_is_a_refusal() {
    let key = "00".repeat(16);
    let fields = format!(
        r#""key": "{key}", "nonce": "0102", "aad": "03", "plaintext": "04", "ciphertext": "05",
           "tag": "{}""#,
        "0f".repeat(16)
    );
    let questions = vector("aes-gcm", &fields).unwrap().questions();
    let [sealed, opened, forged] = &questions[..] else { panic!("{questions:?}") };
    assert_eq!(
        (sealed.vector.as_str(), sealed.algorithm.as_str()),
        ("aes-gcm.json v", "aes-128-gcm")
    );
    assert_eq!((sealed.key.as_str(), sealed.input.as_deref()), (key.as_str(), Some("04")));
    let answer = |question: &Question| question.answer.clone().expect("it is known");
    assert_eq!(answer(sealed).bytes, format!("05{}", "0f".repeat(16)));
    assert_eq!((answer(opened).bytes.as_str(), answer(opened).bits), ("04", 8));
    assert!(answer(forged).is_refused && answer(forged).bytes.is_empty());
}

#[test]
fn a_question_carries_neither_long_inputs_nor_the_answers_of_digests() {
    let mac = r#""key": "", "hash": "sha1", "tag": "0a0b""#;
    let long = format!(r#"{mac}, "message": {{"repeat": "61", "count": 2000000}}"#);
    let [question] = &vector("hmac", &long).unwrap().questions()[..] else { panic!("one call") };
    assert_eq!((question.operation, question.input.as_deref()), (Operation::Mac, None));
    let stream =
        format!(r#""key": "00", "length_bytes": 3, "output_sha256": "{}""#, "00".repeat(32));
    let [question] = &vector("rc4", &stream).unwrap().questions()[..] else { panic!("one call") };
    assert_eq!(question.answer, None);
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
        ("zuc-eea3", r#""key": "", "count": 1, "bearer": 2, "direction": 0, "fresh": 3"#, "fresh"),
        ("rc4", r#""key": "", "byte_order": "big", "iterations": 2"#, "byte_order, iterations"),
        ("md5", r#""message": "", "output": "00", "personal": "x""#, "personal"),
        (
            "snow3g-uia2",
            r#""key": "", "count": 1, "bearer": 2, "fresh": 3, "direction": 0"#,
            "bearer",
        ),
    ] {
        assert_eq!(vector(stem, fields).unwrap().checks(), Err(parameters.into()), "{stem}");
    }
}

#[test]
fn parameters_of_another_function_make_a_variant() {
    let block = r#""key": "", "plaintext": "00", "ciphertext": "00""#;
    let umac = r#""key": "", "word_len": 4, "output_len": 8, "message": "", "tag": "00""#;
    let output = r#""key": "", "iv": "", "output": "00""#;
    for (stem, fields, variant) in [
        ("treyfer", format!(r#"{block}, "sbox": "aes-sbox", "rounds": 32"#), None),
        ("treyfer", format!(r#"{block}, "sbox": "identity""#), Some("sbox identity")),
        ("treyfer", format!(r#"{block}, "rounds": 31"#), Some("rounds 31")),
        ("seal3", format!(r#"{output}, "byte_order": "middle""#), Some("byte_order middle")),
        ("seal3", format!(r#"{output}, "byte_order": ["big"]"#), Some(r#"byte_order ["big"]"#)),
        (
            "umac2000-32",
            format!(r#"{umac}, "flavour": "reference-code", "l1_key_len": 512"#),
            Some("flavour reference-code, l1_key_len 512"),
        ),
    ] {
        let vector = vector(stem, &fields).unwrap();
        assert_eq!(vector.variant(), variant, "{fields}");
        assert!(vector.checks().is_ok(), "{fields}");
    }
}

#[test]
fn a_mac_of_bits_is_told_which_do_not_count() {
    let unused = |length_bits: u64| -> Vec<_> {
        let fields = format!(
            r#""key": "", "count": 1, "bearer": 2, "direction": 0, "message": "abc0",
            "tag": "01020304", "length_bits": {length_bits}"#
        );
        let checks = vector("zuc-eia3", &fields).unwrap().checks().unwrap();
        checks.into_iter().map(|check| check.unused_bits).collect()
    };
    assert_eq!(unused(9), [7, 7, 7]);
    assert_eq!(unused(15), [1, 1, 1]);
    assert_eq!(unused(16), [0, 0, 0]);
}

#[test]
fn the_numbers_of_3gpp_become_a_nonce() {
    let nonce = |stem: &str, fields: &str| {
        let fields = format!(r#""key": "", "message": "", "tag": "00", {fields}"#);
        vector(stem, &fields).unwrap().checks().unwrap()[0].nonce.clone()
    };
    let bearer = r#""count": 4294967295, "bearer": 31, "direction": 1"#;
    assert_eq!(nonce("aes-eia2", bearer), [255, 255, 255, 255, 31, 1]);
    // 128-EIA1 has the bearer as FRESH.
    let both = r#""count": 1, "fresh": 4026531840, "bearer": 30, "direction": 0"#;
    assert_eq!(nonce("snow3g-uia2", both), [0, 0, 0, 1, 0xf0, 0, 0, 0, 0]);
}

#[test]
fn a_cipher_of_bits_is_compared_in_its_bits() {
    let fields = r#""key": "", "count": 1, "bearer": 2, "direction": 0,
        "plaintext": "abc0", "ciphertext": "1240""#;
    let expected = |length_bits: u64| -> Vec<_> {
        let fields = format!(r#"{fields}, "length_bits": {length_bits}"#);
        let checks = vector("kasumi-f8-uea1", &fields).unwrap().checks().unwrap();
        checks.into_iter().map(|check| check.expected).collect()
    };
    let bits = |bytes: [u8; 2]| Expected::Bits { count: 10, bytes: bytes.to_vec() };
    assert_eq!(expected(10), [bits([0x12, 0x40]), bits([0xab, 0xc0])]);
    let whole = |bytes: [u8; 2]| Expected::Answer(bytes.to_vec());
    assert_eq!(expected(16), [whole([0x12, 0x40]), whole([0xab, 0xc0])]);
}

#[test]
fn a_keystream_is_compared_where_it_is_printed() {
    let expected = |fields: &str| {
        let fields = format!(r#""key": "", "iv": "00000000", {fields}"#);
        vector("seal3", &fields).unwrap().checks().unwrap().remove(0).expected
    };
    let part = |offset_bytes| Expected::Part { offset_bytes, bytes: vec![1, 2, 3, 4] };
    assert_eq!(expected(r#""output": "01020304""#), part(0));
    assert_eq!(expected(r#""output": "01020304", "offset_bytes": 8"#), part(8));
    assert_eq!(expected(r#""output": "04030201", "byte_order": "little""#), part(0));
    let digest = Expected::Sha256 { output_bytes: 4096, digest: vec![0xab] };
    assert_eq!(expected(r#""output_sha256": "ab", "length_bytes": 4096"#), digest);
}

#[test]
fn a_block_may_be_encrypted_again_and_again() {
    let fields = r#""key": "", "plaintext": "00", "ciphertext": "01", "iterations": 50"#;
    let checks = vector("kasumi", fields).unwrap().checks().unwrap();
    assert!(checks.iter().all(|check| check.iterations == 50));
    let once = vector("kasumi", r#""key": "", "plaintext": "00", "ciphertext": "01""#);
    assert!(once.unwrap().checks().unwrap().iter().all(|check| check.iterations == 1));
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
        (
            "kasumi",
            r#""key": "", "plaintext": "00", "ciphertext": "00", "iterations": 0"#,
            "vector v: its `iterations` are 0, not 1 to 1000000",
        ),
        (
            "zuc-eea3",
            r#""key": "", "count": 1, "bearer": 32, "direction": 0"#,
            "vector v: its `bearer` is 32, which has more than 5 bits",
        ),
        (
            "zuc-eea3",
            r#""key": "", "count": 1, "bearer": 1, "direction": 0, "length_bits": 9,
               "plaintext": "00", "ciphertext": "00""#,
            "vector v: its `length_bits` are 9 and its text has 1 bytes",
        ),
        (
            "rc4",
            r#""key": "", "output": "00", "offset_bytes": -1"#,
            "vector v: its `offset_bytes` is -1, not a whole number",
        ),
        (
            "rc4",
            r#""key": "", "output": "00", "offset_bytes": 1073741825"#,
            "vector v: its `offset_bytes` are 1073741825, more than 1 GiB",
        ),
        (
            "seal3",
            r#""key": "", "output_sha256": "00""#,
            "vector v: it has one of `output_sha256` and `length_bytes` and not the other",
        ),
        (
            "seal3",
            r#""key": "", "output_sha256": 7, "length_bytes": 1"#,
            "vector v: its `output_sha256` is 7, not bytes",
        ),
        (
            "seal3",
            r#""key": "", "output": "000000", "byte_order": "little""#,
            "vector v: its `byte_order` is little and its `output` is not whole words",
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
