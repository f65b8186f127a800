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
}
