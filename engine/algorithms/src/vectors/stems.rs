//! Which algorithm a vector is for: told by the stem of its file and by its fields.

use ciphermark_record::description::Kind::{self, Aead, Cipher, Hash, Mac, Stream};
use serde_json::Value;

use super::file::Entry;

pub struct Stem {
    pub stem: &'static str,
    pub kind: Kind,
    /// Canonical name; `{field}` stands for a field of the vector, see [`placeholder`].
    name: &'static str,
}

const fn stem(stem: &'static str, kind: Kind, name: &'static str) -> Stem {
    Stem { stem, kind, name }
}

/// All stems, also of algorithms that nothing here implements: `verify` counts their vectors.
const STEMS: &[Stem] = &[
    stem("aes", Cipher, "aes-{key_bits}-ecb"),
    stem("aes-cbc", Cipher, "aes-{key_bits}-cbc"),
    stem("aes-ctr", Cipher, "aes-{key_bits}-ctr"),
    stem("aes-eea2", Cipher, "eea2"),
    stem("aes-eia2", Mac, "eia2"),
    stem("aes-gcm", Aead, "aes-{key_bits}-gcm"),
    stem("ascon-aead128", Aead, "ascon-aead128"),
    stem("ascon-hash256", Hash, "ascon-hash256"),
    stem("blake2b-512", Hash, "blake2b-512"),
    stem("camellia", Cipher, "camellia-{key_bits}-ecb"),
    stem("camellia-cbc", Cipher, "camellia-{key_bits}-cbc"),
    stem("cbc-mac", Mac, "cbc-mac-{block_cipher}-{key_bits}"),
    stem("chacha20-poly1305", Aead, "chacha20-poly1305"),
    stem("cmac", Mac, "cmac-{block_cipher}-{key_bits}"),
    stem("hash127", Mac, "hash127"),
    stem("hmac", Mac, "hmac-{hash}"),
    stem("idea", Cipher, "idea-ecb"),
    stem("kasumi", Cipher, "kasumi-ecb"),
    stem("kasumi-f8-uea1", Cipher, "uea1"),
    stem("kasumi-f9-uia1", Mac, "uia1"),
    stem("md5", Hash, "md5"),
    stem("poly1305", Mac, "poly1305"),
    stem("rc4", Stream, "rc4-{key_bits}"),
    stem("rc5", Cipher, "rc5-32-{rounds}-{key_bytes}-{mode}"),
    stem("rc6", Cipher, "rc6-32-20-{key_bytes}-ecb"),
    stem("seal3", Stream, "seal3"),
    stem("serpent", Cipher, "serpent-{key_bits}-ecb"),
    stem("sha1", Hash, "sha1"),
    stem("sha256", Hash, "sha256"),
    stem("sha3-256", Hash, "sha3-256"),
    stem("sha512", Hash, "sha512"),
    stem("snow3g", Stream, "snow3g"),
    stem("snow3g-uea2", Cipher, "uea2"),
    stem("snow3g-uia2", Mac, "uia2"),
    stem("tea", Cipher, "tea-ecb"),
    stem("treyfer", Cipher, "treyfer-ecb"),
    stem("twofish", Cipher, "twofish-{key_bits}-ecb"),
    stem("uhash2000", Mac, "uhash2000-{word_len}-{output_len}"),
    stem("umac-rfc4418", Mac, "umac-{tag_bits}"),
    stem("umac2000-16", Mac, "umac2000-{word_len}-{output_len}"),
    stem("umac2000-32", Mac, "umac2000-{word_len}-{output_len}"),
    stem("vmac", Mac, "vmac-{tag_bits}"),
    stem("zuc", Stream, "zuc"),
    stem("zuc-eea3", Cipher, "eea3"),
    stem("zuc-eia3", Mac, "eia3"),
];

/// Fields that say where a vector comes from and change nothing of what is computed.
const NOTES: [&str; 2] = ["origin", "set"];

impl Stem {
    pub fn find(name: &str) -> Result<&'static Stem, String> {
        STEMS.iter().find(|stem| stem.stem == name).ok_or_else(|| {
            let known: Vec<_> = STEMS.iter().map(|stem| stem.stem).collect();
            format!("no vectors are known by the name `{name}`; known are {}", known.join(", "))
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

    /// The names of those parameters that neither the algorithm's name nor a call carries.
    ///
    /// A field that nobody knows is one of them: it may change what has to come out.
    pub fn unsupported(&self, entry: &Entry) -> Option<String> {
        let known = |name: &str| NOTES.contains(&name) || self.placeholders().any(|p| p == name);
        let names: Vec<_> =
            entry.parameters.keys().map(String::as_str).filter(|name| !known(name)).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    fn placeholders(&self) -> impl Iterator<Item = &'static str> {
        self.name.split(['{', '}']).skip(1).step_by(2)
    }
}

/// What stands in a name for `{field}`: the length of the key, or a parameter in lower case.
fn placeholder(field: &str, entry: &Entry) -> Result<String, String> {
    let key_bytes = || entry.key.as_ref().map(|key| key.0.len()).ok_or("it has no `key`");
    match (field, entry.parameters.get(field)) {
        ("key_bytes", _) => Ok(key_bytes()?.to_string()),
        ("key_bits", _) => Ok((8 * key_bytes()?).to_string()),
        // RC5: one block where no mode is given.
        ("mode", None) => Ok("ecb".into()),
        (_, Some(Value::String(text))) => Ok(text.to_lowercase()),
        (_, Some(Value::Number(number))) => Ok(number.to_string()),
        (_, Some(other)) => Err(format!("its `{field}` is {other}, not a number or a name")),
        (_, None) => Err(format!("it has no `{field}`")),
    }
}
