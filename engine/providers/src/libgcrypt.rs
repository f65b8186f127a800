//! libgcrypt: the installed one, opened at run time and never linked.
//!
//! Handles are opened once, when a function is made, and kept. What is timed:
//!
//! | operation | timed |
//! |---|---|
//! | setup | `gcry_cipher_setkey` or `gcry_mac_setkey` |
//! | seal | `gcry_cipher_setiv`, `gcry_cipher_authenticate` and `gcry_cipher_encrypt` (each unless empty), `gcry_cipher_gettag`; CCM is told the lengths, OCB that the data is the last, and GCM-SIV is reset first |
//! | open | the mirror, with `gcry_cipher_checktag` |
//! | encrypt, decrypt | `gcry_cipher_setiv` or `gcry_cipher_setctr` (not for ECB), `gcry_cipher_encrypt` or `gcry_cipher_decrypt` |
//! | keystream | `gcry_cipher_setiv`, or for RC4 a reset to the state of the key; zeros, encrypted in place |
//! | mac, verify | a reset (GMAC: `gcry_mac_setiv`), `gcry_mac_write`, `gcry_mac_read` or `gcry_mac_verify`; CBC-MAC is a flag of CBC encryption |
//! | digest | `gcry_md_reset`, `gcry_md_write`, `gcry_md_read`; the digest copied out |
//!
//! To give nothing up between messages, a handle is opened by the algorithm's number and the old
//! one closed; the new is opened first, so that failing changes nothing, and the allocator holds
//! both for a moment. In chunks, `…_encrypt`, `…_decrypt` or `…_write` is called for each; OCB
//! takes whole blocks until the last, and GCM-SIV takes no chunks.
//!
//! Hashing with the one call `gcry_md_hash_buffer` was not quicker for all (SHA-512 at 16 bytes by
//! 10 %, MD5 slower by half).
//!
//! libgcrypt chooses its code path by the processor's features (`hwflist` in `build`, less what
//! `CIPHERMARK_LIBGCRYPT_OFF` in the environment hides) and does not say which one it took, so the
//! one backend is `default`, its evidence unknown. Nor does it state
//! whether the time of each path depends on secrets.

mod aead;
mod cbc_mac;
mod cipher;
mod features;
mod functions;
mod hash;
mod load;
mod mac;

use std::ffi::{CStr, c_int};
use std::path::Path;
use std::ptr;

use ciphermark_algorithms::Algorithm;

use self::aead::Mode::{Ccm, Gcm, GcmSiv, Ocb, Poly1305};
use self::cipher::Mode::{Cbc, Ctr, Ecb, Stream};
use self::features::SWITCHES;
use self::functions::Libgcrypt;
use self::mac::Keys::{AnyLength, OneLength};
use crate::api::*;
use crate::shared_library::{Loaded, text};
use crate::table::{self, Table, TableProvider};

const NAME: &str = "libgcrypt";

pub const REGISTRATION: Registration =
    Registration { name: NAME, title: NAME, open, listed: true, switches: Some(SWITCHES) };

fn open(path: Option<&Path>) -> Opened {
    let Loaded { functions, location } = load::load(path)?;
    // SAFETY: null asks for the version alone, a string that lives as long as the library.
    let version = unsafe { text((functions.gcry_check_version)(ptr::null())) };
    let library = Library { version, location, build: configuration(functions) };
    Ok(Box::new(TableProvider { name: NAME, functions, library, table: TABLE }))
}

/// Compiler, features of the processor that are used, and whether FIPS mode is on.
fn configuration(libgcrypt: &Libgcrypt) -> String {
    let line = |what: &CStr| {
        // SAFETY: gives null or a string that is ours to free.
        unsafe {
            let line = (libgcrypt.gcry_get_config)(0, what.as_ptr());
            let copy = text(line);
            (libgcrypt.gcry_free)(line.cast());
            copy
        }
    };
    let lines = [c"cc", c"hwflist", c"fips-mode"].map(line);
    let lines = lines.iter().map(|line| line.trim_end()).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("; ")
}

/// How a function is made: numbers are those of the enumerations of `gcrypt.h`.
#[derive(Clone, Copy)]
enum Recipe {
    Aead(c_int, aead::Mode),
    Cipher(c_int, cipher::Mode),
    Mac(c_int, mac::Keys),
    /// With the number of its cipher.
    CbcMac(c_int),
    Hash(c_int),
}
use Recipe::{Aead, CbcMac, Cipher, Hash, Mac};

