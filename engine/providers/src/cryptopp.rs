//! Crypto++: the installed one, called through `engine/shims/cryptopp.cc`.
//!
//! Much of Crypto++ is templates in its headers, which are compiled with the shim as they are with
//! any caller. What is timed:
//!
//! | operation | timed |
//! |---|---|
//! | setup | `SetKey`; of what takes a nonce `SetKeyWithIV`, which allocates a list of parameters and sets a nonce too: ChaCha20-Poly1305 derives the keys of a first message in it |
//! | seal, open | `EncryptAndAuthenticate` or `DecryptAndVerify`, which allocates the tag that it compares; ChaCha20-Poly1305 and XChaCha20-Poly1305 allocate lists of parameters for each message |
//! | encrypt, decrypt | `Resynchronize` (not for ECB), `ProcessData`; of XTS `ProcessLastBlock` too where a sector ends within a block |
//! | mac, verify | VMAC and GMAC: `Resynchronize`; `CalculateDigest`, which for HMAC hashes both padded keys in each message; `VerifyBufsEqual` |
//! | digest | `CalculateDigest` |
//! | keystream | `Resynchronize`, `GenerateBlock`; of RC4 by a copy of the keyed object |
//!
//! In chunks: `Update` and `ProcessData` for each, and the final call. VMAC-64 takes a nonce by an
//! override in the shim, without which the library takes some nonces for the one before.
//!
//! Crypto++ chooses its code path by the processor's features whenever it is called, so the one
//! backend is `default`, its evidence unknown. Nor does it state for each whether its time depends
//! on secrets. It keeps the features in variables: `build` says which are set, and the shim can
//! clear them ([`OFF`]).

use std::path::Path;

use crate::api::*;
use crate::shared_library::SharedLibrary;
use crate::shim::Shim;

const NAME: &str = "cryptopp";
const TITLE: &str = "Crypto++";

/// Read by the shim: names of [`FEATURES`] between commas.
const OFF: &str = "CIPHERMARK_CRYPTOPP_OFF";

/// What the shim can hide: those that its functions are quicker for.
const FEATURES: &[&str] = if cfg!(target_arch = "x86_64") {
    &["sse2", "sse4_1", "pclmulqdq", "aes", "avx2", "sha_ni"]
} else if cfg!(target_arch = "aarch64") {
    &["asimd", "pmull", "aes", "sha1", "sha2"]
} else {
    &[]
};

pub const REGISTRATION: Registration = Registration {
    name: NAME,
    title: TITLE,
    open,
    listed: true,
    switches: Some(Switches {
        variable: OFF,
        features: FEATURES,
        hiding: |features| features.join(","),
    }),
};

static SHIM: Shim = Shim {
    library: SharedLibrary {
        provider: NAME,
        title: TITLE,
        library: "libcryptopp",
        oldest: "8.2",
        // Debian's package has a soname of its own, and the other as a link to it.
        sonames: &["libcryptopp.so.8", "libcrypto++.so.8"],
        package: "libcrypto++-dev",
    },
    inside: "LibraryVersion",
    // Classes are laid out anew with every second number.
    shared_numbers: 2,
};

fn open(path: Option<&Path>) -> Opened {
    SHIM.open(path)
}
