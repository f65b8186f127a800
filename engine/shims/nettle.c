/*
 * Nettle 3.7 and later 3.x, and 4.0. Linked with -lnettle.
 *
 * Nettle describes its ciphers and hashes by structures of function pointers (`nettle-meta.h`),
 * which most rows below have as parameters. Where it has a function for one cipher that is faster
 * than the general one (CBC with AES, from 3.8 on), the row uses it.
 *
 * Its calls cannot fail, so all functions here return that they are done.
 */
#include <stdio.h>
#include <string.h>

#include <nettle/aes.h>
#include <nettle/arcfour.h>
#include <nettle/camellia.h>
#include <nettle/cbc.h>
#include <nettle/ccm.h>
#include <nettle/chacha-poly1305.h>
#include <nettle/chacha.h>
#include <nettle/cmac.h>
#include <nettle/ctr.h>
#include <nettle/gcm.h>
#include <nettle/hmac.h>
#include <nettle/md5.h>
#include <nettle/memops.h>
#include <nettle/nettle-meta.h>
#include <nettle/ripemd160.h>
#include <nettle/serpent.h>
#include <nettle/sha1.h>
#include <nettle/sha2.h>
#include <nettle/sha3.h>
#include <nettle/twofish.h>
#include <nettle/umac.h>
#include <nettle/version.h>
#include <nettle/xts.h>

#include "pieces.h"
#include "shim.h"

#define TEXT(number) #number
#define VERSION(major, minor) TEXT(major) "." TEXT(minor)
#define HEADERS VERSION(NETTLE_VERSION_MAJOR, NETTLE_VERSION_MINOR)

#define AT_LEAST(major, minor) \
    (NETTLE_VERSION_MAJOR > (major) || \
     (NETTLE_VERSION_MAJOR == (major) && NETTLE_VERSION_MINOR >= (minor)))

#if !AT_LEAST(3, 7) || AT_LEAST(4, 1)
#error "the headers are not those of Nettle 3.7 to 4.0"
#endif

/* Before 4.0, functions for digests take the bytes that are wanted. */
#if AT_LEAST(4, 0)
#define WANTED(bytes)
#else
#define WANTED(bytes) bytes,
#endif

#if AT_LEAST(3, 8)
#include <nettle/sm3.h>
#endif
#if AT_LEAST(3, 9)
#include <nettle/siv-gcm.h>
#include <nettle/sm4.h>
#endif
/* Long messages overran memory in the OCB of 3.9, whose headers are those of 3.9.1. */
#if AT_LEAST(3, 10)
#include <nettle/ocb.h>
#endif

/* ---- Block ciphers ---------------------------------------------------------------------------
 *
 * The context is Nettle's for the cipher and one direction. CTR and the modes further below only
 * encrypt with it. */

static const struct nettle_cipher *cipher_of(const row *self)
{
    return self->parameters;
}

DOES(SET_KEY(set_encrypt_key), cipher_of(self)->set_encrypt_key(context, key))

DOES(SET_KEY(set_decrypt_key), cipher_of(self)->set_decrypt_key(context, key))

/* All block ciphers here have blocks of 16 bytes. */
#define BLOCK_BYTES 16

/* `start` is what makes an IV, and `crypt` what crypts a piece. */
#define MODE_FUNCTION(run, start, crypt) \
    PIECES(run) \
    { \
        UNUSED const struct nettle_cipher *cipher = cipher_of(self); \
        start; \
        EACH_PIECE(m->input_bytes, chunk_bytes, BLOCK_BYTES, crypt); \
        return CIPHERMARK_DONE; \
    }
#define START_IV \
    uint8_t iv[BLOCK_BYTES]; \
    memcpy(iv, m->nonce, sizeof iv)
/* `direction` is that of the cipher. */
#define ECB_FUNCTION(run, direction) \
    MODE_FUNCTION(run, , cipher->direction(context, n, m->output + at, m->input + at))
