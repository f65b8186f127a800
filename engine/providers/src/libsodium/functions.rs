//! The functions of libsodium that are called, as one table of typed pointers.
//!
//! Names and types are those of the headers of libsodium 1.0.12, which later versions keep.

use std::ffi::{c_char, c_int, c_void};

use crate::shared_library::function_table;

/// Output, its length, plaintext and its length, associated data and its length, null, nonce, key
/// or what was made from it.
pub type Seal = unsafe extern "C" fn(
    *mut u8,
    *mut u64,
    *const u8,
    u64,
    *const u8,
    u64,
    *const u8,
    *const u8,
    *const c_void,
) -> c_int;

/// Output, its length, null, ciphertext with tag and its length, associated data and its length,
/// nonce, key or what was made from it.
pub type Open = unsafe extern "C" fn(
    *mut u8,
    *mut u64,
    *mut u8,
    *const u8,
    u64,
    *const u8,
    u64,
    *const u8,
    *const c_void,
) -> c_int;

/// What is made from a key, and the key.
pub type Expand = unsafe extern "C" fn(*mut c_void, *const u8) -> c_int;

/// Keystream, its length, nonce, key.
pub type Stream = unsafe extern "C" fn(*mut u8, u64, *const u8, *const u8) -> c_int;

/// Tag, message, its length, key.
pub type OneShot = unsafe extern "C" fn(*mut u8, *const u8, u64, *const u8) -> c_int;

/// Digest, message, its length.
pub type Hash = unsafe extern "C" fn(*mut u8, *const u8, u64) -> c_int;

/// State, key, its length.
type HmacInit = unsafe extern "C" fn(*mut c_void, *const u8, usize) -> c_int;
/// State, message, its length.
pub type Update = unsafe extern "C" fn(*mut c_void, *const u8, u64) -> c_int;
/// State, tag or digest.
pub type Final = unsafe extern "C" fn(*mut c_void, *mut u8) -> c_int;
/// State, key.
pub type KeyedInit = unsafe extern "C" fn(*mut c_void, *const u8) -> c_int;
/// State.
pub type HashInit = unsafe extern "C" fn(*mut c_void) -> c_int;

/// Answers a question with a number.
pub type Number = unsafe extern "C" fn() -> c_int;
pub type Bytes = unsafe extern "C" fn() -> usize;

function_table! {
    Libsodium {
        sodium_version_string: unsafe extern "C" fn() -> *const c_char,
        sodium_memcmp: unsafe extern "C" fn(*const c_void, *const c_void, usize) -> c_int,
        sodium_runtime_has_neon: Number,
        sodium_runtime_has_sse2: Number,
        sodium_runtime_has_ssse3: Number,
        sodium_runtime_has_sse41: Number,
        sodium_runtime_has_avx: Number,
        sodium_runtime_has_avx2: Number,
        sodium_runtime_has_avx512f: Number,
        sodium_runtime_has_pclmul: Number,
        sodium_runtime_has_aesni: Number,

        crypto_aead_aes256gcm_is_available: Number,
        crypto_aead_aes256gcm_statebytes: Bytes,
        crypto_aead_aes256gcm_beforenm: Expand,
        crypto_aead_aes256gcm_encrypt_afternm: Seal,
        crypto_aead_aes256gcm_decrypt_afternm: Open,
        crypto_aead_chacha20poly1305_ietf_encrypt: Seal,
        crypto_aead_chacha20poly1305_ietf_decrypt: Open,
        crypto_aead_xchacha20poly1305_ietf_encrypt: Seal,
        crypto_aead_xchacha20poly1305_ietf_decrypt: Open,

        crypto_stream_chacha20_ietf: Stream,
        crypto_stream_xchacha20: Stream,

        crypto_onetimeauth: OneShot,
        crypto_onetimeauth_statebytes: Bytes,
        crypto_onetimeauth_init: KeyedInit,
        crypto_onetimeauth_update: Update,
        crypto_onetimeauth_final: Final,
        crypto_shorthash: OneShot,
        crypto_shorthash_siphashx24: OneShot,

        crypto_auth_hmacsha256_statebytes: Bytes,
        crypto_auth_hmacsha256_init: HmacInit,
        crypto_auth_hmacsha256_update: Update,
        crypto_auth_hmacsha256_final: Final,
        crypto_auth_hmacsha512_statebytes: Bytes,
        crypto_auth_hmacsha512_init: HmacInit,
        crypto_auth_hmacsha512_update: Update,
        crypto_auth_hmacsha512_final: Final,
        crypto_generichash_statebytes: Bytes,
        crypto_generichash_init: unsafe extern "C" fn(*mut c_void, *const u8, usize, usize) -> c_int,
        crypto_generichash_update: Update,
        crypto_generichash_final: unsafe extern "C" fn(*mut c_void, *mut u8, usize) -> c_int,

        crypto_generichash:
            unsafe extern "C" fn(*mut u8, usize, *const u8, u64, *const u8, usize) -> c_int,
        crypto_hash_sha256: Hash,
        crypto_hash_sha256_statebytes: Bytes,
        crypto_hash_sha256_init: HashInit,
        crypto_hash_sha256_update: Update,
        crypto_hash_sha256_final: Final,
        crypto_hash_sha512: Hash,
        crypto_hash_sha512_statebytes: Bytes,
        crypto_hash_sha512_init: HashInit,
        crypto_hash_sha512_update: Update,
        crypto_hash_sha512_final: Final,
    }
}
