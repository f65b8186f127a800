//! The adapters: one line each.

use crate::api::Registration;

/// Other people's libraries.
pub const LIBRARIES: &[Registration] = &[
    crate::openssl::REGISTRATION,
    crate::libgcrypt::REGISTRATION,
    crate::libsodium::REGISTRATION,
    crate::botan::REGISTRATION,
    crate::libtomcrypt::REGISTRATION,
    crate::nettle::REGISTRATION,
    crate::mbedtls::REGISTRATION,
    crate::wolfssl::REGISTRATION,
    crate::ipsec_mb::REGISTRATION,
    crate::cryptopp::REGISTRATION,
    crate::rustcrypto::REGISTRATION,
    crate::aws_lc::REGISTRATION,
    crate::blake3::REGISTRATION,
];

/// Our own kernels, the user's, and the empty provider.
pub const OWN: &[Registration] =
    &[crate::kernels::REGISTRATION, crate::kernel::REGISTRATION, crate::empty::REGISTRATION];

#[cfg(test)]
mod tests {
    use super::*;

    /// The places of a provider with a shim, as CONTRIBUTING lists them.
    #[test]
    fn a_provider_has_all_its_places() {
        let read = |path: &str| {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
            std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
        };
        let (makefile, contributing) = (read("../../Makefile"), read("../../CONTRIBUTING.md"));
        for place in ["engine/shims/", "lib.rs", "registrations.rs", "make system-packages"] {
            assert!(contributing.contains(place), "CONTRIBUTING does not name {place}");
        }
        for (name, _) in crate::shim::object::SHIMS {
            let is_listed = LIBRARIES.iter().any(|registration| registration.name == *name);
            assert!(is_listed, "registrations.rs has no line for the shim of {name}");
            let source = read(&format!("src/{}.rs", name.replace('-', "_")));
            let package = source.split_once("package: \"").and_then(|(_, it)| it.split_once('"'));
            let (package, _) =
                package.unwrap_or_else(|| panic!("{name} names no package of Debian"));
            let is_listed = makefile.split_whitespace().any(|word| word == package);
            assert!(is_listed, "the Makefile's LIBRARIES lack {package}, which {name} needs");
        }
    }
}
