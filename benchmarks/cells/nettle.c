/* Nettle: its contexts are structures of the caller. */
#include "loop.h"

#include <nettle/chacha-poly1305.h>
#include <nettle/cmac.h>
#include <nettle/gcm.h>
#include <nettle/hmac.h>
#include <nettle/sha2.h>
#include <nettle/umac.h>

static struct sha256_ctx *sha256;
static struct hmac_sha256_ctx *hmac;
static struct cmac_aes128_ctx *cmac;
static struct umac32_ctx *umac32;
static struct umac64_ctx *umac64;
static struct gcm_aes128_ctx *gcm;
static struct chacha_poly1305_ctx *chacha;

static void start_sha256(void)
{
    sha256 = context_of(sizeof *sha256);
    sha256_init(sha256);
}

static void digest_sha256(void)
{
    sha256_update(sha256, bytes, message);
    sha256_digest(sha256, 32, tag);
}

static void start_hmac(void)
{
    hmac = context_of(sizeof *hmac);
    hmac_sha256_set_key(hmac, 32, key);
}

static void mac_hmac(void)
{
    hmac_sha256_update(hmac, bytes, message);
    hmac_sha256_digest(hmac, 32, tag);
}

static void start_cmac(void)
{
    cmac = context_of(sizeof *cmac);
    cmac_aes128_set_key(cmac, key);
}

static void mac_cmac(void)
{
    cmac_aes128_update(cmac, bytes, message);
    cmac_aes128_digest(cmac, 16, tag);
}

/* RFC 4418. */
static void start_umac32(void)
{
    umac32 = context_of(sizeof *umac32);
    umac32_set_key(umac32, key);
}

static void mac_umac32(void)
{
    next_nonce();
    umac32_set_nonce(umac32, 8, nonce);
    umac32_update(umac32, bytes, message);
    umac32_digest(umac32, 4, tag);
}

static void start_umac64(void)
{
    umac64 = context_of(sizeof *umac64);
    umac64_set_key(umac64, key);
}

static void mac_umac64(void)
{
    next_nonce();
    umac64_set_nonce(umac64, 8, nonce);
    umac64_update(umac64, bytes, message);
    umac64_digest(umac64, 8, tag);
}

static void start_gcm(void)
{
    gcm = context_of(sizeof *gcm);
    gcm_aes128_set_key(gcm, key);
}

static void seal_gcm(void)
{
    next_nonce();
    gcm_aes128_set_iv(gcm, 12, nonce);
    gcm_aes128_encrypt(gcm, bytes, output, message);
    gcm_aes128_digest(gcm, 16, output + bytes);
}

static void start_chacha(void)
{
    chacha = context_of(sizeof *chacha);
    chacha_poly1305_set_key(chacha, key);
}

static void seal_chacha(void)
{
    next_nonce();
    chacha_poly1305_set_nonce(chacha, nonce);
    chacha_poly1305_encrypt(chacha, bytes, output, message);
    chacha_poly1305_digest(chacha, 16, output + bytes);
}

PROGRAM({"sha256", start_sha256, digest_sha256}, {"hmac-sha256", start_hmac, mac_hmac},
        {"cmac-aes-128", start_cmac, mac_cmac}, {"umac-32", start_umac32, mac_umac32},
        {"umac-64", start_umac64, mac_umac64}, {"aes-128-gcm", start_gcm, seal_gcm},
        {"chacha20-poly1305", start_chacha, seal_chacha})