#define IV_MODE_FUNCTION(run, crypt, direction) \
    MODE_FUNCTION(run, START_IV, \
                  crypt(context, cipher->direction, sizeof iv, iv, n, m->output + at, \
                        m->input + at))
ECB_FUNCTION(encrypt_ecb, encrypt)
ECB_FUNCTION(decrypt_ecb, decrypt)
IV_MODE_FUNCTION(encrypt_cbc, cbc_encrypt, encrypt)
IV_MODE_FUNCTION(decrypt_cbc, cbc_decrypt, decrypt)
IV_MODE_FUNCTION(crypt_ctr, ctr_crypt, encrypt)

#if AT_LEAST(3, 8)
#define ENCRYPT_CBC_AES(bits) \
    MODE_FUNCTION(encrypt_cbc_aes##bits, START_IV, \
                  cbc_aes##bits##_encrypt(context, iv, n, m->output + at, m->input + at))
ENCRYPT_CBC_AES(128)
ENCRYPT_CBC_AES(192)
ENCRYPT_CBC_AES(256)
#else
#define encrypt_cbc_aes128 encrypt_cbc
#define encrypt_cbc_aes192 encrypt_cbc
#define encrypt_cbc_aes256 encrypt_cbc
#endif

#define XTS_FUNCTIONS(bits) \
    DOES(SET_KEY(set_xts##bits##_encrypt_key), xts_aes##bits##_set_encrypt_key(context, key)) \
    DOES(SET_KEY(set_xts##bits##_decrypt_key), xts_aes##bits##_set_decrypt_key(context, key)) \
    XTS_FUNCTION(bits, encrypt) \
    XTS_FUNCTION(bits, decrypt)
/* Shorter messages would end the process. */
#define XTS_FUNCTION(bits, direction) \
    PROCESS(direction##_xts##bits) \
    { \
        if (m->input_bytes < XTS_BLOCK_SIZE) \
            return CIPHERMARK_BAD_INPUT; \
        xts_aes##bits##_##direction##_message(context, m->nonce, m->input_bytes, m->output, m->input); \
        return CIPHERMARK_DONE; \
    }
XTS_FUNCTIONS(128)
XTS_FUNCTIONS(256)

/* ---- GCM and ChaCha20-Poly1305 ---------------------------------------------------------------
 *
 * Nettle's general interface to AEADs takes nonces of one length; GCM's own functions take any. */

struct aead {
    const struct nettle_aead *functions;
    nettle_hash_update_func *set_nonce;
};

SET_KEY(set_aead_key)
{
    const struct aead *aead = self->parameters;
    aead->functions->set_encrypt_key(context, key);
    return CIPHERMARK_DONE;
}

static void start_aead(const struct aead *aead, void *context, const message *m)
{
    aead->set_nonce(context, m->nonce_bytes, m->nonce);
    if (m->aad_bytes > 0)
        aead->functions->update(context, m->aad_bytes, m->aad);
}

PIECES(seal_aead)
{
    const struct aead *aead = self->parameters;
    start_aead(aead, context, m);
    EACH_PIECE(m->input_bytes, chunk_bytes, aead->functions->block_size,
               aead->functions->encrypt(context, n, m->output + at, m->input + at));
    aead->functions->digest(context, WANTED(self->tag_bytes) m->output + m->input_bytes);
    return CIPHERMARK_DONE;
}

TAGS_EQUAL(memeql_sec(one, other, bytes))

PIECES(open_aead)
{
    const struct aead *aead = self->parameters;
    uint8_t tag[16];
    start_aead(aead, context, m);
    EACH_PIECE(m->output_bytes, chunk_bytes, aead->functions->block_size,
               aead->functions->decrypt(context, n, m->output + at, m->input + at));
    aead->functions->digest(context, WANTED(sizeof tag) tag);
    return check_tag(m, tag, sizeof tag);
}

static void set_chacha_nonce(void *context, size_t nonce_bytes, const uint8_t *nonce)
{
    (void)nonce_bytes;
    chacha_poly1305_set_nonce(context, nonce);
}

/* ---- CCM ---------------------------------------------------------------------------------- */

DOES(PROCESS(seal_ccm),
     ccm_encrypt_message(context, cipher_of(self)->encrypt, m->nonce_bytes, m->nonce, m->aad_bytes,
                         m->aad, self->tag_bytes, m->output_bytes, m->output, m->input))

ANSWERS(PROCESS(open_ccm),
        opened_if(ccm_decrypt_message(context, cipher_of(self)->encrypt, m->nonce_bytes, m->nonce,
                                      m->aad_bytes, m->aad, self->tag_bytes, m->output_bytes,
                                      m->output, m->input)))

static void start_ccm(struct ccm_ctx *ccm, const row *self, void *context, const message *m,
                      size_t text_bytes)
{
    const struct nettle_cipher *cipher = cipher_of(self);
    ccm_set_nonce(ccm, context, cipher->encrypt, m->nonce_bytes, m->nonce, m->aad_bytes,
                  text_bytes, self->tag_bytes);
    ccm_update(ccm, context, cipher->encrypt, m->aad_bytes, m->aad);
}

CHUNKS(seal_ccm)
{
    const struct nettle_cipher *cipher = cipher_of(self);
    struct ccm_ctx ccm;
    start_ccm(&ccm, self, context, m, m->input_bytes);
    EACH_PIECE(m->input_bytes, chunk_bytes, CCM_BLOCK_SIZE,
               ccm_encrypt(&ccm, context, cipher->encrypt, n, m->output + at, m->input + at));
    ccm_digest(&ccm, context, cipher->encrypt, self->tag_bytes, m->output + m->input_bytes);
    return CIPHERMARK_DONE;
}

CHUNKS(open_ccm)
{
    const struct nettle_cipher *cipher = cipher_of(self);
    struct ccm_ctx ccm;
    uint8_t tag[16];
    start_ccm(&ccm, self, context, m, m->output_bytes);
    EACH_PIECE(m->output_bytes, chunk_bytes, CCM_BLOCK_SIZE,
               ccm_decrypt(&ccm, context, cipher->encrypt, n, m->output + at, m->input + at));
    ccm_digest(&ccm, context, cipher->encrypt, sizeof tag, tag);
    return check_tag(m, tag, sizeof tag);
}

/* ---- GCM-SIV and OCB ---------------------------------------------------------------------- */

#if AT_LEAST(3, 9)
#define GCM_SIV_FUNCTIONS(bits) \
    DOES(PROCESS(seal_gcm_siv##bits), \
         siv_gcm_aes##bits##_encrypt_message(context, m->nonce_bytes, m->nonce, m->aad_bytes, \
                                             m->aad, m->output_bytes, m->output, m->input)) \
    ANSWERS(PROCESS(open_gcm_siv##bits), \
            opened_if(siv_gcm_aes##bits##_decrypt_message( \
                context, m->nonce_bytes, m->nonce, m->aad_bytes, m->aad, m->output_bytes, \
                m->output, m->input)))
GCM_SIV_FUNCTIONS(128)
GCM_SIV_FUNCTIONS(256)
#endif

#if AT_LEAST(3, 10)
#define OCB_FUNCTIONS(bits) \
    struct ocb_aes##bits { \
        struct ocb_key ocb; \
        struct aes##bits##_ctx encrypt, decrypt; \
    }; \
    SET_KEY(set_ocb_aes##bits) \
    { \
        struct ocb_aes##bits *keyed = context; \
        aes##bits##_set_encrypt_key(&keyed->encrypt, key); \
        if (self->operation == OPEN) \
            aes##bits##_invert_key(&keyed->decrypt, &keyed->encrypt); \
        ocb_set_key(&keyed->ocb, &keyed->encrypt, nettle_aes##bits.encrypt); \
        return CIPHERMARK_DONE; \
    } \
    PROCESS(seal_ocb_aes##bits) \
    { \
        struct ocb_aes##bits *keyed = context; \
        ocb_encrypt_message(&keyed->ocb, &keyed->encrypt, nettle_aes##bits.encrypt, \
                            m->nonce_bytes, m->nonce, m->aad_bytes, m->aad, self->tag_bytes, \
                            m->output_bytes, m->output, m->input); \
        return CIPHERMARK_DONE; \
    } \
    PROCESS(open_ocb_aes##bits) \
    { \
        struct ocb_aes##bits *keyed = context; \
        int right = ocb_decrypt_message(&keyed->ocb, &keyed->encrypt, nettle_aes##bits.encrypt, \
                                        &keyed->decrypt, nettle_aes##bits.decrypt, \
                                        m->nonce_bytes, m->nonce, m->aad_bytes, m->aad, \
                                        self->tag_bytes, m->output_bytes, m->output, m->input); \
        return opened_if(right); \
    }
OCB_FUNCTIONS(128)
OCB_FUNCTIONS(256)
#endif

/* ---- Hashes ----------------------------------------------------------------------------------
 *
 * Computing the digest makes the context ready for the next message. */

DOES(INIT(init_hash), ((const struct nettle_hash *)self->parameters)->init(context))

/*
 * Functions are called by their names, as callers do who know which they want: by the pointers of
 * struct nettle_hash a message of 64 bytes costs SHA-256 some 15 cycles more on an Intel Xeon.
 */
#define DIGEST(hash) \
    PIECES(digest_##hash) \
    { \
        EACH_INPUT(m, chunk_bytes, 1, hash##_update(context, n, input)); \
        hash##_digest(context, WANTED(self->tag_bytes) m->output); \
        return CIPHERMARK_DONE; \
    }
/* Of those with an HMAC see below. */
DIGEST(ripemd160)
DIGEST(sha512_256)
DIGEST(sha3_224)
DIGEST(sha3_384)
#if AT_LEAST(3, 8)
DIGEST(sm3)
#endif

/* ---- HMAC ------------------------------------------------------------------------------------
 *
 * Computing the tag makes the running state ready for the next message. */

#if AT_LEAST(4, 0)
#define HMAC_BYTES(hash) sizeof(struct hmac_##hash##_ctx)
#define MAC_HMAC(hash) \
    DOES(SET_KEY(set_hmac_##hash##_key), hmac_##hash##_set_key(context, key_bytes, key)) \
    PIECES(mac_hmac_##hash) \
    { \
        EACH_INPUT(m, chunk_bytes, 1, hmac_##hash##_update(context, n, input)); \
        hmac_##hash##_digest(context, m->output); \
        return CIPHERMARK_DONE; \
    }
#else
/* The context is what HMAC_CTX makes of the hash's: outer, inner and running state. */
#define HMAC_BYTES(hash) (3 * sizeof(struct hash##_ctx))

static uint8_t *hmac_state(const struct nettle_hash *hash, void *context, unsigned index)
{
    return (uint8_t *)context + index * hash->context_size;
}

static void set_hmac_key(const struct nettle_hash *hash, void *context, const uint8_t *key,
                         size_t key_bytes)
{
    hmac_set_key(context, hmac_state(hash, context, 1), hmac_state(hash, context, 2), hash,
                 key_bytes, key);
}

/* What hmac_sha256_update and its like do, which SHA-3 lacks. */
#define MAC_HMAC(hash) \
    DOES(SET_KEY(set_hmac_##hash##_key), set_hmac_key(&nettle_##hash, context, key, key_bytes)) \
    PIECES(mac_hmac_##hash) \
    { \
        struct HMAC_CTX(struct hash##_ctx) *hmac = context; \
        EACH_INPUT(m, chunk_bytes, 1, hash##_update(&hmac->state, n, input)); \
        HMAC_DIGEST(hmac, &nettle_##hash, self->tag_bytes, m->output); \
        return CIPHERMARK_DONE; \
    }
#endif
#define DIGEST_AND_HMAC(hash) DIGEST(hash) MAC_HMAC(hash)
DIGEST_AND_HMAC(md5)
DIGEST_AND_HMAC(sha1)
DIGEST_AND_HMAC(sha224)
DIGEST_AND_HMAC(sha256)
DIGEST_AND_HMAC(sha384)
DIGEST_AND_HMAC(sha512)
/* 4.0 has no HMAC for these any more. */
DIGEST(sha3_256)
DIGEST(sha3_512)
#if !AT_LEAST(4, 0)
MAC_HMAC(sha3_256)
MAC_HMAC(sha3_512)
#endif

/* ---- CMAC --------------------------------------------------------------------------------- */

struct cmac {
    struct cmac128_key key;
    struct cmac128_ctx state;
    uint64_t cipher[]; /* the cipher's context */
};

SET_KEY(set_cmac_key)
{
    const struct nettle_cipher *cipher = cipher_of(self);
    struct cmac *cmac = context;
    cipher->set_encrypt_key(cmac->cipher, key);
    cmac128_set_key(&cmac->key, cmac->cipher, cipher->encrypt);
    cmac128_init(&cmac->state);
    return CIPHERMARK_DONE;
}

PIECES(mac_cmac)
{
    const struct nettle_cipher *cipher = cipher_of(self);
    struct cmac *cmac = context;
    EACH_INPUT(m, chunk_bytes, 1,
               cmac128_update(&cmac->state, cmac->cipher, cipher->encrypt, n, input));
    cmac128_digest(&cmac->state, &cmac->key, cmac->cipher, cipher->encrypt,
                   WANTED((unsigned)self->tag_bytes) m->output);
    return CIPHERMARK_DONE;
}

/* ---- MACs with a nonce: UMAC, and GCM of associated data alone (GMAC) ------------------------ */

/* Of a message all pieces but the last are whole units. */
#define NONCE_MAC_FUNCTIONS(mac, set_nonce, unit_bytes) \
    DOES(SET_KEY(set_##mac##_key), mac##_set_key(context, key)) \
    PIECES(mac_##mac) \
    { \
        if (m->repeats && chunk_bytes < m->input_bytes && chunk_bytes % (unit_bytes) != 0) \
            return CIPHERMARK_BAD_INPUT; \
        set_nonce(context, m->nonce_bytes, m->nonce); \
        EACH_INPUT(m, chunk_bytes, unit_bytes, mac##_update(context, n, input)); \
        mac##_digest(context, WANTED(self->tag_bytes) m->output); \
        return CIPHERMARK_DONE; \
    }
NONCE_MAC_FUNCTIONS(umac32, umac32_set_nonce, 1)
NONCE_MAC_FUNCTIONS(umac64, umac64_set_nonce, 1)
NONCE_MAC_FUNCTIONS(umac96, umac96_set_nonce, 1)
NONCE_MAC_FUNCTIONS(umac128, umac128_set_nonce, 1)
NONCE_MAC_FUNCTIONS(gcm_aes128, gcm_aes128_set_iv, GCM_BLOCK_SIZE)
NONCE_MAC_FUNCTIONS(gcm_aes256, gcm_aes256_set_iv, GCM_BLOCK_SIZE)

/* ---- Keystreams ------------------------------------------------------------------------------
 *
 * Nettle encrypts; a keystream is the encryption of zeros. */

DOES(SET_KEY(set_arcfour_key), arcfour_set_key(context, key_bytes, key))

/* From the first byte on in each message, so the keyed state is kept and a copy runs. */
PIECES(arcfour_keystream)
{
    struct arcfour_ctx running = *(const struct arcfour_ctx *)context;
    memset(m->output, 0, m->output_bytes);
    EACH_PIECE(m->output_bytes, chunk_bytes, 1,
               arcfour_crypt(&running, n, m->output + at, m->output + at));
    return CIPHERMARK_DONE;
}

DOES(SET_KEY(set_chacha_key), chacha_set_key(context, key))

PIECES(chacha_keystream)
{
    chacha_set_nonce96(context, m->nonce);
    memset(m->output, 0, m->output_bytes);
    EACH_PIECE(m->output_bytes, chunk_bytes, CHACHA_BLOCK_SIZE,
               chacha_crypt32(context, n, m->output + at, m->output + at));
    return CIPHERMARK_DONE;
}

/* ---- The table ---------------------------------------------------------------------------- */

#define CIPHER(name, what, cipher, type, key, set, ...) \
    ROW(name, what, type, KEY(key), .parameters = &cipher, .set_key = set, __VA_ARGS__)
#define IV NONCE(BLOCK_BYTES)
/* A cipher in ECB, CBC (encryption by `cbc`) and CTR; `type` is its context. */
#define BLOCK_CIPHER(name, cipher, type, key, cbc) \
    CIPHER(name "-ecb", ENCRYPT, cipher, type, key, set_encrypt_key, IN_PIECES(encrypt_ecb)), \
    CIPHER(name "-ecb", DECRYPT, cipher, type, key, set_decrypt_key, IN_PIECES(decrypt_ecb)), \
    CIPHER(name "-cbc", ENCRYPT, cipher, type, key, set_encrypt_key, IV, IN_PIECES(cbc)), \
    CIPHER(name "-cbc", DECRYPT, cipher, type, key, set_decrypt_key, IV, IN_PIECES(decrypt_cbc)), \
    CIPHER(name "-ctr", ENCRYPT, cipher, type, key, set_encrypt_key, IV, IN_PIECES(crypt_ctr)), \
    CIPHER(name "-ctr", DECRYPT, cipher, type, key, set_encrypt_key, IV, IN_PIECES(crypt_ctr))
#define XTS(name, bits) \
    ROW(name, ENCRYPT, struct xts_aes##bits##_key, KEY(bits / 4), IV, \
        .set_key = set_xts##bits##_encrypt_key, .process = encrypt_xts##bits), \
    ROW(name, DECRYPT, struct xts_aes##bits##_key, KEY(bits / 4), IV, \
        .set_key = set_xts##bits##_decrypt_key, .process = decrypt_xts##bits)

/* `how` is IN_PIECES, or AT_ONCE where the library has no other call. */
#define AEAD(name, type, key, set, how, run, ...) \
    ROW(name, SEAL, type, KEY(key), .set_key = set, TAG, how(seal_##run), __VA_ARGS__), \
    ROW(name, OPEN, type, KEY(key), .set_key = set, TAG, how(open_##run), __VA_ARGS__)
#define TAG .tag_bytes = 16
#define BY_PARTS(meta, nonce) \
    .parameters = (&(const struct aead){&meta, (nettle_hash_update_func *)nonce})
#define GCM(name, cipher, key) \
    AEAD(name, struct gcm_##cipher##_ctx, key, set_aead_key, IN_PIECES, aead, NONCES(1, SIZE_MAX), \
         BY_PARTS(nettle_gcm_##cipher, gcm_##cipher##_set_iv))
/* A nonce of 14 bytes would leave one for the length, for which RFC 3610 has no messages. */
#define CCM(name, cipher, type, key) \
    AEAD(name, type, key, set_encrypt_key, IN_PIECES, ccm, NONCES(CCM_MIN_NONCE_SIZE, 13), \
         .parameters = &cipher)
#define GCM_SIV(name, bits) \
    AEAD(name, struct aes##bits##_ctx, bits / 8, set_encrypt_key, AT_ONCE, gcm_siv##bits, \
         NONCE(SIV_GCM_NONCE_SIZE), .parameters = &nettle_aes##bits)
#define OCB(name, bits) \
    AEAD(name, struct ocb_aes##bits, bits / 8, set_ocb_aes##bits, AT_ONCE, ocb_aes##bits, \
         NONCES(1, 15))

/* `bytes` are those of the context. */
#define MAC(name, bytes, tag, set, run, ...) \
    ROW_OF(name, CIPHERMARK_MAC, bytes, ALIGNMENT, .lanes = 1, .tag_bytes = tag, .set_key = set, \
           IN_PIECES(run), .takes_repeats = 1, __VA_ARGS__)
#define HMAC(name, hash, HASH) \
    MAC(name, HMAC_BYTES(hash), HASH##_DIGEST_SIZE, set_hmac_##hash##_key, mac_hmac_##hash, ANY_KEY)
#define CMAC(name, cipher, type, key) \
    MAC(name, sizeof(struct cmac) + sizeof(type), CMAC128_DIGEST_SIZE, set_cmac_key, mac_cmac, \
        KEY(key), .parameters = &cipher)
#define NONCE_MAC(name, mac, tag, ...) \
    MAC(name, sizeof(struct mac##_ctx), tag, set_##mac##_key, mac_##mac, __VA_ARGS__)
#define UMAC(name, umac, tag) \
    NONCE_MAC(name, umac, tag, KEY(UMAC_KEY_SIZE), \
              NONCES(UMAC_MIN_NONCE_SIZE, UMAC_MAX_NONCE_SIZE))
#define GMAC(name, gcm, key) \
    NONCE_MAC(name, gcm, GCM_DIGEST_SIZE, KEY(key), NONCES(1, SIZE_MAX))

#define HASH(name, hash, HASH) \
    ROW(name, CIPHERMARK_DIGEST, struct hash##_ctx, .tag_bytes = HASH##_DIGEST_SIZE, \
        .parameters = &nettle_##hash, .init = init_hash, IN_PIECES(digest_##hash), \
        .takes_repeats = 1)
#define KEYSTREAM(name, type, set, run, ...) \
    ROW(name, CIPHERMARK_KEYSTREAM, type, .set_key = set, IN_PIECES(run), __VA_ARGS__)

#define HASH_AND_HMAC(name, hash, NAME) HASH(name, hash, NAME), HMAC("hmac-" name, hash, NAME)

static const struct ciphermark_function functions[] = {
    BLOCK_CIPHER("aes-128", nettle_aes128, struct aes128_ctx, 16, encrypt_cbc_aes128),
    BLOCK_CIPHER("aes-192", nettle_aes192, struct aes192_ctx, 24, encrypt_cbc_aes192),
    BLOCK_CIPHER("aes-256", nettle_aes256, struct aes256_ctx, 32, encrypt_cbc_aes256),
    XTS("aes-128-xts", 128),
    XTS("aes-256-xts", 256),
    BLOCK_CIPHER("camellia-128", nettle_camellia128, struct camellia128_ctx, 16, encrypt_cbc),
    BLOCK_CIPHER("camellia-192", nettle_camellia192, struct camellia256_ctx, 24, encrypt_cbc),
    BLOCK_CIPHER("camellia-256", nettle_camellia256, struct camellia256_ctx, 32, encrypt_cbc),
    BLOCK_CIPHER("serpent-128", nettle_serpent128, struct serpent_ctx, 16, encrypt_cbc),
    BLOCK_CIPHER("serpent-192", nettle_serpent192, struct serpent_ctx, 24, encrypt_cbc),
    BLOCK_CIPHER("serpent-256", nettle_serpent256, struct serpent_ctx, 32, encrypt_cbc),
    BLOCK_CIPHER("twofish-128", nettle_twofish128, struct twofish_ctx, 16, encrypt_cbc),
    BLOCK_CIPHER("twofish-192", nettle_twofish192, struct twofish_ctx, 24, encrypt_cbc),
    BLOCK_CIPHER("twofish-256", nettle_twofish256, struct twofish_ctx, 32, encrypt_cbc),
#if AT_LEAST(3, 9)
    BLOCK_CIPHER("sm4", nettle_sm4, struct sm4_ctx, 16, encrypt_cbc),
#endif

    GCM("aes-128-gcm", aes128, 16),
    GCM("aes-192-gcm", aes192, 24),
    GCM("aes-256-gcm", aes256, 32),
    GCM("camellia-128-gcm", camellia128, 16),
    GCM("camellia-256-gcm", camellia256, 32),
#if AT_LEAST(3, 9)
    GCM("sm4-gcm", sm4, 16),
    GCM_SIV("aes-128-gcm-siv", 128),
    GCM_SIV("aes-256-gcm-siv", 256),
#endif
    CCM("aes-128-ccm", nettle_aes128, struct aes128_ctx, 16),
    CCM("aes-256-ccm", nettle_aes256, struct aes256_ctx, 32),
#if AT_LEAST(3, 10)
    OCB("aes-128-ocb", 128),
    OCB("aes-256-ocb", 256),
#endif
    AEAD("chacha20-poly1305", struct chacha_poly1305_ctx, 32, set_aead_key, IN_PIECES, aead,
         NONCE(CHACHA_POLY1305_NONCE_SIZE), BY_PARTS(nettle_chacha_poly1305, set_chacha_nonce)),

    CMAC("cmac-aes-128", nettle_aes128, struct aes128_ctx, 16),
    CMAC("cmac-aes-192", nettle_aes192, struct aes192_ctx, 24),
    CMAC("cmac-aes-256", nettle_aes256, struct aes256_ctx, 32),
    CMAC("cmac-camellia-128", nettle_camellia128, struct camellia128_ctx, 16),
    CMAC("cmac-camellia-256", nettle_camellia256, struct camellia256_ctx, 32),
    CMAC("cmac-serpent-128", nettle_serpent128, struct serpent_ctx, 16),
    CMAC("cmac-serpent-256", nettle_serpent256, struct serpent_ctx, 32),
    CMAC("cmac-twofish-128", nettle_twofish128, struct twofish_ctx, 16),
    CMAC("cmac-twofish-256", nettle_twofish256, struct twofish_ctx, 32),
#if AT_LEAST(3, 9)
    CMAC("cmac-sm4", nettle_sm4, struct sm4_ctx, 16),
#endif
    GMAC("gmac-aes-128", gcm_aes128, 16),
    GMAC("gmac-aes-256", gcm_aes256, 32),
    UMAC("umac-32", umac32, UMAC32_DIGEST_SIZE),
    UMAC("umac-64", umac64, UMAC64_DIGEST_SIZE),
    UMAC("umac-96", umac96, UMAC96_DIGEST_SIZE),
    UMAC("umac-128", umac128, UMAC128_DIGEST_SIZE),

    HASH_AND_HMAC("md5", md5, MD5),
    HASH("ripemd160", ripemd160, RIPEMD160),
    HASH_AND_HMAC("sha1", sha1, SHA1),
    HASH_AND_HMAC("sha224", sha224, SHA224),
    HASH_AND_HMAC("sha256", sha256, SHA256),
    HASH_AND_HMAC("sha384", sha384, SHA384),
    HASH_AND_HMAC("sha512", sha512, SHA512),
    HASH("sha512-256", sha512_256, SHA512_256),
    HASH("sha3-224", sha3_224, SHA3_224),
    HASH("sha3-256", sha3_256, SHA3_256),
    HASH("sha3-384", sha3_384, SHA3_384),
    HASH("sha3-512", sha3_512, SHA3_512),
#if !AT_LEAST(4, 0)
    HMAC("hmac-sha3-256", sha3_256, SHA3_256),
    HMAC("hmac-sha3-512", sha3_512, SHA3_512),
#endif
#if AT_LEAST(3, 8)
    HASH("sm3", sm3, SM3),
#endif

    KEYSTREAM("chacha20", struct chacha_ctx, set_chacha_key, chacha_keystream, KEY(CHACHA_KEY_SIZE),
              NONCE(CHACHA_NONCE96_SIZE)),
    KEYSTREAM("rc4-128", struct arcfour_ctx, set_arcfour_key, arcfour_keystream, KEY(16)),
};

const struct ciphermark_library *ciphermark_library(void)
{
    static char version[24];
    static const struct ciphermark_library library =
        LIBRARY(.header_version = HEADERS, .library_version = version,
                .inside = (void (*)(void))nettle_version_major,
                .tags_equal = tags_equal);
    snprintf(version, sizeof version, "%d.%d", nettle_version_major(), nettle_version_minor());
    return &library;
}
