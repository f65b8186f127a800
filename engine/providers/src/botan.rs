//! Botan through its C interface: the installed one, opened at run time and never linked.
//!
//! Objects are made once, when a function is made, and kept. What is timed:
//!
//! | operation | timed |
//! |---|---|
//! | setup | `botan_…_set_key`; OCB: and `botan_cipher_reset`, without which Botan 2 answers wrong when the last nonce comes again under the new key |
//! | seal, open | `botan_cipher_set_associated_data` (unless there is none, nor was before), `botan_cipher_start` with the nonce, `botan_cipher_update` with all of the message; in Botan 2, with the part that the mode takes in advance, and again with the rest |
//! | encrypt, decrypt | ECB: `botan_block_cipher_encrypt_blocks` or `…_decrypt_blocks`; other modes: `botan_cipher_start` and `botan_cipher_update` |
//! | keystream | the same, on zeros; RC4 begins with `botan_cipher_set_key`, since nothing else brings its state back |
//! | mac, verify | `botan_mac_set_nonce` (GMAC), `botan_mac_update`, `botan_mac_final`; Poly1305 and, in Botan 2, SipHash forget their key and begin with `botan_mac_set_key`; to verify, `botan_constant_time_compare` |
//! | digest | `botan_hash_update`, `botan_hash_final` |
//!
//! `botan_cipher_update` copies the message into a buffer of its own, works there and copies the
//! answer out: that is part of what a caller of the C interface pays, and a caller in C++ does not.
//!
//! An object is always made by the name of its algorithm, so that the one way to give all up
//! between messages is `fetched`: a new object, and the old one destroyed. In chunks, `…_update` is
//! called for each; ciphers take multiples of a number of their own, and what is left of a chunk is
//! given again with the next. Botan 2 turns such a chunk multiple by multiple, which for CTR and
//! stream ciphers is byte by byte. CCM and GCM-SIV take no chunks.
//!
//! Botan chooses its code path by the processor's features (less what `BOTAN_CLEAR_CPUID` in the
//! environment hides: Botan 2 is told of it here) and does not say which one it took, so
//! the one backend is `default`, its evidence unknown.

mod aead;
mod block;
mod cipher;
mod features;
mod functions;
mod hash;
mod mac;
mod mode;

use std::ffi::{CStr, c_void};
use std::path::Path;

use ciphermark_algorithms::Algorithm;

use self::aead::Mode::{AnyNonce, Ccm, GcmSiv, Ocb, OneNonce};
use self::features::SWITCHES;
use self::functions::Botan;
use self::mac::Keys;
use crate::api::*;
use crate::shared_library::{Loaded, OpenedLibrary, SharedLibrary, text};
use crate::table::{self, Table, TableProvider};

const NAME: &str = "botan";
const TITLE: &str = "Botan";

pub const REGISTRATION: Registration =
    Registration { name: NAME, title: TITLE, open, listed: true, switches: Some(SWITCHES) };

static LIBRARY: SharedLibrary = SharedLibrary {
    provider: NAME,
    title: TITLE,
    library: "libbotan",
    oldest: "2.14",
    // Of Botan 3 every release has a soname of its own.
    sonames: &[
        "libbotan-3.so",
        "libbotan-3.so.15",
        "libbotan-3.so.14",
        "libbotan-3.so.13",
        "libbotan-3.so.12",
        "libbotan-3.so.11",
        "libbotan-3.so.10",
        "libbotan-3.so.9",
        "libbotan-3.so.8",
        "libbotan-3.so.7",
        "libbotan-3.so.6",
        "libbotan-3.so.5",
        "libbotan-3.so.4",
        "libbotan-3.so.3",
        "libbotan-3.so.2",
        "libbotan-3.so.1",
        "libbotan-3.so.0",
        "libbotan-2.so.19",
    ],
    package: "libbotan-2-19",
};

/// With 2.14 all code paths of AES became independent of secrets, as [`CONSTANT_TIME`] says.
const OLDEST: (u32, u32) = (2, 14);

