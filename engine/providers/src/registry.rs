//! The one list of providers: one line each.

use crate::api::Registration;

pub const REGISTRY: &[Registration] =
    &[crate::openssl::REGISTRATION, crate::rustcrypto::REGISTRATION, crate::empty::REGISTRATION];

/// The registration of that name.
pub fn find(name: &str) -> Option<&'static Registration> {
    REGISTRY.iter().find(|registration| registration.name == name)
}
