//! The functions of libcrypto that are called, as one table of typed pointers.
//!
//! Names, types and numbers are those of the headers of OpenSSL 3.0 (`crypto.h`, `err.h`,
//! `evp.h`, `provider.h`), which later versions of OpenSSL 3 keep.

use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};

use super::params::OSSL_PARAM;
use crate::shared_library::{function_table, opaque_types};

opaque_types! { OSSL_PROVIDER EVP_CIPHER EVP_CIPHER_CTX EVP_MD EVP_MD_CTX EVP_MAC EVP_MAC_CTX }

/// Library context (null for the default one), name, property query (null for none).
pub type Fetch<T> = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> *mut T;

/// What gives an object back.
pub type Free<T> = unsafe extern "C" fn(*mut T);

/// `EVP_EncryptInit_ex2` and its mirror: context, cipher, key, IV, parameters.
pub type CipherInit = unsafe extern "C" fn(
    *mut EVP_CIPHER_CTX,
    *const EVP_CIPHER,
    *const u8,
    *const u8,
    *const OSSL_PARAM,
) -> c_int;

/// `EVP_EncryptUpdate` and its mirror: context, output, bytes written, input, bytes of input.
pub type CipherUpdate =
    unsafe extern "C" fn(*mut EVP_CIPHER_CTX, *mut u8, *mut c_int, *const u8, c_int) -> c_int;

/// `EVP_EncryptFinal_ex` and its mirror: context, output, bytes written.
pub type CipherFinal = unsafe extern "C" fn(*mut EVP_CIPHER_CTX, *mut u8, *mut c_int) -> c_int;

function_table! {
    Libcrypto {
        OpenSSL_version: unsafe extern "C" fn(c_int) -> *const c_char,
        OpenSSL_version_num: unsafe extern "C" fn() -> c_ulong,
        OPENSSL_info: unsafe extern "C" fn(c_int) -> *const c_char,
        CRYPTO_memcmp: unsafe extern "C" fn(*const c_void, *const c_void, usize) -> c_int,

        ERR_get_error: unsafe extern "C" fn() -> c_ulong,
        ERR_error_string_n: unsafe extern "C" fn(c_ulong, *mut c_char, usize),
        ERR_clear_error: unsafe extern "C" fn(),

        OSSL_PROVIDER_try_load:
            unsafe extern "C" fn(*mut c_void, *const c_char, c_int) -> *mut OSSL_PROVIDER,

        EVP_CIPHER_fetch: Fetch<EVP_CIPHER>,
        EVP_CIPHER_free: Free<EVP_CIPHER>,
        EVP_CIPHER_get_key_length: unsafe extern "C" fn(*const EVP_CIPHER) -> c_int,
        EVP_CIPHER_get_iv_length: unsafe extern "C" fn(*const EVP_CIPHER) -> c_int,
        EVP_CIPHER_get_block_size: unsafe extern "C" fn(*const EVP_CIPHER) -> c_int,
        EVP_CIPHER_CTX_new: unsafe extern "C" fn() -> *mut EVP_CIPHER_CTX,
        EVP_CIPHER_CTX_free: Free<EVP_CIPHER_CTX>,
        EVP_CIPHER_CTX_copy:
            unsafe extern "C" fn(*mut EVP_CIPHER_CTX, *const EVP_CIPHER_CTX) -> c_int,
        EVP_CIPHER_CTX_get_params: unsafe extern "C" fn(*mut EVP_CIPHER_CTX, *mut OSSL_PARAM) -> c_int,
        EVP_EncryptInit_ex2: CipherInit,
        EVP_EncryptUpdate: CipherUpdate,
        EVP_EncryptFinal_ex: CipherFinal,
        EVP_DecryptInit_ex2: CipherInit,
        EVP_DecryptUpdate: CipherUpdate,
        EVP_DecryptFinal_ex: CipherFinal,

        EVP_MD_fetch: Fetch<EVP_MD>,
        EVP_MD_free: Free<EVP_MD>,
        EVP_MD_get_size: unsafe extern "C" fn(*const EVP_MD) -> c_int,
        EVP_MD_CTX_new: unsafe extern "C" fn() -> *mut EVP_MD_CTX,
        EVP_MD_CTX_free: Free<EVP_MD_CTX>,
        EVP_DigestInit_ex2:
            unsafe extern "C" fn(*mut EVP_MD_CTX, *const EVP_MD, *const OSSL_PARAM) -> c_int,
        EVP_DigestUpdate: unsafe extern "C" fn(*mut EVP_MD_CTX, *const c_void, usize) -> c_int,
        EVP_DigestFinal_ex: unsafe extern "C" fn(*mut EVP_MD_CTX, *mut u8, *mut c_uint) -> c_int,

        EVP_MAC_fetch: Fetch<EVP_MAC>,
        EVP_MAC_free: Free<EVP_MAC>,
        EVP_MAC_CTX_new: unsafe extern "C" fn(*mut EVP_MAC) -> *mut EVP_MAC_CTX,
        EVP_MAC_CTX_free: Free<EVP_MAC_CTX>,
        EVP_MAC_CTX_get_mac_size: unsafe extern "C" fn(*mut EVP_MAC_CTX) -> usize,
        EVP_MAC_init:
            unsafe extern "C" fn(*mut EVP_MAC_CTX, *const u8, usize, *const OSSL_PARAM) -> c_int,
        EVP_MAC_update: unsafe extern "C" fn(*mut EVP_MAC_CTX, *const u8, usize) -> c_int,
        EVP_MAC_final: unsafe extern "C" fn(*mut EVP_MAC_CTX, *mut u8, *mut usize, usize) -> c_int,
    }
}
