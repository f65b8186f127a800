//! Intel's Multi-Buffer Crypto for IPsec: the installed libIPSec_MB, called through
//! `engine/shims/ipsec_mb.c`.
//!
//! What is timed, of one message and of lanes:
//!
//! | operation | one message | lanes |
//! |---|---|---|
//! | setup | key expansion, for CMAC the subkeys too, for HMAC the states behind the padded keys; of ChaCha20-Poly1305, Poly1305 and ZUC a copy of the key | |
//! | seal, open | GCM by its call for a message (with a nonce of 12 bytes; else init, update, finalize), ChaCha20-Poly1305 by a job; `open` compares with a loop of the shim | jobs |
//! | encrypt, decrypt | AES, EEA2 and EEA3 by a job; UEA1 and UEA2 by the call for one buffer, their IV made first | jobs; UEA2 by the call for n buffers |
//! | mac, verify | HMAC, CMAC, Poly1305, EIA2 (with a copy of the message) and EIA3 by a job; GMAC by init, update, finalize; UIA1 and UIA2 by the call for one buffer | jobs |
//! | digest | the call for a message | jobs |
//! | keystream | zeros, encrypted in place as UEA2 and EEA3 do | as they do |
//!
//! EEA3, EIA3 and ZUC's keystream go by jobs alone: the calls for buffers give wrong answers for one
//! key and IV in some millions (see the shim).
//!
//! A job is described, submitted unchecked and flushed out of the manager; of lanes, all are
//! submitted before the flush. GCM, GMAC, UEA1 and UIA1 have no lanes: nothing in the library takes
//! several of their messages under keys of their own at once.
//!
//! The library chooses one architecture for all its code when a manager is allocated; `build` says
//! which, and the features that it knows of. It does not say which path each function took, so the
//! one backend is `default`, its evidence unknown. `CIPHERMARK_IPSEC_MB_OFF` hides features from it
//! (AES cannot be hidden from Debian's build, which has no code without it). Debian builds it with
//! its defaults, among them lookups in constant time for KASUMI and SNOW 3G (`SAFE_LOOKUP`), which
//! cost what other libraries save by tables.

use std::path::Path;

use crate::api::*;
use crate::shared_library::SharedLibrary;
use crate::shim::Shim;

const NAME: &str = "ipsec-mb";
const TITLE: &str = "Intel ipsec-mb";

pub const REGISTRATION: Registration =
    Registration { name: NAME, title: TITLE, open, listed: true, switches: Some(SWITCHES) };

/// Read by the shim.
const SWITCHES: Switches = Switches {
    variable: "CIPHERMARK_IPSEC_MB_OFF",
    features: &["avx", "avx2", "sha_ni", "gfni", "avx512"],
    hiding: |features| features.join(","),
};

static SHIM: Shim = Shim {
    library: SharedLibrary {
        provider: NAME,
        title: TITLE,
        library: "libIPSec_MB",
        oldest: "1.3",
        sonames: &["libIPSec_MB.so.2", "libIPSec_MB.so.1"],
        package: "libipsec-mb-dev",
    },
    inside: "imb_get_version",
    // The manager's structure grows with minor versions.
    shared_numbers: 2,
};

fn open(path: Option<&Path>) -> Opened {
    SHIM.open(path)
}
