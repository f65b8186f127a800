//! LibTomCrypt: the installed one, called through `engine/shims/libtomcrypt.c`.
//!
//! What is timed:
//!
//! | operation | timed |
//! |---|---|
//! | setup | `…_start`, `…_init` or the cipher's `setup`; of HMAC, OCB and UEA1 a copy of the key |
//! | seal, open | GCM: reset, IV, associated data, text, tag; CCM: `ccm_memory` with a kept key; OCB: one call for a message, key expansion included; ChaCha20-Poly1305: IV, associated data, text, tag; `open` compares with `mem_neq` |
//! | encrypt, decrypt | `…_setiv` (not for ECB) and `…_encrypt` or `…_decrypt`; XTS: a copy of the tweak, which the library changes, and one call; UEA1: `f8_start`, which expands the key twice, and `f8_encrypt` |
//! | mac, verify | HMAC: `hmac_memory`, key expansion and allocations included; CMAC and UIA1: process and done on the kept key; Poly1305 and BLAKE2 on a copy of the keyed state; `mem_neq` |
//! | digest | init, process, done |
//! | keystream | of RC4 by a copy of the keyed state; ChaCha20: the nonce, keystream |
//!
//! In chunks, the calls are repeated, and HMAC is `hmac_init`, `hmac_process`, `hmac_done`; CCM and
//! OCB take no chunks, since their calls for that begin with the expansion of the key, nor does XTS. A context
//! made anew is zeroed memory, and the place of the cipher or hash in the library's table.
//!
//! Version 1.18.2 has one code path, portable C, so the one backend is `default`. It makes no
//! statement whether its time depends on secrets.

use std::path::Path;

use crate::api::*;
use crate::shared_library::SharedLibrary;
use crate::shim::Shim;

const NAME: &str = "libtomcrypt";
const TITLE: &str = "LibTomCrypt";

pub const REGISTRATION: Registration =
    Registration { name: NAME, title: TITLE, open, listed: true, switches: None };

static SHIM: Shim = Shim {
    library: SharedLibrary {
        provider: NAME,
        title: TITLE,
        library: NAME,
        oldest: "1.18",
        sonames: &["libtomcrypt.so.1"],
        package: "libtomcrypt-dev",
    },
    inside: "register_cipher",
    // Structures changed with every second number so far.
    shared_numbers: 2,
};

fn open(path: Option<&Path>) -> Opened {
    SHIM.open(path)
}
