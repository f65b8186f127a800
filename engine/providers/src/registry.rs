//! The one list of providers: one line each.

use crate::api::Registration;

pub const REGISTRY: &[Registration] = &[
    crate::openssl::REGISTRATION,
    crate::libgcrypt::REGISTRATION,
    crate::libsodium::REGISTRATION,
    crate::botan::REGISTRATION,
    crate::libtomcrypt::REGISTRATION,
    crate::nettle::REGISTRATION,
    crate::cryptopp::REGISTRATION,
    crate::rustcrypto::REGISTRATION,
    crate::aws_lc::REGISTRATION,
    crate::blake3::REGISTRATION,
    crate::empty::REGISTRATION,
];

/// The registration of that name.
pub fn find(name: &str) -> Option<&'static Registration> {
    REGISTRY.iter().find(|registration| registration.name == name)
}
