//! What `algorithms/<name>.toml` and `suites/<protocol>.toml` say of each algorithm.

use std::sync::OnceLock;

use ciphermark_record::description::Algorithm;

use crate::embedded::{FACTS, SUITES};
use crate::suites::suites;

/// All algorithms and all suites that are made of them, sorted by name.
pub fn algorithms() -> &'static [Algorithm] {
    static ALGORITHMS: OnceLock<Vec<Algorithm>> = OnceLock::new();
    ALGORITHMS.get_or_init(|| {
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
    let algorithm: Algorithm = toml::from_str(text)
        .unwrap_or_else(|error| panic!("algorithms/{stem}.toml is not valid: {error}"));
    assert_eq!(algorithm.name, stem, "algorithms/{stem}.toml: the name must be the file's stem");
    algorithm
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use ciphermark_record::description::Kind;

    use super::*;
    use crate::nonce;

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

    /// Serde would pass over a misspelt key, and over a missing one that has a default. Only lists
    /// that are empty may be left out.
    #[test]
    fn the_keys_of_each_file_are_the_fields() {
        for (algorithm, (stem, text)) in plain().zip(FACTS) {
            let written: toml::Table = toml::from_str(text).unwrap();
            let fields = toml::Table::try_from(algorithm).unwrap();
            let empty = |value: &toml::Value| value.as_array().is_some_and(|list| list.is_empty());
            let keys = |table: &toml::Table| -> BTreeSet<_> {
                table.iter().filter(|it| !empty(it.1)).map(|it| it.0.clone()).collect()
            };
            assert_eq!(keys(&written), keys(&fields), "{stem}");
        }
    }

    #[test]
    fn the_fields_of_a_nonce_fill_it() {
        for Algorithm { name, nonce_fields, nonce_bytes, .. } in algorithms() {
            let bytes: usize = nonce_fields.iter().map(|field| nonce::bytes(field.bits)).sum();
            assert!(nonce_fields.is_empty() || bytes == *nonce_bytes as usize, "{name}");
            assert!(nonce_fields.iter().all(|it| (1..=64).contains(&it.bits)), "{name}");
        }
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

    #[test]
    fn sizes_fit_the_kind() {
        for algorithm in real() {
            let Algorithm { name, kind, key_bytes, nonce_bytes, tag_bytes, .. } = algorithm;
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
            assert!(fits, "{name}");
            assert!(algorithm.block_bytes > 0, "{name}");
            assert_eq!(algorithm.min_message_bytes % u64::from(algorithm.block_bytes), 0, "{name}");
            let longest = algorithm.max_message_bytes.unwrap_or(u64::MAX);
            assert!(algorithm.min_message_bytes < longest, "{name}");
        }
    }

    /// Nothing is stronger than a search for its key, a guess of its tag or, for a hash, a search
    /// for a collision.
    #[test]
    fn strength_is_within_the_generic_bound() {
        for algorithm in real() {
            let bound = match algorithm.strength_kind.as_str() {
                "key-recovery" => 8 * algorithm.key_bytes,
                "collision" => 8 * algorithm.tag_bytes / 2,
                "forgery" => 8 * algorithm.tag_bytes,
                other => panic!("{}: unknown strength_kind {other}", algorithm.name),
            };
            assert!((1..=bound).contains(&algorithm.strength_bits), "{}", algorithm.name);
        }
    }

    #[test]
    #[should_panic(expected = "algorithms/other.toml: the name must be the file's stem")]
    fn a_file_named_otherwise_is_refused() {
        parse("other", FACTS[0].1);
    }
}
