//! Nettle: the installed libnettle, called through `engine/shims/nettle.c`.
//!
//! What is timed:
//!
//! | operation | timed |
//! |---|---|
//! | setup | `…_set_encrypt_key`, for HMAC and CMAC the subkeys too |
//! | seal, open | GCM and ChaCha20-Poly1305: the nonce, associated data (unless empty), text, tag; CCM, GCM-SIV and OCB by one call for a message; `open` compares with `memeql_sec` |
//! | encrypt, decrypt | a copy of the IV, `cbc_encrypt` (with AES `cbc_aes128_encrypt`, …), `cbc_decrypt` or `ctr_crypt` |
//! | mac, verify | update and digest, which leaves the context ready for the next message; UMAC and GMAC set the nonce first; `memeql_sec` |
//! | digest | update and digest |
//! | keystream | zeros, encrypted in place; of RC4 by a copy of the keyed state |
//!
//! Debian's libnettle chooses its code path by the processor's features when it is loaded
//! (`NETTLE_FAT_OVERRIDE` in the environment overrides it) and does not say which one it took, so
//! the one backend is `default`, its evidence unknown. Nor does it state for each whether its time
//! depends on secrets.

use std::path::Path;
use std::sync::Mutex;

use crate::api::*;
use crate::shared_library::SharedLibrary;
use crate::shim::Shim;

const NAME: &str = "nettle";
const TITLE: &str = "Nettle";

pub const REGISTRATION: Registration =
    Registration { name: NAME, title: TITLE, open, listed: true, switches: None };

static SHIM: Shim = Shim {
    library: SharedLibrary {
        provider: NAME,
        title: TITLE,
        library: "libnettle",
        oldest: "3.7",
        sonames: &["libnettle.so.8"],
        package: "libnettle8",
    },
    inside: "nettle_version_major",
    // All of 3.x since 3.6 have the structures of one soname.
    shared_numbers: 1,
    headers: "nettle-dev",
    table: Mutex::new(None),
};

fn open(path: Option<&Path>) -> Opened {
    SHIM.open(path)
}
