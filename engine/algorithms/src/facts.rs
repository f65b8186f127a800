//! What `algorithms/<name>.toml` and `suites/<protocol>.toml` say of each algorithm.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::OnceLock;

use ciphermark_record::description::{Algorithm, Kind};

use crate::embedded::{FACTS, SUITES};
use crate::suites::suites;
use crate::{extensions, nonce};

/// All algorithms and all suites that are made of them, those of the user's own among them, sorted by name.
pub fn algorithms() -> &'static [Algorithm] {
    static ALGORITHMS: OnceLock<Vec<Algorithm>> = OnceLock::new();
    ALGORITHMS.get_or_init(|| {
        let own = own().as_deref().unwrap_or_default();
        let mut all = [embedded(), own].concat();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    })
}

/// Checks the user's own algorithms. The error is a sentence that names the file and the fault.
pub(crate) fn check_extensions() -> Result<(), String> {
    let own = own().as_ref().map_err(String::clone)?;
    let of_this_program = if own.is_empty() { &[] } else { embedded() };
    let mut known: BTreeSet<&String> = of_this_program.iter().flat_map(names).collect();
    for algorithm in own {
        for name in names(algorithm) {
            if !known.insert(name) {
                return Err(format!(
                    "algorithms/{}.toml of the extensions has the name {name}, which another algorithm has: \
                     choose another",
                    algorithm.name
                ));
            }
        }
    }
    Ok(())
}

fn names(algorithm: &Algorithm) -> impl Iterator<Item = &String> {
    algorithm.aliases.iter().chain([&algorithm.name])
}

/// Returns the algorithms of the user's own, or the fault of their files.
fn own() -> &'static Result<Vec<Algorithm>, String> {
    static OWN: OnceLock<Result<Vec<Algorithm>, String>> = OnceLock::new();
    let within = |path: &Path, problem| format!("{}: {problem}", path.display());
    OWN.get_or_init(|| {
        let files = extensions::fact_files()?.into_iter();
        files.map(|it| read(&it.stem, &it.text).map_err(|why| within(&it.path, why))).collect()
    })
}

/// Returns the algorithms that are part of this program.
fn embedded() -> &'static [Algorithm] {
    static EMBEDDED: OnceLock<Vec<Algorithm>> = OnceLock::new();
    EMBEDDED.get_or_init(|| {
        let plain: Vec<_> = FACTS.iter().map(|(stem, text)| parse(stem, text)).collect();
        let composed = SUITES.iter().flat_map(|(stem, text)| suites(stem, text, &plain));
        let mut all: Vec<_> = composed.chain(plain.iter().cloned()).collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    })
}

/// The algorithm of that canonical name or alias.
pub fn find(name: &str) -> Option<&'static Algorithm> {
    algorithms()
        .iter()
        .find(|algorithm| algorithm.name == name || algorithm.aliases.iter().any(|a| a == name))
}

/// Panics when the file is wrong: it is part of this program, and its tests read every one.
fn parse(stem: &str, text: &str) -> Algorithm {
    read(stem, text).unwrap_or_else(|problem| panic!("algorithms/{stem}.toml: {problem}"))
}

/// Reads the facts of an algorithm from the text of `algorithms/<stem>.toml`.
pub(crate) fn read(stem: &str, text: &str) -> Result<Algorithm, String> {
    let algorithm: Algorithm = toml::from_str(text).map_err(|error| first_line(&error))?;
    if algorithm.name != stem {
        return Err("the name must be the file's stem".into());
    }
    check_keys(&algorithm, text)?;
    check(&algorithm)?;
    Ok(algorithm)
}

/// The words of an error without the lines of the file that TOML's parser shows.
fn first_line(error: &toml::de::Error) -> String {
    error.message().lines().next().unwrap_or_default().into()
}

/// Refuses a key that is no field, which serde passes over, and a field that is missing and has a default;
/// only empty lists may be left out.
fn check_keys(algorithm: &Algorithm, text: &str) -> Result<(), String> {
    let written: toml::Table = toml::from_str(text).map_err(|error| first_line(&error))?;
    let fields = toml::Table::try_from(algorithm).map_err(|error| error.to_string())?;
    let empty = |value: &toml::Value| value.as_array().is_some_and(|list| list.is_empty());
    let keys = |table: &toml::Table| -> BTreeSet<String> {
        table.iter().filter(|it| !empty(it.1)).map(|it| it.0.clone()).collect()
    };
    let (written, fields) = (keys(&written), keys(&fields));
    let differing: Vec<_> = written.symmetric_difference(&fields).cloned().collect();
    match (differing.is_empty(), written.is_superset(&fields)) {
        (true, _) => Ok(()),
        (false, true) => Err(format!("no such fields: {}", differing.join(", "))),
        (false, false) => {
            Err(format!("fields that are missing or unknown: {}", differing.join(", ")))
        }
    }
}

