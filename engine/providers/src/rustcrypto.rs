//! RustCrypto: pure Rust, compiled into the engine.
//!
//! The code path (AES instructions, SHA instructions, AVX2, …) is chosen at run time by the crates
//! themselves and cannot be asked for, so the one backend is `default`.
//!
//! What is timed, in the way that the crates offer to a caller who keeps a key:
//!
//! | operation | timed |
//! |---|---|
//! | setup | the keyed object made from the key's bytes; ciphers expand both directions |
//! | seal, open | one detached call from buffer to buffer; `open` checks the tag before or after it decrypts, as the mode asks |
//! | encrypt, decrypt | a CBC or CTR object made on the kept key schedule by reference, one call; ECB is the one call |
//! | mac, verify | update and finalise; the finalising call resets to the kept key |
//! | mac, verify of GMAC | the AEAD's detached call without a text |
//! | mac, verify of Poly1305 | a copy of the keyed state, one call |
//! | keystream | ChaCha20: the generator made from key and nonce, one call; RC4: one call, and the key schedule anew |
//! | digest | a new hasher, update, finalise into the output |
//!
//! In chunks, hashers, MACs, CBC, CTR and stream ciphers go on where they were; AEADs (and so GMAC)
//! take whole messages, and Poly1305 takes whole blocks until the last, so neither has chunks here.
//! There is no context to make anew: a one-shot caller pays for the key alone.
//!
//! Of the ways to reuse a key the fastest was taken: resetting a MAC is quicker than cloning it
//! (CMAC at 16 bytes by half), a new hasher is as quick as a reset one, and the types for one
//! direction (`Aes128Enc`) are not quicker to set up than those for both. Nothing is allocated
//! while a message is processed. A `setup` of ChaCha20 only copies the key, and RC4 pays for its
//! key schedule with every message, since the crate's state can be neither copied nor rewound.
//!
//! The crates cost here what they cost in an ordinary release build, without `-C target-cpu`. For
//! `poly1305` 0.9 that matters: the intrinsics of its AVX2 code are then calls and not inlined,
//! which makes short messages of Poly1305 and ChaCha20-Poly1305 dear. The block ciphers other than
//! AES take one block at a time, and Twofish computes S-boxes and matrix anew for every byte: more
//! than a thousand cycles each.
//!
//! Ascon-AEAD128 is that of the crate `ascon-aead`, which began in RustCrypto: their own
//! `ascon-aead128` 0.1.1 does not compile with the `ascon` 0.5.0 that it asks for
//! (<https://github.com/RustCrypto/AEADs/pull/884>).
//!
//! Left out: `xtea`, which reads its words as little-endian; `xtea-ecb` has them big-endian.

mod aead;
mod cipher;
mod hash;
mod keyed;
mod mac;
mod poly1305;
mod stream;

use std::path::Path;

use ::aes::cipher::consts::{U1, U4, U5, U8, U12, U16, U20, U24, U32};
use ::aes::{Aes128, Aes192, Aes256};
use ::camellia::{Camellia128, Camellia192, Camellia256};
use ::serpent::Serpent;
use ::twofish::Twofish;
use ciphermark_algorithms::Algorithm;
use hmac::{HmacReset, SimpleHmacReset};
use idea::Idea;
use sm4::Sm4;

use self::keyed::KeyLengths;
use crate::api::*;
use crate::table::{self, Table, TableProvider};
use crate::{checks, compiled_in};

const NAME: &str = "rustcrypto";

pub const REGISTRATION: Registration =
    Registration { name: NAME, title: "RustCrypto", open, listed: true, switches: None };

fn open(path: Option<&Path>) -> Opened {
    compiled_in::refuse_path(NAME, path)?;
    let library = Library {
        version: env!("RUSTCRYPTO_CALLED").into(),
        location: compiled_in::LOCATION.into(),
        build: format!("with {}", env!("RUSTCRYPTO_BENEATH")),
    };
    Ok(Box::new(TableProvider { name: NAME, functions: &(), library, table: TABLE }))
}

type Gcm<C> = aes_gcm::AesGcm<C, U12>;
type Ccm<C> = ccm::Ccm<C, U16, U12>;
type Ocb<C> = ocb3::Ocb3<C>;
/// 32-bit words.
type Rc5<Rounds, KeyBytes> = rc5::RC5<u32, Rounds, KeyBytes>;
/// 32-bit words and 20 rounds.
type Rc6<KeyBytes> = rc6::RC6<u32, U20, KeyBytes>;

