//! How features of the processor are hidden from OpenSSL, and from AWS-LC, which descends from it:
//! both read an environment variable when they are loaded.
//!
//! On x86-64 it is `OPENSSL_ia32cap`, a mask for each of the vectors of 64 bits that `CPUID` fills;
//! `~` says that the mask's bits are cleared. On arm64 it is `OPENSSL_armcap`, which AWS-LC reads in
//! the same way. OpenSSL takes it for all that the processor has, and then asks no more which
//! processor it is, so that hiding one feature would hide others: there it has no switch.

mod aarch64;
mod x86_64;

use crate::api::Switches;

pub const OPENSSL: Option<Switches> =
    if cfg!(target_arch = "x86_64") { Some(x86_64::OPENSSL) } else { None };

pub const AWS_LC: Option<Switches> = if cfg!(target_arch = "x86_64") {
    Some(x86_64::AWS_LC)
} else if cfg!(target_arch = "aarch64") {
    Some(aarch64::AWS_LC)
} else {
    None
};

/// The numbers of the bits that stand for a feature.
type Bits = [(&'static str, &'static [u32])];

/// What no processor has without a feature.
type Dependents = [(&'static str, &'static [&'static str])];

/// The numbers of all bits that have to be cleared to hide these features.
fn hidden_bits<'a>(
    features: &'a [&'a str],
    dependents: &'static Dependents,
    bits: &'static Bits,
) -> impl Iterator<Item = u32> + 'a {
    let hides = |name| {
        let takes_along =
            |feature| dependents.iter().any(|(of, list)| of == feature && list.contains(name));
        features.iter().any(|feature| feature == name || takes_along(feature))
    };
    let hidden = bits.iter().filter(move |(name, _)| hides(name));
    hidden.flat_map(|(_, bits)| bits.iter().copied())
}
