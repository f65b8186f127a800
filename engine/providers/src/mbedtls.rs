//! Mbed TLS: the installed libmbedcrypto, called through `engine/shims/mbedtls.c`.
//!
//! What is timed:
//!
//! | operation | timed |
//! |---|---|
//! | setup | `…_setkey…` or `…_setup`; of GCM, GMAC and CCM with the allocation of a context; of CMAC without its subkeys, which the library computes with each message; of HMAC both padded keys, the inner one hashed |
//! | seal, open | one call for a message: `…_crypt_and_tag`, `…_encrypt_and_tag`, `…_auth_decrypt` |
//! | encrypt, decrypt | ECB: one call for a block; CBC and CTR: a copy of the IV and one call; XTS: one call |
//! | mac, verify | CMAC: reset, update, finish; HMAC: update, finish, and reset, which hashes the inner padded key for the next message; GMAC: `mbedtls_gcm_crypt_and_tag`; Poly1305 on a copy of the keyed state; `mbedtls_ct_memcmp` |
//! | digest | starts, update, finish |
//! | keystream | zeros, encrypted in place; of RC4 by a copy of the keyed state |
//!
//! GCM takes whole blocks until the end of a text: of chunks that are none, the rest waits for the
//! next chunk.
//!
//! For AES and GCM the library uses AES-NI and PCLMULQDQ where the processor has them, by CPUID
//! alone: nothing tells it not to. All else is portable C. It does not say which path it took, so
//! the one backend is `default`, its evidence unknown; its build options are recorded.
//!
//! Left out: incremental CCM and GMAC, which 2.28 does not have, and CMAC with Camellia, which it
//! refuses. Versions from 3.0 on hide the structures and have other functions.

use std::path::Path;

use crate::api::*;
use crate::shared_library::SharedLibrary;
use crate::shim::Shim;

const NAME: &str = "mbedtls";
const TITLE: &str = "Mbed TLS";

pub const REGISTRATION: Registration =
    Registration { name: NAME, title: TITLE, open, listed: true, switches: None };

static SHIM: Shim = Shim {
    library: SharedLibrary {
        provider: NAME,
        title: TITLE,
        library: "libmbedcrypto",
        oldest: "2.28",
        sonames: &["libmbedcrypto.so.16", "libmbedcrypto.so.7"],
        package: "libmbedtls-dev",
    },
    inside: "mbedtls_version_get_string",
    // All of 2.28, a version with long-term support, has the structures of one soname.
    shared_numbers: 2,
};

fn open(path: Option<&Path>) -> Opened {
    SHIM.open(path)
}