const TABLE: Table<Recipe> = &[
    ("aes-128-gcm", aead::recipe::<Gcm<Aes128>>().constant_time()),
    ("aes-192-gcm", aead::recipe::<Gcm<Aes192>>().constant_time()),
    ("aes-256-gcm", aead::recipe::<Gcm<Aes256>>().constant_time()),
    ("aes-128-gcm-siv", aead::recipe::<aes_gcm_siv::Aes128GcmSiv>().constant_time()),
    ("aes-256-gcm-siv", aead::recipe::<aes_gcm_siv::Aes256GcmSiv>().constant_time()),
    ("aes-128-ccm", aead::recipe::<Ccm<Aes128>>()),
    ("aes-256-ccm", aead::recipe::<Ccm<Aes256>>()),
    ("aes-128-ocb", aead::recipe::<Ocb<Aes128>>()),
    ("aes-256-ocb", aead::recipe::<Ocb<Aes256>>()),
    ("camellia-128-gcm", aead::recipe::<Gcm<Camellia128>>()),
    ("camellia-256-gcm", aead::recipe::<Gcm<Camellia256>>()),
    ("sm4-gcm", aead::recipe::<Gcm<Sm4>>()),
    ("chacha20-poly1305", aead::recipe::<chacha20poly1305::ChaCha20Poly1305>().constant_time()),
    ("xchacha20-poly1305", aead::recipe::<chacha20poly1305::XChaCha20Poly1305>().constant_time()),
    ("ascon-aead128", aead::recipe::<ascon_aead::AsconAead128>()),
    ("aes-128-ecb", cipher::ecb::<Aes128>().constant_time()),
    ("aes-192-ecb", cipher::ecb::<Aes192>().constant_time()),
    ("aes-256-ecb", cipher::ecb::<Aes256>().constant_time()),
    ("aes-128-cbc", cipher::cbc::<Aes128>().constant_time()),
    ("aes-192-cbc", cipher::cbc::<Aes192>().constant_time()),
    ("aes-256-cbc", cipher::cbc::<Aes256>().constant_time()),
    ("aes-128-ctr", cipher::ctr::<Aes128>().constant_time()),
    ("aes-192-ctr", cipher::ctr::<Aes192>().constant_time()),
    ("aes-256-ctr", cipher::ctr::<Aes256>().constant_time()),
    ("camellia-128-ecb", cipher::ecb::<Camellia128>()),
    ("camellia-192-ecb", cipher::ecb::<Camellia192>()),
    ("camellia-256-ecb", cipher::ecb::<Camellia256>()),
    ("camellia-128-cbc", cipher::cbc::<Camellia128>()),
    ("camellia-192-cbc", cipher::cbc::<Camellia192>()),
    ("camellia-256-cbc", cipher::cbc::<Camellia256>()),
    ("camellia-128-ctr", cipher::ctr::<Camellia128>()),
    ("camellia-192-ctr", cipher::ctr::<Camellia192>()),
    ("camellia-256-ctr", cipher::ctr::<Camellia256>()),
    ("twofish-128-ecb", cipher::ecb::<Twofish>()),
    ("twofish-192-ecb", cipher::ecb::<Twofish>()),
    ("twofish-256-ecb", cipher::ecb::<Twofish>()),
    ("twofish-128-cbc", cipher::cbc::<Twofish>()),
    ("twofish-192-cbc", cipher::cbc::<Twofish>()),
    ("twofish-256-cbc", cipher::cbc::<Twofish>()),
    ("twofish-128-ctr", cipher::ctr::<Twofish>()),
    ("twofish-192-ctr", cipher::ctr::<Twofish>()),
    ("twofish-256-ctr", cipher::ctr::<Twofish>()),
    ("serpent-128-ecb", cipher::ecb::<Serpent>()),
    ("serpent-192-ecb", cipher::ecb::<Serpent>()),
    ("serpent-256-ecb", cipher::ecb::<Serpent>()),
    ("serpent-128-cbc", cipher::cbc::<Serpent>()),
    ("serpent-192-cbc", cipher::cbc::<Serpent>()),
    ("serpent-256-cbc", cipher::cbc::<Serpent>()),
    ("serpent-128-ctr", cipher::ctr::<Serpent>()),
    ("serpent-192-ctr", cipher::ctr::<Serpent>()),
    ("serpent-256-ctr", cipher::ctr::<Serpent>()),
    ("sm4-ecb", cipher::ecb::<Sm4>()),
    ("sm4-cbc", cipher::cbc::<Sm4>()),
    ("sm4-ctr", cipher::ctr::<Sm4>()),
    ("rc6-32-20-16-ecb", cipher::ecb::<Rc6<U16>>()),
    ("rc6-32-20-24-ecb", cipher::ecb::<Rc6<U24>>()),
    ("rc6-32-20-32-ecb", cipher::ecb::<Rc6<U32>>()),
    ("rc6-32-20-16-cbc", cipher::cbc::<Rc6<U16>>()),
    ("rc6-32-20-24-cbc", cipher::cbc::<Rc6<U24>>()),
    ("rc6-32-20-32-cbc", cipher::cbc::<Rc6<U32>>()),
    ("rc6-32-20-16-ctr", cipher::ctr::<Rc6<U16>>()),
    ("rc6-32-20-24-ctr", cipher::ctr::<Rc6<U24>>()),
    ("rc6-32-20-32-ctr", cipher::ctr::<Rc6<U32>>()),
    ("rc5-32-8-8-ecb", cipher::ecb::<Rc5<U8, U8>>()),
    ("rc5-32-12-8-ecb", cipher::ecb::<Rc5<U12, U8>>()),
    ("rc5-32-12-16-ecb", cipher::ecb::<Rc5<U12, U16>>()),
    ("rc5-32-16-8-ecb", cipher::ecb::<Rc5<U16, U8>>()),
    ("rc5-32-8-5-cbc", cipher::cbc::<Rc5<U8, U5>>()),
    ("rc5-32-8-8-cbc", cipher::cbc::<Rc5<U8, U8>>()),
    ("rc5-32-8-16-cbc", cipher::cbc::<Rc5<U8, U16>>()),
    ("rc5-32-12-1-cbc", cipher::cbc::<Rc5<U12, U1>>()),
    ("rc5-32-12-4-cbc", cipher::cbc::<Rc5<U12, U4>>()),
    ("rc5-32-12-5-cbc", cipher::cbc::<Rc5<U12, U5>>()),
    ("rc5-32-12-8-cbc", cipher::cbc::<Rc5<U12, U8>>()),
    ("rc5-32-12-16-cbc", cipher::cbc::<Rc5<U12, U16>>()),
    ("idea-ecb", cipher::ecb::<Idea>()),
    ("idea-cbc", cipher::cbc::<Idea>()),
    ("cmac-aes-128", mac::cmac::<Aes128>().constant_time()),
    ("cmac-aes-192", mac::cmac::<Aes192>().constant_time()),
    ("cmac-aes-256", mac::cmac::<Aes256>().constant_time()),
    ("cmac-camellia-128", mac::cmac::<Camellia128>()),
    ("cmac-camellia-256", mac::cmac::<Camellia256>()),
    ("cmac-twofish-128", mac::cmac::<Twofish>()),
    ("cmac-twofish-256", mac::cmac::<Twofish>()),
    ("cmac-serpent-128", mac::cmac::<Serpent>()),
    ("cmac-serpent-256", mac::cmac::<Serpent>()),
    ("cmac-rc6-128", mac::cmac::<Rc6<U16>>()),
    ("cmac-rc6-256", mac::cmac::<Rc6<U32>>()),
    ("cmac-sm4", mac::cmac::<Sm4>()),
    ("cbc-mac-aes-128", mac::cbc_mac::<Aes128>().constant_time()),
    ("cbc-mac-aes-256", mac::cbc_mac::<Aes256>().constant_time()),
    ("cbc-mac-camellia-128", mac::cbc_mac::<Camellia128>()),
    ("cbc-mac-twofish-128", mac::cbc_mac::<Twofish>()),
    ("cbc-mac-serpent-128", mac::cbc_mac::<Serpent>()),
    ("cbc-mac-rc6-128", mac::cbc_mac::<Rc6<U16>>()),
    ("cbc-mac-rc6-256", mac::cbc_mac::<Rc6<U32>>()),
    ("gmac-aes-128", aead::gmac::<Gcm<Aes128>>().constant_time()),
    ("gmac-aes-256", aead::gmac::<Gcm<Aes256>>().constant_time()),
    ("poly1305", poly1305::recipe().constant_time()),
    ("hmac-md5", mac::hmac::<HmacReset<md5::Md5>>()),
    ("hmac-sha1", mac::hmac::<HmacReset<sha1::Sha1>>()),
    ("hmac-sha224", mac::hmac::<HmacReset<sha2::Sha224>>()),
    ("hmac-sha256", mac::hmac::<HmacReset<sha2::Sha256>>()),
    ("hmac-sha384", mac::hmac::<HmacReset<sha2::Sha384>>()),
    ("hmac-sha512", mac::hmac::<HmacReset<sha2::Sha512>>()),
    ("hmac-sha3-256", mac::hmac::<SimpleHmacReset<sha3::Sha3_256>>()),
    ("hmac-sha3-512", mac::hmac::<SimpleHmacReset<sha3::Sha3_512>>()),
    ("blake2b-mac-512", mac::recipe::<blake2::Blake2bMac512>()),
    ("blake2s-mac-256", mac::recipe::<blake2::Blake2sMac256>()),
    ("chacha20", stream::with_nonce::<chacha20::ChaCha20>().constant_time()),
    ("xchacha20", stream::with_nonce::<chacha20::XChaCha20>().constant_time()),
    ("rc4-128", stream::rc4_128()),
    ("ascon-hash256", hash::recipe::<ascon_hash256::AsconHash256>()),
    ("blake2b-512", hash::recipe::<blake2::Blake2b512>()),
    ("blake2s-256", hash::recipe::<blake2::Blake2s256>()),
    ("md5", hash::recipe::<md5::Md5>()),
    ("ripemd160", hash::recipe::<ripemd::Ripemd160>()),
    ("sha1", hash::recipe::<sha1::Sha1>()),
    ("sha224", hash::recipe::<sha2::Sha224>()),
    ("sha256", hash::recipe::<sha2::Sha256>()),
    ("sha384", hash::recipe::<sha2::Sha384>()),
    ("sha512", hash::recipe::<sha2::Sha512>()),
    ("sha512-256", hash::recipe::<sha2::Sha512_256>()),
    ("sha3-224", hash::recipe::<sha3::Sha3_224>()),
    ("sha3-256", hash::recipe::<sha3::Sha3_256>()),
    ("sha3-384", hash::recipe::<sha3::Sha3_384>()),
    ("sha3-512", hash::recipe::<sha3::Sha3_512>()),
    ("sm3", hash::recipe::<sm3::Sm3>()),
];