/// Refuses sizes that do not fit the kind, and a strength above that of a generic attack.
fn check(algorithm: &Algorithm) -> Result<(), String> {
    let Algorithm { kind, key_bytes, nonce_bytes, tag_bytes, nonce_fields, .. } = algorithm;
    if algorithm.sources.is_empty() || algorithm.sources.iter().any(String::is_empty) {
        return Err("it names no sources".into());
    }
    let bytes: usize = nonce_fields.iter().map(|field| nonce::bytes(field.bits)).sum();
    let is_whole = nonce_fields.is_empty() || bytes == *nonce_bytes as usize;
    if !is_whole || !nonce_fields.iter().all(|it| (1..=64).contains(&it.bits)) {
        return Err("its nonce_fields do not fill the nonce".into());
    }
    let block = u64::from(algorithm.block_bytes);
    if block == 0 || !algorithm.min_message_bytes.is_multiple_of(block) {
        return Err("its shortest message is no whole number of blocks".into());
    }
    if algorithm.min_message_bytes >= algorithm.max_message_bytes.unwrap_or(u64::MAX) {
        return Err("its shortest message is no shorter than its longest".into());
    }
    if algorithm.name == "empty" {
        return Ok(()); // the harness's own function, which protects nothing
    }
    let has = (*key_bytes > 0, *nonce_bytes > 0, *tag_bytes > 0);
    let fits = match kind {
        Kind::Aead => has == (true, true, true),
        Kind::Hash => has == (false, false, true),
        // One block of a cipher takes no IV, and some MACs and streams take a nonce.
        Kind::Cipher | Kind::Stream => has.0 && !has.2,
        Kind::Mac => has.0 && has.2,
        // Of a suite the nonce is the packet's number, and the tag belongs to its framing.
        Kind::Suite => has == (true, true, false),
    };
    if !fits {
        return Err("its key_bytes, nonce_bytes and tag_bytes do not fit its kind".into());
    }
    // A search for the key, a guess of the tag, or a search for a collision.
    let bound = match algorithm.strength_kind.as_str() {
        "key-recovery" => 8 * u64::from(*key_bytes),
        "collision" => 8 * u64::from(*tag_bytes) / 2,
        "forgery" => 8 * u64::from(*tag_bytes),
        other => return Err(format!("its strength_kind {other} is unknown")),
    };
    match (1..=bound).contains(&u64::from(algorithm.strength_bits)) {
        true => Ok(()),
        false => Err(format!("its strength_bits are not between 1 and {bound}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The harness's own function protects nothing, so it has neither tag nor strength.
    fn real() -> impl Iterator<Item = &'static Algorithm> {
        algorithms().iter().filter(|algorithm| algorithm.name != "empty")
    }

    fn plain() -> impl Iterator<Item = &'static Algorithm> {
        algorithms().iter().filter(|algorithm| algorithm.suite.is_none())
    }

    #[test]
    fn every_file_is_read() {
        assert_eq!(plain().count(), FACTS.len());
        assert!(algorithms().is_sorted_by_key(|algorithm| &algorithm.name));
    }

    /// A case without options would take minutes with all of them: `--algorithms all` is for that.
    #[test]
    fn the_default_survey_is_chosen() {
        let chosen = real().filter(|algorithm| algorithm.survey).count();
        assert!((15..=25).contains(&chosen), "{chosen}");
    }

    #[test]
    fn no_name_or_alias_means_two_algorithms() {
        let mut seen = BTreeSet::new();
        for algorithm in algorithms() {
            for name in algorithm.aliases.iter().chain([&algorithm.name]) {
                assert!(seen.insert(name), "{name}");
                assert_eq!(find(name), Some(algorithm));
            }
        }
        assert_eq!(find("aes-129-gcm"), None);
    }

    #[test]
    fn every_status_has_a_reason_and_sources() {
        for Algorithm { name, status_reason, sources, .. } in algorithms() {
            assert!(status_reason.ends_with('.'), "{name}");
            assert!(!sources.is_empty() && sources.iter().all(|s| !s.is_empty()), "{name}");
        }
    }

    /// Suites have no file of their own that is checked as it is read.
    #[test]
    fn suites_fit_their_kind() {
        for suite in algorithms().iter().filter(|algorithm| algorithm.suite.is_some()) {
            assert_eq!(check(suite), Ok(()), "{}", suite.name);
        }
    }

    #[test]
    fn facts_that_contradict_each_other_are_refused() {
        let (stem, text) = FACTS.iter().find(|(stem, _)| *stem == "umac-64").unwrap();
        let refusal = |old: &str, new: &str| {
            assert!(text.contains(old), "{old}");
            read(stem, &text.replace(old, new)).unwrap_err()
        };
        assert_eq!(refusal("survey", "surveys"), "missing field `survey`");
        assert_eq!(refusal("survey =", "extra = 1\nsurvey ="), "no such fields: extra");
        assert!(refusal("tag_bytes = 8", "tag_bytes = 0").contains("do not fit its kind"));
        assert!(
            refusal("strength_bits = 128", "strength_bits = 129").contains("between 1 and 128")
        );
        assert!(refusal("key-recovery", "luck").contains("strength_kind luck is unknown"));
        assert!(refusal("block_bytes = 1", "block_bytes = 0").contains("whole number of blocks"));
    }

    #[test]
    #[should_panic(expected = "algorithms/other.toml: the name must be the file's stem")]
    fn a_file_named_otherwise_is_refused() {
        parse("other", FACTS[0].1);
    }
}
