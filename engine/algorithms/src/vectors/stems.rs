//! Which algorithm a vector is for: told by the stem of its file and by its fields.

use ciphermark_record::description::Kind::{self, Aead, Cipher, Mac, Stream};
use ciphermark_record::description::NonceField;
use serde_json::Value;

use super::file::Entry;
use super::question;
use crate::facts::find;

#[derive(Clone, Copy)]
pub struct Stem {
    stem: &'static str,
    pub kind: Kind,
    /// Canonical name; `{field}` stands for a field of the vector, see [`placeholder`].
    name: &'static str,
    /// Parameters with the first word of the values that mean the function of that name; other
    /// values are variants of it.
    usual: &'static [(&'static str, &'static str)],
}

const fn stem(stem: &'static str, kind: Kind, name: &'static str) -> Stem {
    Stem { stem, kind, name, usual: &[] }
}

/// The key's length tells AES-128 from AES-256, and the authors' code differs from their draft.
const UMAC2000: &[(&str, &str)] = &[
    ("block_cipher", "AES-128"),
    ("block_cipher", "AES-256"),
    ("flavour", "both"),
    ("flavour", "draft-text"),
    ("l1_key_len", "1024"),
];

/// The stems that are not the canonical name of one algorithm with facts; some are of algorithms
/// that nothing here implements, since `verify` counts their vectors.
const STEMS: &[Stem] = &[
    stem("aes", Cipher, "aes-{key_bits}-ecb"),
    stem("aes-cbc", Cipher, "aes-{key_bits}-cbc"),
    stem("aes-ccm", Aead, "aes-{key_bits}-ccm"),
    stem("aes-ctr", Cipher, "aes-{key_bits}-ctr"),
    stem("aes-eea2", Cipher, "eea2"),
    stem("aes-eia2", Mac, "eia2"),
    stem("aes-gcm", Aead, "aes-{key_bits}-gcm"),
    stem("aes-gcm-siv", Aead, "aes-{key_bits}-gcm-siv"),
    stem("aes-ocb", Aead, "aes-{key_bits}-ocb"),
    stem("aes-xts", Cipher, "aes-{half_key_bits}-xts"),
    stem("camellia", Cipher, "camellia-{key_bits}-ecb"),
    stem("camellia-cbc", Cipher, "camellia-{key_bits}-cbc"),
    stem("camellia-ctr", Cipher, "camellia-{key_bits}-ctr"),
    stem("camellia-gcm", Aead, "camellia-{key_bits}-gcm"),
    stem("cbc-mac", Mac, "cbc-mac-{block_cipher}-{key_bits}"),
    stem("cmac", Mac, "cmac-{block_cipher}-{key_bits}"),
    stem("gmac", Mac, "gmac-{block_cipher}-{key_bits}"),
    stem("hash127", Mac, "hash127"),
    stem("hmac", Mac, "hmac-{hash}"),
    stem("idea", Cipher, "idea-ecb"),
    stem("kasumi", Cipher, "kasumi-ecb"),
    stem("kasumi-f8-uea1", Cipher, "uea1"),
    stem("kasumi-f9-uia1", Mac, "uia1"),
    stem("rc4", Stream, "rc4-{key_bits}"),
    stem("rc5", Cipher, "rc5-32-{rounds}-{key_bytes}-{mode}"),
    stem("rc6", Cipher, "rc6-32-20-{key_bytes}-ecb"),
    stem("rc6-cbc", Cipher, "rc6-32-20-{key_bytes}-cbc"),
    stem("rc6-ctr", Cipher, "rc6-32-20-{key_bytes}-ctr"),
    Stem {
        usual: &[("byte_order", "big"), ("byte_order", "little")],
        ..stem("seal3", Stream, "seal3")
    },
    stem("serpent", Cipher, "serpent-{key_bits}-ecb"),
    stem("serpent-cbc", Cipher, "serpent-{key_bits}-cbc"),
    stem("serpent-ctr", Cipher, "serpent-{key_bits}-ctr"),
    stem("siphash-2-4", Mac, "siphash-2-4-{tag_bits}"),
    stem("snow3g-uea2", Cipher, "uea2"),
    stem("snow3g-uia2", Mac, "uia2"),
    stem("tea", Cipher, "tea-ecb"),
    Stem {
        usual: &[("rounds", "32"), ("sbox", "aes-sbox")],
        ..stem("treyfer", Cipher, "treyfer-ecb")
    },
    stem("twofish", Cipher, "twofish-{key_bits}-ecb"),
    stem("twofish-cbc", Cipher, "twofish-{key_bits}-cbc"),
    stem("twofish-ctr", Cipher, "twofish-{key_bits}-ctr"),
    stem("uhash2000", Mac, "uhash2000-{word_len}-{output_len}"),
    stem("umac-rfc4418", Mac, "umac-{tag_bits}"),
    Stem { usual: UMAC2000, ..stem("umac2000-16", Mac, "umac2000-{word_len}-{output_len}") },
    Stem { usual: UMAC2000, ..stem("umac2000-32", Mac, "umac2000-{word_len}-{output_len}") },
    Stem {
        usual: &[("block_cipher", "RC6-32/20/16"), ("l1_key_len", "1024")],
        ..stem("umac2000-rc6", Mac, "umac2000-{word_len}-{output_len}-rc6")
    },
    stem("vmac", Mac, "vmac-{tag_bits}"),
    stem("zuc-eea3", Cipher, "eea3"),
    stem("zuc-eia3", Mac, "eia3"),
];