/// How the functions of one algorithm are made.
#[derive(Clone, Copy)]
struct Recipe {
    create: fn(KeyLengths, Operation) -> Box<dyn Function>,
    any_key: bool,
    constant_time: Option<bool>,
}

impl Recipe {
    const fn new(create: fn(KeyLengths, Operation) -> Box<dyn Function>) -> Self {
        Self { create, any_key: false, constant_time: None }
    }

    const fn with_keys_of_any_length(self) -> Self {
        Self { any_key: true, ..self }
    }

    /// With the authors' statement that the code's time does not depend on secrets. The crate
    /// `aes` makes it for both its code paths, and ECB, CBC, CTR, CMAC and CBC-MAC add nothing that
    /// looks at data; `chacha20` makes it, and `aes-gcm`, `aes-gcm-siv`, `chacha20poly1305` and
    /// `poly1305` do for processors that multiply in constant time, as those of our platforms do.
    /// `ccm`, `ocb3` and the other block ciphers say that it was not assessed; the hashes, `rc4` and
    /// Ascon say nothing.
    const fn constant_time(self) -> Self {
        Self { constant_time: Some(true), ..self }
    }
}

impl table::Recipe for Recipe {
    type Library = ();

    fn create(
        self,
        _: &'static (),
        facts: &'static Algorithm,
        request: &Request<'_>,
    ) -> Result<Box<dyn Function>, CreateError> {
        checks::check_nonce(request, facts.nonce_bytes as usize)?;
        let key_bytes = facts.key_bytes as usize;
        let key_lengths = if self.any_key { 0..=usize::MAX } else { key_bytes..=key_bytes };
        Ok((self.create)(key_lengths, request.operation))
    }

    fn constant_time(self) -> Option<bool> {
        self.constant_time
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_line_has_facts() {
        crate::testing::every_line_has_facts(super::TABLE);
    }
}
