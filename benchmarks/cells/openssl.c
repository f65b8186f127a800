/* Digests, MACs and AEADs of OpenSSL 3, whose contexts keep the key. */
#include "loop.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

static EVP_MD_CTX *hash;
static EVP_MAC_CTX *mac_context;
static EVP_CIPHER_CTX *cipher;
static OSSL_PARAM tag_parameter[2];

static void start_hash(const char *name)
{
    hash = EVP_MD_CTX_new();
    require(EVP_DigestInit_ex2(hash, EVP_MD_fetch(NULL, name, NULL), NULL) == 1);
}

static void start_sha256(void)
{
    start_hash("SHA2-256");
}

static void start_sha3_256(void)
{
    start_hash("SHA3-256");
}

static void start_md5(void)
{
    start_hash("MD5");
}

static void digest(void)
{
    require(EVP_DigestInit_ex2(hash, NULL, NULL) == 1);
    require(EVP_DigestUpdate(hash, message, bytes) == 1);
    require(EVP_DigestFinal_ex(hash, tag, NULL) == 1);
}

static void start_mac(const char *name, const char *parameter, char *value, size_t key_bytes)
{
    OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(parameter, value, 0),
                               OSSL_PARAM_construct_end()};
    mac_context = EVP_MAC_CTX_new(EVP_MAC_fetch(NULL, name, NULL));
    require(EVP_MAC_init(mac_context, key, key_bytes, parameters) == 1);
}

static void start_hmac_sha256(void)
{
    start_mac("HMAC", OSSL_MAC_PARAM_DIGEST, "SHA2-256", 32);
}

static void start_cmac_aes_128(void)
{
    start_mac("CMAC", OSSL_MAC_PARAM_CIPHER, "AES-128-CBC", 16);
}

static void mac(void)
{
    size_t written;
    require(EVP_MAC_init(mac_context, NULL, 0, NULL) == 1);
    require(EVP_MAC_update(mac_context, message, bytes) == 1);
    require(EVP_MAC_final(mac_context, tag, &written, sizeof tag) == 1);
}

static void start_aead(const char *name)
{
    cipher = EVP_CIPHER_CTX_new();
    tag_parameter[0] = OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, tag, 16);
    tag_parameter[1] = OSSL_PARAM_construct_end();
    require(EVP_EncryptInit_ex2(cipher, EVP_CIPHER_fetch(NULL, name, NULL), key, NULL, NULL) == 1);
}

static void start_aes_128_gcm(void)
{
    start_aead("AES-128-GCM");
}

static void start_chacha20_poly1305(void)
{
    start_aead("ChaCha20-Poly1305");
}

static void seal(void)
{
    int written;
    next_nonce();
    require(EVP_EncryptInit_ex2(cipher, NULL, NULL, nonce, NULL) == 1);
    require(EVP_EncryptUpdate(cipher, output, &written, message, (int)bytes) == 1);
    require(EVP_EncryptFinal_ex(cipher, output + written, &written) == 1);
    require(EVP_CIPHER_CTX_get_params(cipher, tag_parameter) == 1);
}

PROGRAM({"md5", start_md5, digest}, {"sha256", start_sha256, digest},
        {"sha3-256", start_sha3_256, digest}, {"hmac-sha256", start_hmac_sha256, mac},
        {"cmac-aes-128", start_cmac_aes_128, mac}, {"aes-128-gcm", start_aes_128_gcm, seal},
        {"chacha20-poly1305", start_chacha20_poly1305, seal})
