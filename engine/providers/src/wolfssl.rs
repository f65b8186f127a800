//! wolfSSL: the installed libwolfssl, of which wolfCrypt is a part, called through
//! `engine/shims/wolfssl.c`.
//!
//! What is timed:
//!
//! | operation | timed |
//! |---|---|
//! | setup | `wc_…SetKey` or `wc_Init…`; of HMAC the padded keys, not yet hashed; of ChaCha20-Poly1305, XChaCha20 and SipHash a copy of the key |
//! | seal, open | one call for a message; with ChaCha20-Poly1305 and XChaCha20-Poly1305 it takes the key too |
//! | encrypt, decrypt | `wc_…SetIV` (not for ECB) and `…Encrypt` or `…Decrypt`; Camellia-ECB: one call for a block; XTS: `wc_AesXts…`, which takes the tweak |
//! | mac, verify | HMAC: update and final, which hash both padded keys too; GMAC: `wc_GmacUpdate`; SipHash: `wc_SipHash`; CMAC, Poly1305 and BLAKE2: update and final on a copy of the keyed state; `wolfSSL_CRYPTO_memcmp` |
//! | digest | update and final, which leaves the context ready for the next message; BLAKE2 init too |
//! | keystream | zeros, encrypted in place; of RC4 by a copy of the keyed state; XChaCha20 with the key |
//!
//! The code path is chosen when the library is compiled. Debian's build is portable C alone, but
//! for SipHash, which is in assembler on x86-64. It does export `cpuid_clear_flag`, which hides a
//! feature of the processor, but has no code for AES-NI, AVX or BMI2 that would ask for one, so
//! there is nothing to switch. The one backend is `default`, its evidence unknown: the library says
//! neither how it was built nor whether its time depends on secrets.
//!
//! Its structures depend on its build options: a library at a path must have those of the headers
//! in `wolfssl/options.h`, not only their version.
//!
//! Left out: Camellia in CTR and incremental CCM, which 5.5 does not have, and incremental SipHash,
//! which gives wrong tags in 5.5.4. Incremental GCM refuses nonces of more than 16 bytes.

use std::path::Path;

use crate::api::*;
use crate::shared_library::SharedLibrary;
use crate::shim::Shim;

const NAME: &str = "wolfssl";
const TITLE: &str = "wolfSSL";

pub const REGISTRATION: Registration =
    Registration { name: NAME, title: TITLE, open, listed: true, switches: None };

static SHIM: Shim = Shim {
    library: SharedLibrary {
        provider: NAME,
        title: TITLE,
        library: "libwolfssl",
        oldest: "5.5",
        sonames: &["libwolfssl.so.45", "libwolfssl.so.42", "libwolfssl.so.35"],
        package: "libwolfssl-dev",
    },
    inside: "wolfSSL_lib_version",
    // It keeps only the structures of TLS from one version to the next.
    shared_numbers: 3,
};

fn open(path: Option<&Path>) -> Opened {
    SHIM.open(path)
}