// Of `enum gcry_cipher_algos`.
const IDEA: c_int = 1;
const AES128: c_int = 7;
const AES192: c_int = 8;
const AES256: c_int = 9;
const TWOFISH256: c_int = 10;
const ARCFOUR: c_int = 301;
const TWOFISH128: c_int = 303;
const SERPENT128: c_int = 304;
const SERPENT192: c_int = 305;
const SERPENT256: c_int = 306;
const CAMELLIA128: c_int = 310;
const CAMELLIA192: c_int = 311;
const CAMELLIA256: c_int = 312;
const CHACHA20: c_int = 316;
const SM4: c_int = 318;

// Of `enum gcry_mac_algos`; CMAC and GMAC take every length of key that their cipher has.
const CMAC_AES: c_int = 201;
const CMAC_CAMELLIA: c_int = 203;
const CMAC_TWOFISH: c_int = 206;
const CMAC_SERPENT: c_int = 207;
const CMAC_SM4: c_int = 212;
const GMAC_AES: c_int = 401;

const TABLE: Table<Recipe> = &[
    ("aes-128-ecb", Cipher(AES128, Ecb)),
    ("aes-192-ecb", Cipher(AES192, Ecb)),
    ("aes-256-ecb", Cipher(AES256, Ecb)),
    ("camellia-128-ecb", Cipher(CAMELLIA128, Ecb)),
    ("camellia-192-ecb", Cipher(CAMELLIA192, Ecb)),
    ("camellia-256-ecb", Cipher(CAMELLIA256, Ecb)),
    ("twofish-128-ecb", Cipher(TWOFISH128, Ecb)),
    ("twofish-256-ecb", Cipher(TWOFISH256, Ecb)),
    ("serpent-128-ecb", Cipher(SERPENT128, Ecb)),
    ("serpent-192-ecb", Cipher(SERPENT192, Ecb)),
    ("serpent-256-ecb", Cipher(SERPENT256, Ecb)),
    ("idea-ecb", Cipher(IDEA, Ecb)),
    ("sm4-ecb", Cipher(SM4, Ecb)),
    ("aes-128-cbc", Cipher(AES128, Cbc)),
    ("aes-192-cbc", Cipher(AES192, Cbc)),
    ("aes-256-cbc", Cipher(AES256, Cbc)),
    ("camellia-128-cbc", Cipher(CAMELLIA128, Cbc)),
    ("camellia-192-cbc", Cipher(CAMELLIA192, Cbc)),
    ("camellia-256-cbc", Cipher(CAMELLIA256, Cbc)),
    ("twofish-128-cbc", Cipher(TWOFISH128, Cbc)),
    ("twofish-256-cbc", Cipher(TWOFISH256, Cbc)),
    ("serpent-128-cbc", Cipher(SERPENT128, Cbc)),
    ("serpent-192-cbc", Cipher(SERPENT192, Cbc)),
    ("serpent-256-cbc", Cipher(SERPENT256, Cbc)),
    ("idea-cbc", Cipher(IDEA, Cbc)),
    ("sm4-cbc", Cipher(SM4, Cbc)),
    ("aes-128-ctr", Cipher(AES128, Ctr)),
    ("aes-192-ctr", Cipher(AES192, Ctr)),
    ("aes-256-ctr", Cipher(AES256, Ctr)),
    ("camellia-128-ctr", Cipher(CAMELLIA128, Ctr)),
    ("camellia-192-ctr", Cipher(CAMELLIA192, Ctr)),
    ("camellia-256-ctr", Cipher(CAMELLIA256, Ctr)),
    ("twofish-128-ctr", Cipher(TWOFISH128, Ctr)),
    ("twofish-256-ctr", Cipher(TWOFISH256, Ctr)),
    ("serpent-128-ctr", Cipher(SERPENT128, Ctr)),
    ("serpent-192-ctr", Cipher(SERPENT192, Ctr)),
    ("serpent-256-ctr", Cipher(SERPENT256, Ctr)),
    ("sm4-ctr", Cipher(SM4, Ctr)),
    ("chacha20", Cipher(CHACHA20, Stream)),
    ("rc4-128", Cipher(ARCFOUR, Stream)),
    ("aes-128-gcm", Aead(AES128, Gcm)),
    ("aes-192-gcm", Aead(AES192, Gcm)),
    ("aes-256-gcm", Aead(AES256, Gcm)),
    ("camellia-128-gcm", Aead(CAMELLIA128, Gcm)),
    ("camellia-256-gcm", Aead(CAMELLIA256, Gcm)),
    ("sm4-gcm", Aead(SM4, Gcm)),
    ("aes-128-ccm", Aead(AES128, Ccm)),
    ("aes-256-ccm", Aead(AES256, Ccm)),
    ("aes-128-ocb", Aead(AES128, Ocb)),
    ("aes-256-ocb", Aead(AES256, Ocb)),
    ("aes-128-gcm-siv", Aead(AES128, GcmSiv)),
    ("aes-256-gcm-siv", Aead(AES256, GcmSiv)),
    ("chacha20-poly1305", Aead(CHACHA20, Poly1305)),
    ("hmac-md5", Mac(106, AnyLength)),
    ("hmac-sha1", Mac(105, AnyLength)),
    ("hmac-sha224", Mac(102, AnyLength)),
    ("hmac-sha256", Mac(101, AnyLength)),
    ("hmac-sha384", Mac(104, AnyLength)),
    ("hmac-sha512", Mac(103, AnyLength)),
    ("hmac-sha3-256", Mac(116, AnyLength)),
    ("hmac-sha3-512", Mac(118, AnyLength)),
    ("cmac-aes-128", Mac(CMAC_AES, OneLength)),
    ("cmac-aes-192", Mac(CMAC_AES, OneLength)),
    ("cmac-aes-256", Mac(CMAC_AES, OneLength)),
    ("cmac-camellia-128", Mac(CMAC_CAMELLIA, OneLength)),
    ("cmac-camellia-256", Mac(CMAC_CAMELLIA, OneLength)),
    ("cmac-twofish-128", Mac(CMAC_TWOFISH, OneLength)),
    ("cmac-twofish-256", Mac(CMAC_TWOFISH, OneLength)),
    ("cmac-serpent-128", Mac(CMAC_SERPENT, OneLength)),
    ("cmac-serpent-256", Mac(CMAC_SERPENT, OneLength)),
    ("cmac-sm4", Mac(CMAC_SM4, OneLength)),
    ("cbc-mac-aes-128", CbcMac(AES128)),
    ("cbc-mac-aes-256", CbcMac(AES256)),
    ("cbc-mac-camellia-128", CbcMac(CAMELLIA128)),
    ("cbc-mac-serpent-128", CbcMac(SERPENT128)),
    ("cbc-mac-twofish-128", CbcMac(TWOFISH128)),
    ("gmac-aes-128", Mac(GMAC_AES, OneLength)),
    ("gmac-aes-256", Mac(GMAC_AES, OneLength)),
    ("poly1305", Mac(501, OneLength)),
    ("md5", Hash(1)),
    ("sha1", Hash(2)),
    ("ripemd160", Hash(3)),
    ("sha224", Hash(11)),
    ("sha256", Hash(8)),
    ("sha384", Hash(9)),
    ("sha512", Hash(10)),
    ("sha512-256", Hash(327)),
    ("sha3-224", Hash(312)),
    ("sha3-256", Hash(313)),
    ("sha3-384", Hash(314)),
    ("sha3-512", Hash(315)),
    ("blake2b-512", Hash(318)),
    ("blake2s-256", Hash(322)),
    ("sm3", Hash(326)),
];

impl table::Recipe for Recipe {
    type Library = Libgcrypt;

    fn create(
        self,
        libgcrypt: &'static Libgcrypt,
        facts: &'static Algorithm,
        request: &Request<'_>,
    ) -> Result<Box<dyn Function>, CreateError> {
        match self {
            Aead(algorithm, mode) => aead::create(libgcrypt, algorithm, mode, facts, request),
            Cipher(algorithm, mode) => cipher::create(libgcrypt, algorithm, mode, facts, request),
            Mac(algorithm, keys) => mac::create(libgcrypt, algorithm, keys, facts, request),
            CbcMac(algorithm) => cbc_mac::create(libgcrypt, algorithm, facts, request),
            Hash(algorithm) => Ok(Box::new(hash::Hash::new(libgcrypt, algorithm, request)?)),
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_line_has_facts() {
        crate::table::tests::every_line_has_facts(super::TABLE);
    }
}