fn open(path: Option<&Path>) -> Opened {
    let library = LIBRARY.open(path)?;
    let version = check_version(&library)?;
    // SAFETY: the library says that it is Botan 2.14 or later, and is kept.
    let botan = unsafe { Botan::find(&library) }?;
    let inside = botan.botan_version_string as *const c_void;
    let Loaded { functions, location } = library.keep(botan, inside);
    // SAFETY: takes nothing, and gives a string that lives as long as the library.
    let build = unsafe { text((functions.botan_version_string)()) };
    let library = Library { version, location, build };
    Ok(Box::new(TableProvider { name: NAME, functions, library, table: TABLE }))
}

/// Refuses what is older than [`OLDEST`], or does not follow its switch; returns the version, as in
/// `2.19.3`.
fn check_version(library: &OpenedLibrary) -> Result<String, Unusable> {
    let names = ["botan_version_major", "botan_version_minor", "botan_version_patch"];
    let mut numbers = [0; 3];
    for (number, name) in numbers.iter_mut().zip(names) {
        // SAFETY: since they came, with Botan 2.0, these functions have had this type.
        *number = unsafe { library.function::<unsafe extern "C" fn() -> u32>(name)?() };
    }
    let [major, minor, patch] = numbers;
    let version = format!("{major}.{minor}.{patch}");
    if (major, minor) < OLDEST {
        return Err(library.too_old(&format!("{TITLE} {version}")));
    }
    if major == 2 {
        features::hide_from_botan_2(library, minor)?;
    }
    Ok(version)
}

