//! The one list of providers: one line each.

pub use crate::api::{Registration, Switches};

pub const REGISTRY: &[Registration] = &[
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
    crate::opencl::REGISTRATION,
    crate::af_alg::REGISTRATION,
    crate::kernels::REGISTRATION,
    crate::kernel::REGISTRATION,
    crate::empty::REGISTRATION,
];

/// The registration of that name. One library may be there in several builds, which are told
/// apart by what follows an `@`: `openssl@old`.
pub fn find(name: &str) -> Option<&'static Registration> {
    let library = name.split_once('@').map_or(name, |(library, _)| library);
    REGISTRY.iter().find(|registration| registration.name == library)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_of_a_library_have_its_registration() {
        for name in ["openssl", "openssl@old"] {
            assert_eq!(find(name).map(|registration| registration.name), Some("openssl"));
        }
        assert!(find("openss").is_none());
    }

    /// The places of a provider with a shim, as CONTRIBUTING lists them.
    #[test]
    fn a_provider_has_all_its_places() {
        let read = |path: &str| {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
            std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
        };
        let (makefile, contributing) = (read("../../Makefile"), read("../../CONTRIBUTING.md"));
        for place in ["engine/shims/", "lib.rs", "registry.rs", "make system-packages"] {
            assert!(contributing.contains(place), "CONTRIBUTING does not name {place}");
        }
        for (name, _) in crate::shim::object::SHIMS {
            assert!(find(name).is_some(), "registry.rs has no line for the shim of {name}");
            let source = read(&format!("src/{}.rs", name.replace('-', "_")));
            let package = |field: &str| Some(source.split_once(field)?.1.split_once('"')?.0);
            // Debian's headers bring the library along.
            let package = package("headers: \"").or_else(|| package("package: \""));
            let package = package.unwrap_or_else(|| panic!("{name} names no package of Debian"));
            let is_listed = makefile.split_whitespace().any(|word| word == package);
            assert!(is_listed, "the Makefile's LIBRARIES lack {package}, which {name} needs");
        }
    }
}
