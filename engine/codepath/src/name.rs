//! From extensions that were executed to the name of a backend.

/// Parts of a name, in their order: of each line the first extension that was executed gives one.
const ENGINES: &[&[(&str, &str)]] = &[
    &[("vaes", "vaes"), ("aes", "aesni")],
    &[("vpclmulqdq", "vpclmul"), ("pclmulqdq", "clmul")],
    &[("sha_ni", "shani")],
    &[("gfni", "gfni")],
];

/// Vector extensions that are named beside engines too: the widest that was executed.
const WIDE: &[(&str, &str)] = &[("avx512", "avx512"), ("avx2", "avx2"), ("avx", "avx")];

/// What a path without any of the above is named after: the first of these that was executed.
const PLAIN: &[(&str, &str)] = &[
    ("sse4_1", "sse4"),
    ("ssse3", "ssse3"),
    ("sse2", "sse2"),
    ("adx", "scalar-adx"),
    ("bmi2", "scalar-bmi2"),
];

const NOTHING_SPECIAL: &str = "scalar";

/// The name of a code path, `<method>-<isa>`, from [`crate::CodePath::features`].
pub fn name(features: &[impl AsRef<str>]) -> String {
    let executed = |extension: &str| features.iter().any(|feature| feature.as_ref() == extension);
    let first = |of: &[(&str, &'static str)]| {
        of.iter().find(|(extension, _)| executed(extension)).map(|(_, part)| *part)
    };
    let parts: Vec<&str> = ENGINES.iter().copied().chain([WIDE]).filter_map(first).collect();
    match parts.as_slice() {
        [] => first(PLAIN).unwrap_or(NOTHING_SPECIAL).to_owned(),
        parts => parts.join("-"),
    }
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn names_are_made_of_engines_and_the_widest_vectors() {
        for (features, expected) in [
            ("", "scalar"),
            ("movbe", "scalar"),
            ("bmi2", "scalar-bmi2"),
            ("bmi2 adx", "scalar-adx"),
            ("sse2", "sse2"),
            ("sse2 bmi2", "sse2"),
            ("sse2 ssse3", "ssse3"),
            ("sse2 ssse3 sse4_1", "sse4"),
            ("sse2 aes", "aesni"),
            ("ssse3 sha_ni", "shani"),
            ("ssse3 avx bmi2 avx2", "avx2"),
            ("movbe pclmulqdq aes avx", "aesni-clmul-avx"),
            ("pclmulqdq aes avx vpclmulqdq vaes avx512", "vaes-vpclmul-avx512"),
            ("avx gfni aes", "aesni-gfni-avx"),
        ] {
            let features: Vec<&str> = features.split_whitespace().collect();
            assert_eq!(name(&features), expected, "{features:?}");
        }
    }
}