/// How a function is made, with Botan's name.
#[derive(Clone, Copy)]
enum Recipe {
    Aead(&'static CStr, aead::Mode),
    Block(&'static CStr),
    Mode(&'static CStr),
    Mac(&'static CStr),
    Hmac(&'static CStr),
    Hash(&'static CStr),
}
use Recipe::{Aead, Block, Hash, Hmac, Mac, Mode};

const TABLE: Table<Recipe> = &[
    ("aes-128-ecb", Block(c"AES-128")),
    ("aes-192-ecb", Block(c"AES-192")),
    ("aes-256-ecb", Block(c"AES-256")),
    ("camellia-128-ecb", Block(c"Camellia-128")),
    ("camellia-192-ecb", Block(c"Camellia-192")),
    ("camellia-256-ecb", Block(c"Camellia-256")),
    ("twofish-128-ecb", Block(c"Twofish")),
    ("twofish-192-ecb", Block(c"Twofish")),
    ("twofish-256-ecb", Block(c"Twofish")),
    ("serpent-128-ecb", Block(c"Serpent")),
    ("serpent-192-ecb", Block(c"Serpent")),
    ("serpent-256-ecb", Block(c"Serpent")),
    ("idea-ecb", Block(c"IDEA")),
    ("kasumi-ecb", Block(c"KASUMI")),
    ("sm4-ecb", Block(c"SM4")),
    ("xtea-ecb", Block(c"XTEA")),
    ("aes-128-cbc", Mode(c"AES-128/CBC/NoPadding")),
    ("aes-192-cbc", Mode(c"AES-192/CBC/NoPadding")),
    ("aes-256-cbc", Mode(c"AES-256/CBC/NoPadding")),
    ("camellia-128-cbc", Mode(c"Camellia-128/CBC/NoPadding")),
    ("camellia-192-cbc", Mode(c"Camellia-192/CBC/NoPadding")),
    ("camellia-256-cbc", Mode(c"Camellia-256/CBC/NoPadding")),
    ("twofish-128-cbc", Mode(c"Twofish/CBC/NoPadding")),
    ("twofish-192-cbc", Mode(c"Twofish/CBC/NoPadding")),
    ("twofish-256-cbc", Mode(c"Twofish/CBC/NoPadding")),
    ("serpent-128-cbc", Mode(c"Serpent/CBC/NoPadding")),
    ("serpent-192-cbc", Mode(c"Serpent/CBC/NoPadding")),
    ("serpent-256-cbc", Mode(c"Serpent/CBC/NoPadding")),
    ("idea-cbc", Mode(c"IDEA/CBC/NoPadding")),
    ("sm4-cbc", Mode(c"SM4/CBC/NoPadding")),
    ("aes-128-ctr", Mode(c"CTR-BE(AES-128)")),
    ("aes-192-ctr", Mode(c"CTR-BE(AES-192)")),
    ("aes-256-ctr", Mode(c"CTR-BE(AES-256)")),
    ("camellia-128-ctr", Mode(c"CTR-BE(Camellia-128)")),
    ("camellia-192-ctr", Mode(c"CTR-BE(Camellia-192)")),
    ("camellia-256-ctr", Mode(c"CTR-BE(Camellia-256)")),
    ("twofish-128-ctr", Mode(c"CTR-BE(Twofish)")),
    ("twofish-192-ctr", Mode(c"CTR-BE(Twofish)")),
    ("twofish-256-ctr", Mode(c"CTR-BE(Twofish)")),
    ("serpent-128-ctr", Mode(c"CTR-BE(Serpent)")),
    ("serpent-192-ctr", Mode(c"CTR-BE(Serpent)")),
    ("serpent-256-ctr", Mode(c"CTR-BE(Serpent)")),
    ("sm4-ctr", Mode(c"CTR-BE(SM4)")),
    ("chacha20", Mode(c"ChaCha(20)")),
    ("xchacha20", Mode(c"ChaCha(20)")),
    ("rc4-128", Mode(c"RC4")),
    ("aes-128-gcm", Aead(c"AES-128/GCM", AnyNonce)),
    ("aes-192-gcm", Aead(c"AES-192/GCM", AnyNonce)),
    ("aes-256-gcm", Aead(c"AES-256/GCM", AnyNonce)),
    ("camellia-128-gcm", Aead(c"Camellia-128/GCM", AnyNonce)),
    ("camellia-256-gcm", Aead(c"Camellia-256/GCM", AnyNonce)),
    ("sm4-gcm", Aead(c"SM4/GCM", AnyNonce)),
    ("aes-128-ccm", Aead(c"AES-128/CCM", Ccm)),
    ("aes-256-ccm", Aead(c"AES-256/CCM", Ccm)),
    ("aes-128-ocb", Aead(c"AES-128/OCB", Ocb)),
    ("aes-256-ocb", Aead(c"AES-256/OCB", Ocb)),
    ("aes-128-gcm-siv", Aead(c"AES-128/GCM-SIV", GcmSiv)),
    ("aes-256-gcm-siv", Aead(c"AES-256/GCM-SIV", GcmSiv)),
    ("chacha20-poly1305", Aead(c"ChaCha20Poly1305", OneNonce)),
    ("xchacha20-poly1305", Aead(c"ChaCha20Poly1305", OneNonce)),
    ("ascon-aead128", Aead(c"Ascon-AEAD128", OneNonce)),
    ("hmac-md5", Hmac(c"HMAC(MD5)")),
    ("hmac-sha1", Hmac(c"HMAC(SHA-1)")),
    ("hmac-sha224", Hmac(c"HMAC(SHA-224)")),
    ("hmac-sha256", Hmac(c"HMAC(SHA-256)")),
    ("hmac-sha384", Hmac(c"HMAC(SHA-384)")),
    ("hmac-sha512", Hmac(c"HMAC(SHA-512)")),
    ("hmac-sha3-256", Hmac(c"HMAC(SHA-3(256))")),
    ("hmac-sha3-512", Hmac(c"HMAC(SHA-3(512))")),
    ("cmac-aes-128", Mac(c"CMAC(AES-128)")),
    ("cmac-aes-192", Mac(c"CMAC(AES-192)")),
    ("cmac-aes-256", Mac(c"CMAC(AES-256)")),
    ("cmac-camellia-128", Mac(c"CMAC(Camellia-128)")),
    ("cmac-camellia-256", Mac(c"CMAC(Camellia-256)")),
    ("cmac-twofish-128", Mac(c"CMAC(Twofish)")),
    ("cmac-twofish-256", Mac(c"CMAC(Twofish)")),
    ("cmac-serpent-128", Mac(c"CMAC(Serpent)")),
    ("cmac-serpent-256", Mac(c"CMAC(Serpent)")),
    ("cmac-sm4", Mac(c"CMAC(SM4)")),
    ("cbc-mac-aes-128", Mac(c"CBC-MAC(AES-128)")),
    ("cbc-mac-aes-256", Mac(c"CBC-MAC(AES-256)")),
    ("cbc-mac-camellia-128", Mac(c"CBC-MAC(Camellia-128)")),
    ("cbc-mac-serpent-128", Mac(c"CBC-MAC(Serpent)")),
    ("cbc-mac-twofish-128", Mac(c"CBC-MAC(Twofish)")),
    ("gmac-aes-128", Mac(c"GMAC(AES-128)")),
    ("gmac-aes-256", Mac(c"GMAC(AES-256)")),
    ("poly1305", Mac(c"Poly1305")),
    ("siphash-2-4-64", Mac(c"SipHash(2,4)")),
    ("kmac128", Mac(c"KMAC-128(256)")),
    ("kmac256", Mac(c"KMAC-256(512)")),
    ("blake2b-mac-512", Mac(c"BLAKE2b(512)")),
    ("md5", Hash(c"MD5")),
    ("sha1", Hash(c"SHA-1")),
    ("ripemd160", Hash(c"RIPEMD-160")),
    ("sha224", Hash(c"SHA-224")),
    ("sha256", Hash(c"SHA-256")),
    ("sha384", Hash(c"SHA-384")),
    ("sha512", Hash(c"SHA-512")),
    ("sha512-256", Hash(c"SHA-512-256")),
    ("sha3-224", Hash(c"SHA-3(224)")),
    ("sha3-256", Hash(c"SHA-3(256)")),
    ("sha3-384", Hash(c"SHA-3(384)")),
    ("sha3-512", Hash(c"SHA-3(512)")),
    ("blake2b-512", Hash(c"BLAKE2b(512)")),
    ("blake2s-256", Hash(c"BLAKE2s(256)")),
    ("sm3", Hash(c"SM3")),
    ("ascon-hash256", Hash(c"Ascon-Hash256")),
];

/// What Botan's manual (`doc/side_channels.rst`) says of algorithms: that the time of these does
/// not depend on secrets, on any processor. Of Camellia, SM4 and Twofish it says that the portable
/// code looks up tables, while code for some processors does not; so nothing is said of them here.
const CONSTANT_TIME: &[&str] =
    &["AES", "Serpent", "ChaCha", "IDEA", "Poly1305", "MD5", "SHA-", "BLAKE2"];

impl Recipe {
    fn name(self) -> &'static CStr {
        match self {
            Aead(name, _) | Block(name) | Mode(name) => name,
            Mac(name) | Hmac(name) | Hash(name) => name,
        }
    }
}

impl table::Recipe for Recipe {
    type Library = Botan;

    fn create(
        self,
        botan: &'static Botan,
        facts: &'static Algorithm,
        request: &Request<'_>,
    ) -> Result<Box<dyn Function>, CreateError> {
        match self {
            Aead(name, mode) => aead::create(botan, name, mode, facts, request),
            Block(name) => Ok(Box::new(block::BlockCipher::new(botan, name, facts, request)?)),
            Mode(name) => mode::create(botan, name, facts, request),
            Mac(name) => mac::create(botan, name, Keys::OneLength, facts, request),
            Hmac(name) => mac::create(botan, name, Keys::AnyLength, facts, request),
            Hash(name) => Ok(Box::new(hash::Hash::new(botan, name, request)?)),
        }
    }

    fn constant_time(self) -> Option<bool> {
        let name = self.name().to_str().expect("the names are ASCII");
        CONSTANT_TIME.iter().any(|part| name.contains(part)).then_some(true)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_line_has_facts() {
        crate::table::tests::every_line_has_facts(super::TABLE);
    }
}
