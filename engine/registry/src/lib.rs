//! The one list of providers: adapters of libraries, devices and our own kernels, each with the suites
//! that it has all parts of.

use std::path::Path;

use ciphermark_devices::DEVICES;
use ciphermark_providers::api::Opened;
use ciphermark_providers::registrations::{LIBRARIES, OWN};

pub use ciphermark_providers::api::{Registration, Switches};

const COUNT: usize = LIBRARIES.len() + DEVICES.len() + OWN.len();

/// All registrations, in the order in which people see them.
pub const REGISTRY: [&Registration; COUNT] = composed(&[LIBRARIES, DEVICES, OWN]);

const fn composed(lists: &[&'static [Registration]]) -> [&'static Registration; COUNT] {
    let mut all = [&OWN[0]; COUNT];
    let (mut list, mut number, mut next) = (0, 0, 0);
    while list < lists.len() {
        while number < lists[list].len() {
            all[next] = &lists[list][number];
            number += 1;
            next += 1;
        }
        number = 0;
        list += 1;
    }
    all
}

/// The registration of that name. One library may be there in several builds, which are told
/// apart by what follows an `@`: `openssl@old`.
pub fn find(name: &str) -> Option<&'static Registration> {
    let library = name.split_once('@').map_or(name, |(library, _)| library);
    REGISTRY.into_iter().find(|registration| registration.name == library)
}

/// The library of a registration, opened as [`Registration::open`] does, with the suites that it has all
/// parts of.
pub fn open(registration: &Registration, path: Option<&Path>) -> Opened {
    (registration.open)(path).map(ciphermark_suites::with)
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

    #[test]
    fn every_provider_is_there_once() {
        let mut names = REGISTRY.map(|registration| registration.name);
        assert_eq!((names[0], names[COUNT - 1]), ("openssl", "empty"));
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    }
}