/// Fields that say where a vector comes from and change nothing of what is computed.
const NOTES: [&str; 2] = ["origin", "set"];

impl Stem {
    /// A file is named by its stem below or by the one algorithm it is for; `hmac-more` holds
    /// further vectors in the form of `hmac`.
    pub fn find(name: &str) -> Result<Stem, String> {
        let form = name.strip_suffix("-more").unwrap_or(name);
        let known = STEMS.iter().find(|stem| stem.stem == form).copied();
        known.or_else(|| of_one_algorithm(form)).ok_or_else(|| {
            let stems: Vec<_> = STEMS.iter().map(|stem| stem.stem).collect();
            format!(
                "no vectors are known by the name `{name}`; known are the algorithms and {}",
                stems.join(", ")
            )
        })
    }

    /// Canonical name of the algorithm that `entry` is for.
    pub fn algorithm(&self, entry: &Entry) -> Result<String, String> {
        let parts = self.name.split(['{', '}']).enumerate();
        parts
            .map(|(index, part)| match index % 2 {
                0 => Ok(part.to_owned()),
                _ => placeholder(part, entry),
            })
            .collect()
    }

    /// The parameters by which the vector is of another function than the one that its algorithm's
    /// name usually means, with their values: `sbox identity`.
    pub fn variant(&self, entry: &Entry) -> Option<String> {
        let parameters = entry.parameters.iter();
        let unusual = parameters.filter_map(|(name, value)| self.unusual(name, value)?);
        let variant: Vec<_> = unusual.collect();
        (!variant.is_empty()).then(|| variant.join(", "))
    }

    /// What neither the algorithm's name nor a call carries, of which `fields` are the numbers in
    /// a nonce: the names of such parameters.
    ///
    /// A field that nobody knows is one of them: it may change what has to come out.
    pub fn unsupported(&self, entry: &Entry, fields: &[NonceField]) -> Option<String> {
        let problems: Vec<_> = entry
            .parameters
            .keys()
            .filter(|name| !fields.iter().any(|field| field.name == **name))
            .filter(|name| !self.is_known(entry, name))
            .map(String::as_str)
            .collect();
        (!problems.is_empty()).then(|| problems.join(", "))
    }

    fn is_known(&self, entry: &Entry, name: &str) -> bool {
        NOTES.contains(&name)
            || self.placeholders().any(|placeholder| placeholder == name)
            || self.usual.iter().any(|(known, _)| *known == name)
            || implied(entry, name)
            || question::parameters(self.kind).contains(&name)
    }

    /// For a parameter that has usual values: this one, if it is none of them.
    fn unusual(&self, name: &str, value: &Value) -> Option<Option<String>> {
        let mut usual = self.usual.iter().filter(|(known, _)| *known == name).peekable();
        usual.peek()?;
        let text = text(value).unwrap_or_else(|| value.to_string());
        let is_usual = usual.any(|(_, word)| text.split(' ').next() == Some(word));
        Some((!is_usual).then(|| format!("{name} {text}")))
    }

    fn placeholders(&self) -> impl Iterator<Item = &'static str> {
        self.name.split(['{', '}']).skip(1).step_by(2)
    }
}

fn of_one_algorithm(name: &str) -> Option<Stem> {
    let algorithm = find(name).filter(|algorithm| algorithm.name == name)?;
    Some(stem(&algorithm.name, algorithm.kind, &algorithm.name))
}

/// 128-EIA1 has the BEARER as FRESH (TS 33.401, annex B), and its vectors give both.
fn implied(entry: &Entry, name: &str) -> bool {
    let number = |name: &str| entry.parameters.get(name).and_then(Value::as_u64);
    let as_fresh = number("bearer").and_then(|bearer| bearer.checked_mul(1 << 27));
    name == "bearer" && as_fresh.is_some() && as_fresh == number("fresh")
}

/// A number or a name as it is written.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// What stands in a name for `{field}`: the length of the key, or a parameter in lower case.
fn placeholder(field: &str, entry: &Entry) -> Result<String, String> {
    let key_bytes = || entry.key.as_ref().map(|key| key.0.len()).ok_or("it has no `key`");
    match (field, entry.parameters.get(field)) {
        ("key_bytes", _) => Ok(key_bytes()?.to_string()),
        ("key_bits", _) => Ok((8 * key_bytes()?).to_string()),
        // XTS: one of two keys.
        ("half_key_bits", _) => Ok((4 * key_bytes()?).to_string()),
        // RC5: one block where no mode is given.
        ("mode", None) => Ok("ecb".into()),
        (_, Some(value)) => text(value)
            .map(|text| text.to_lowercase())
            .ok_or_else(|| format!("its `{field}` is {value}, not a number or a name")),
        (_, None) => Err(format!("it has no `{field}`")),
    }
}
