/*
 * Nettle 3.7 and later 3.x. Linked with -lnettle.
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

#include "pieces.h"
#include "shim.h"

#define AT_LEAST(major, minor) \
    (NETTLE_VERSION_MAJOR > (major) || \
     (NETTLE_VERSION_MAJOR == (major) && NETTLE_VERSION_MINOR >= (minor)))

/* 4.0 computes digests by functions of another form. */
#if !AT_LEAST(3, 7) || AT_LEAST(4, 0)
#error "the headers are not those of Nettle 3.7 or a later 3.x"
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

/* As malloc gives, which is what Nettle's structures need. */
#define ALIGNMENT 16

/* ---- Block ciphers ---------------------------------------------------------------------------
 *
 * The context is Nettle's for the cipher and one direction. CTR and the modes further below only
 * encrypt with it. */

static int set_encrypt_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    const struct nettle_cipher *cipher = self->parameters;
    (void)key_bytes;
    cipher->set_encrypt_key(context, key);
    return CIPHERMARK_DONE;
}

static int set_decrypt_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    const struct nettle_cipher *cipher = self->parameters;
    (void)key_bytes;
    cipher->set_decrypt_key(context, key);
    return CIPHERMARK_DONE;
}

/* All block ciphers here have blocks of 16 bytes. */
#define BLOCK_BYTES 16

#define ECB_FUNCTION(run, direction) \
    static inline int run##_chunks(const row *self, void *context, const message *m, \
                                   size_t chunk_bytes) \
    { \
        const struct nettle_cipher *cipher = self->parameters; \
        EACH_PIECE(m->input_bytes, chunk_bytes, BLOCK_BYTES, \
                   cipher->direction(context, n, m->output + at, m->input + at)); \
        return CIPHERMARK_DONE; \
    } \
    IN_ONE_PIECE(run)
ECB_FUNCTION(encrypt_ecb, encrypt)
ECB_FUNCTION(decrypt_ecb, decrypt)

/* `direction` is that of the cipher. */
#define IV_MODE_FUNCTION(run, crypt, direction) \
    static inline int run##_chunks(const row *self, void *context, const message *m, \
                                   size_t chunk_bytes) \
    { \
        const struct nettle_cipher *cipher = self->parameters; \
        uint8_t iv[BLOCK_BYTES]; \
        memcpy(iv, m->nonce, sizeof iv); \
        EACH_PIECE(m->input_bytes, chunk_bytes, BLOCK_BYTES, \
                   crypt(context, cipher->direction, sizeof iv, iv, n, m->output + at, \
                         m->input + at)); \
        return CIPHERMARK_DONE; \
    } \
    IN_ONE_PIECE(run)
IV_MODE_FUNCTION(encrypt_cbc, cbc_encrypt, encrypt)
IV_MODE_FUNCTION(decrypt_cbc, cbc_decrypt, decrypt)
IV_MODE_FUNCTION(crypt_ctr, ctr_crypt, encrypt)

#if AT_LEAST(3, 8)
#define ENCRYPT_CBC_AES(bits) \
    static inline int encrypt_cbc_aes##bits##_chunks(const row *self, void *context, \
                                                     const message *m, size_t chunk_bytes) \
    { \
        uint8_t iv[AES_BLOCK_SIZE]; \
        (void)self; \
        memcpy(iv, m->nonce, sizeof iv); \
        EACH_PIECE(m->input_bytes, chunk_bytes, sizeof iv, \
                   cbc_aes##bits##_encrypt(context, iv, n, m->output + at, m->input + at)); \
        return CIPHERMARK_DONE; \
    } \
    IN_ONE_PIECE(encrypt_cbc_aes##bits)
ENCRYPT_CBC_AES(128)
ENCRYPT_CBC_AES(192)
ENCRYPT_CBC_AES(256)
#else
#define encrypt_cbc_aes128 encrypt_cbc
#define encrypt_cbc_aes192 encrypt_cbc
#define encrypt_cbc_aes256 encrypt_cbc
#endif

#define MODE(name, direction, cipher, type, key, iv, set, run) \
    { \
        .algorithm = name, .operation = direction, .key_bytes = {key, key}, \
        .nonce_bytes = {iv, iv}, .lanes = 1, .context_bytes = sizeof(type), \
        .context_alignment = ALIGNMENT, .parameters = &cipher, .set_key = set, .process = run, \
        .process_chunks = run##_chunks, \
    }
/* A cipher in ECB, CBC (encryption by `cbc`) and CTR; `type` is its context. */
#define BLOCK_CIPHER(name, cipher, type, key, cbc) \
    MODE(name "-ecb", ENCRYPT, cipher, type, key, 0, set_encrypt_key, encrypt_ecb), \
    MODE(name "-ecb", DECRYPT, cipher, type, key, 0, set_decrypt_key, decrypt_ecb), \
    MODE(name "-cbc", ENCRYPT, cipher, type, key, BLOCK_BYTES, set_encrypt_key, cbc), \
    MODE(name "-cbc", DECRYPT, cipher, type, key, BLOCK_BYTES, set_decrypt_key, decrypt_cbc), \
    MODE(name "-ctr", ENCRYPT, cipher, type, key, BLOCK_BYTES, set_encrypt_key, crypt_ctr), \
    MODE(name "-ctr", DECRYPT, cipher, type, key, BLOCK_BYTES, set_encrypt_key, crypt_ctr)

/* ---- GCM and ChaCha20-Poly1305 ---------------------------------------------------------------
 *
 * Nettle's general interface to AEADs takes nonces of one length; GCM's own functions take any. */

struct aead {
    const struct nettle_aead *functions;
    nettle_hash_update_func *set_nonce;
};

static int set_aead_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    const struct aead *aead = self->parameters;
    (void)key_bytes;
    aead->functions->set_encrypt_key(context, key);
    return CIPHERMARK_DONE;
}

static void start_aead(const struct aead *aead, void *context, const message *m)
{
    aead->set_nonce(context, m->nonce_bytes, m->nonce);
    if (m->aad_bytes > 0)
        aead->functions->update(context, m->aad_bytes, m->aad);
}

static inline int seal_chunks(const row *self, void *context, const message *m,
                              size_t chunk_bytes)
{
    const struct aead *aead = self->parameters;
    start_aead(aead, context, m);
    EACH_PIECE(m->input_bytes, chunk_bytes, aead->functions->block_size,
               aead->functions->encrypt(context, n, m->output + at, m->input + at));
    aead->functions->digest(context, self->tag_bytes, m->output + m->input_bytes);
    return CIPHERMARK_DONE;
}
IN_ONE_PIECE(seal)

/* Whether the tag that was computed stands after the ciphertext of a sealed message. */
static int compare_tag(const message *m, const uint8_t tag[16])
{
    return memeql_sec(tag, m->input + m->output_bytes, 16) ? CIPHERMARK_DONE : CIPHERMARK_REFUSED;
}

static inline int open_sealed_chunks(const row *self, void *context, const message *m,
                                     size_t chunk_bytes)
{
    const struct aead *aead = self->parameters;
    uint8_t tag[16];
    start_aead(aead, context, m);
    EACH_PIECE(m->output_bytes, chunk_bytes, aead->functions->block_size,
               aead->functions->decrypt(context, n, m->output + at, m->input + at));
    aead->functions->digest(context, sizeof tag, tag);
    return compare_tag(m, tag);
}
IN_ONE_PIECE(open_sealed)

static void set_chacha_nonce(void *context, size_t nonce_bytes, const uint8_t *nonce)
{
    (void)nonce_bytes;
    chacha_poly1305_set_nonce(context, nonce);
}

/* `chunks` is null where a message is one call. */
#define AEAD_ROW(name, direction, least, most, context, with, key, set, run, chunks) \
    { \
        .algorithm = name, .operation = direction, .key_bytes = {key, key}, \
        .nonce_bytes = {least, most}, .tag_bytes = 16, .lanes = 1, .context_bytes = context, \
        .context_alignment = ALIGNMENT, .parameters = with, .set_key = set, .process = run, \
        .process_chunks = chunks, \
    }
#define AEAD(name, least, most, meta, type, key, nonce) \
    AEAD_ROW(name, SEAL, least, most, sizeof(type), \
             (&(const struct aead){&meta, (nettle_hash_update_func *)nonce}), key, set_aead_key, \
             seal, seal_chunks), \
    AEAD_ROW(name, OPEN, least, most, sizeof(type), \
             (&(const struct aead){&meta, (nettle_hash_update_func *)nonce}), key, set_aead_key, \
             open_sealed, open_sealed_chunks)
#define GCM(name, cipher, key) \
    AEAD(name, 1, SIZE_MAX, nettle_gcm_##cipher, struct gcm_##cipher##_ctx, key, \
         gcm_##cipher##_set_iv)

/* ---- CCM ---------------------------------------------------------------------------------- */

static int seal_ccm(const row *self, void *context, const message *m)
{
    const struct nettle_cipher *cipher = self->parameters;
    ccm_encrypt_message(context, cipher->encrypt, m->nonce_bytes, m->nonce, m->aad_bytes, m->aad,
                        self->tag_bytes, m->output_bytes, m->output, m->input);
    return CIPHERMARK_DONE;
}

static int open_ccm(const row *self, void *context, const message *m)
{
    const struct nettle_cipher *cipher = self->parameters;
    int right = ccm_decrypt_message(context, cipher->encrypt, m->nonce_bytes, m->nonce,
                                    m->aad_bytes, m->aad, self->tag_bytes, m->output_bytes,
                                    m->output, m->input);
    return right ? CIPHERMARK_DONE : CIPHERMARK_REFUSED;
}

static void start_ccm(struct ccm_ctx *ccm, const row *self, void *context, const message *m,
                      size_t text_bytes)
{
    const struct nettle_cipher *cipher = self->parameters;
    ccm_set_nonce(ccm, context, cipher->encrypt, m->nonce_bytes, m->nonce, m->aad_bytes,
                  text_bytes, self->tag_bytes);
    ccm_update(ccm, context, cipher->encrypt, m->aad_bytes, m->aad);
}

static int seal_ccm_chunks(const row *self, void *context, const message *m, size_t chunk_bytes)
{
    const struct nettle_cipher *cipher = self->parameters;
    struct ccm_ctx ccm;
    start_ccm(&ccm, self, context, m, m->input_bytes);
    EACH_PIECE(m->input_bytes, chunk_bytes, CCM_BLOCK_SIZE,
               ccm_encrypt(&ccm, context, cipher->encrypt, n, m->output + at, m->input + at));
    ccm_digest(&ccm, context, cipher->encrypt, self->tag_bytes, m->output + m->input_bytes);
    return CIPHERMARK_DONE;
}

static int open_ccm_chunks(const row *self, void *context, const message *m, size_t chunk_bytes)
{
    const struct nettle_cipher *cipher = self->parameters;
    struct ccm_ctx ccm;
    uint8_t tag[16];
    start_ccm(&ccm, self, context, m, m->output_bytes);
    EACH_PIECE(m->output_bytes, chunk_bytes, CCM_BLOCK_SIZE,
               ccm_decrypt(&ccm, context, cipher->encrypt, n, m->output + at, m->input + at));
    ccm_digest(&ccm, context, cipher->encrypt, sizeof tag, tag);
    return compare_tag(m, tag);
}

/* A nonce of 14 bytes would leave one for the length, for which RFC 3610 has no messages. */
#define CCM(name, cipher, type, key) \
    AEAD_ROW(name, SEAL, CCM_MIN_NONCE_SIZE, 13, sizeof(type), &cipher, key, \
             set_encrypt_key, seal_ccm, seal_ccm_chunks), \
    AEAD_ROW(name, OPEN, CCM_MIN_NONCE_SIZE, 13, sizeof(type), &cipher, key, \
             set_encrypt_key, open_ccm, open_ccm_chunks)

/* ---- GCM-SIV and OCB ---------------------------------------------------------------------- */

#if AT_LEAST(3, 9)
#define GCM_SIV_FUNCTIONS(bits) \
    static int seal_gcm_siv##bits(const row *self, void *context, const message *m) \
    { \
        (void)self; \
        siv_gcm_aes##bits##_encrypt_message(context, m->nonce_bytes, m->nonce, m->aad_bytes, \
                                            m->aad, m->output_bytes, m->output, m->input); \
        return CIPHERMARK_DONE; \
    } \
    static int open_gcm_siv##bits(const row *self, void *context, const message *m) \
    { \
        int right = siv_gcm_aes##bits##_decrypt_message(context, m->nonce_bytes, m->nonce, \
                                                        m->aad_bytes, m->aad, m->output_bytes, \
                                                        m->output, m->input); \
        (void)self; \
        return right ? CIPHERMARK_DONE : CIPHERMARK_REFUSED; \
    }
GCM_SIV_FUNCTIONS(128)
GCM_SIV_FUNCTIONS(256)

#define GCM_SIV(name, bits) \
    AEAD_ROW(name, SEAL, SIV_GCM_NONCE_SIZE, SIV_GCM_NONCE_SIZE, \
             sizeof(struct aes##bits##_ctx), &nettle_aes##bits, bits / 8, set_encrypt_key, \
             seal_gcm_siv##bits, NULL), \
    AEAD_ROW(name, OPEN, SIV_GCM_NONCE_SIZE, SIV_GCM_NONCE_SIZE, \
             sizeof(struct aes##bits##_ctx), &nettle_aes##bits, bits / 8, set_encrypt_key, \
             open_gcm_siv##bits, NULL)
#endif

#if AT_LEAST(3, 10)
#define OCB_FUNCTIONS(bits) \
    struct ocb_aes##bits { \
        struct ocb_key ocb; \
        struct aes##bits##_ctx encrypt, decrypt; \
    }; \
    static int set_ocb_aes##bits(const row *self, void *context, const uint8_t *key, \
                                 size_t key_bytes) \
    { \
        struct ocb_aes##bits *keyed = context; \
        (void)key_bytes; \
        aes##bits##_set_encrypt_key(&keyed->encrypt, key); \
        if (self->operation == OPEN) \
            aes##bits##_invert_key(&keyed->decrypt, &keyed->encrypt); \
        ocb_set_key(&keyed->ocb, &keyed->encrypt, nettle_aes##bits.encrypt); \
        return CIPHERMARK_DONE; \
    } \
    static int seal_ocb_aes##bits(const row *self, void *context, const message *m) \
    { \
        struct ocb_aes##bits *keyed = context; \
        ocb_encrypt_message(&keyed->ocb, &keyed->encrypt, nettle_aes##bits.encrypt, \
                            m->nonce_bytes, m->nonce, m->aad_bytes, m->aad, self->tag_bytes, \
                            m->output_bytes, m->output, m->input); \
        return CIPHERMARK_DONE; \
    } \
    static int open_ocb_aes##bits(const row *self, void *context, const message *m) \
    { \
        struct ocb_aes##bits *keyed = context; \
        int right = ocb_decrypt_message(&keyed->ocb, &keyed->encrypt, nettle_aes##bits.encrypt, \
                                        &keyed->decrypt, nettle_aes##bits.decrypt, \
                                        m->nonce_bytes, m->nonce, m->aad_bytes, m->aad, \
                                        self->tag_bytes, m->output_bytes, m->output, m->input); \
        return right ? CIPHERMARK_DONE : CIPHERMARK_REFUSED; \
    }
OCB_FUNCTIONS(128)
OCB_FUNCTIONS(256)

#define OCB(name, bits) \
    AEAD_ROW(name, SEAL, 1, 15, sizeof(struct ocb_aes##bits), NULL, bits / 8, \
             set_ocb_aes##bits, seal_ocb_aes##bits, NULL), \
    AEAD_ROW(name, OPEN, 1, 15, sizeof(struct ocb_aes##bits), NULL, bits / 8, \
             set_ocb_aes##bits, open_ocb_aes##bits, NULL)
#endif

/* ---- Hashes ----------------------------------------------------------------------------------
 *
 * Computing the digest makes the context ready for the next message. */

static int init_hash(const row *self, void *context)
{
    const struct nettle_hash *hash = self->parameters;
    hash->init(context);
    return CIPHERMARK_DONE;
}

/*
 * Functions are called by their names, as callers do who know which they want: by the pointers of
 * struct nettle_hash a message of 64 bytes costs SHA-256 some 15 cycles more on an Intel Xeon.
 */
#define DIGEST(hash) \
    static inline int digest_##hash##_chunks(const row *self, void *context, const message *m, \
                                             size_t chunk_bytes) \
    { \
        EACH_INPUT(m, chunk_bytes, 1, hash##_update(context, n, input)); \
        hash##_digest(context, self->tag_bytes, m->output); \
        return CIPHERMARK_DONE; \
    } \
    IN_ONE_PIECE(digest_##hash)
DIGEST(md5)
DIGEST(ripemd160)
DIGEST(sha1)
DIGEST(sha224)
DIGEST(sha256)
DIGEST(sha384)
DIGEST(sha512)
DIGEST(sha512_256)
DIGEST(sha3_224)
DIGEST(sha3_256)
DIGEST(sha3_384)
DIGEST(sha3_512)
#if AT_LEAST(3, 8)
DIGEST(sm3)
#endif

#define HASH(name, hash, HASH) \
    { \
        .algorithm = name, .operation = CIPHERMARK_DIGEST, .tag_bytes = HASH##_DIGEST_SIZE, \
        .lanes = 1, .context_bytes = sizeof(struct hash##_ctx), .context_alignment = ALIGNMENT, \
        .parameters = &nettle_##hash, .init = init_hash, .process = digest_##hash, \
        .process_chunks = digest_##hash##_chunks, .takes_repeats = 1, \
    }

/* ---- HMAC ------------------------------------------------------------------------------------
 *
 * The context is what HMAC_CTX makes of the hash's: outer, inner and running state. Computing the
 * tag makes the running state ready for the next message. */

static uint8_t *hmac_state(const struct nettle_hash *hash, void *context, unsigned index)
{
    return (uint8_t *)context + index * hash->context_size;
}

static int set_hmac_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    const struct nettle_hash *hash = self->parameters;
    hmac_set_key(context, hmac_state(hash, context, 1), hmac_state(hash, context, 2), hash,
                 key_bytes, key);
    return CIPHERMARK_DONE;
}

/* What hmac_sha256_update and its like do, which SHA-3 lacks. */
#define MAC_HMAC(hash) \
    static inline int mac_hmac_##hash##_chunks(const row *self, void *context, const message *m, \
                                               size_t chunk_bytes) \
    { \
        struct HMAC_CTX(struct hash##_ctx) *hmac = context; \
        EACH_INPUT(m, chunk_bytes, 1, hash##_update(&hmac->state, n, input)); \
        HMAC_DIGEST(hmac, &nettle_##hash, self->tag_bytes, m->output); \
        return CIPHERMARK_DONE; \
    } \
    IN_ONE_PIECE(mac_hmac_##hash)
MAC_HMAC(md5)
MAC_HMAC(sha1)
MAC_HMAC(sha224)
MAC_HMAC(sha256)
MAC_HMAC(sha384)
MAC_HMAC(sha512)
MAC_HMAC(sha3_256)
MAC_HMAC(sha3_512)

#define MAC_ROW(name, least_key, most_key, least, most, tag, context, with, set, run) \
    { \
        .algorithm = name, .operation = CIPHERMARK_MAC, .key_bytes = {least_key, most_key}, \
        .nonce_bytes = {least, most}, .tag_bytes = tag, .lanes = 1, .context_bytes = context, \
        .context_alignment = ALIGNMENT, .parameters = with, .set_key = set, .process = run, \
        .process_chunks = run##_chunks, .takes_repeats = 1, \
    }
#define HMAC(name, hash, HASH) \
    MAC_ROW(name, 0, SIZE_MAX, 0, 0, HASH##_DIGEST_SIZE, 3 * sizeof(struct hash##_ctx), \
            &nettle_##hash, set_hmac_key, mac_hmac_##hash)

/* ---- CMAC --------------------------------------------------------------------------------- */

struct cmac {
    struct cmac128_key key;
    struct cmac128_ctx state;
    uint64_t cipher[]; /* the cipher's context */
};

static int set_cmac_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    const struct nettle_cipher *cipher = self->parameters;
    struct cmac *cmac = context;
    (void)key_bytes;
    cipher->set_encrypt_key(cmac->cipher, key);
    cmac128_set_key(&cmac->key, cmac->cipher, cipher->encrypt);
    cmac128_init(&cmac->state);
    return CIPHERMARK_DONE;
}

static inline int mac_cmac_chunks(const row *self, void *context, const message *m,
                                  size_t chunk_bytes)
{
    const struct nettle_cipher *cipher = self->parameters;
    struct cmac *cmac = context;
    EACH_INPUT(m, chunk_bytes, 1,
               cmac128_update(&cmac->state, cmac->cipher, cipher->encrypt, n, input));
    cmac128_digest(&cmac->state, &cmac->key, cmac->cipher, cipher->encrypt,
                   (unsigned)self->tag_bytes, m->output);
    return CIPHERMARK_DONE;
}
IN_ONE_PIECE(mac_cmac)

#define CMAC(name, cipher, type, key) \
    MAC_ROW(name, key, key, 0, 0, CMAC128_DIGEST_SIZE, sizeof(struct cmac) + sizeof(type), \
            &cipher, set_cmac_key, mac_cmac)

/* ---- MACs with a nonce: UMAC, and GCM of associated data alone (GMAC) ------------------------ */

/* Of a message all pieces but the last are whole units. */
#define NONCE_MAC_FUNCTIONS(mac, set_nonce, unit_bytes) \
    static int set_##mac##_key(const row *self, void *context, const uint8_t *key, \
                               size_t key_bytes) \
    { \
        (void)self; \
        (void)key_bytes; \
        mac##_set_key(context, key); \
        return CIPHERMARK_DONE; \
    } \
    static inline int mac_##mac##_chunks(const row *self, void *context, const message *m, \
                                         size_t chunk_bytes) \
    { \
        if (m->repeats && chunk_bytes < m->input_bytes && chunk_bytes % (unit_bytes) != 0) \
            return CIPHERMARK_BAD_INPUT; \
        set_nonce(context, m->nonce_bytes, m->nonce); \
        EACH_INPUT(m, chunk_bytes, unit_bytes, mac##_update(context, n, input)); \
        mac##_digest(context, self->tag_bytes, m->output); \
        return CIPHERMARK_DONE; \
    } \
    IN_ONE_PIECE(mac_##mac)
NONCE_MAC_FUNCTIONS(umac32, umac32_set_nonce, 1)
NONCE_MAC_FUNCTIONS(umac64, umac64_set_nonce, 1)
NONCE_MAC_FUNCTIONS(umac96, umac96_set_nonce, 1)
NONCE_MAC_FUNCTIONS(umac128, umac128_set_nonce, 1)
NONCE_MAC_FUNCTIONS(gcm_aes128, gcm_aes128_set_iv, GCM_BLOCK_SIZE)
NONCE_MAC_FUNCTIONS(gcm_aes256, gcm_aes256_set_iv, GCM_BLOCK_SIZE)

#define NONCE_MAC(name, mac, key, least, most, tag) \
    MAC_ROW(name, key, key, least, most, tag, sizeof(struct mac##_ctx), NULL, set_##mac##_key, \
            mac_##mac)
#define UMAC(name, umac, tag) \
    NONCE_MAC(name, umac, UMAC_KEY_SIZE, UMAC_MIN_NONCE_SIZE, UMAC_MAX_NONCE_SIZE, tag)
#define GMAC(name, gcm, key) NONCE_MAC(name, gcm, key, 1, SIZE_MAX, GCM_DIGEST_SIZE)

/* ---- Keystreams ------------------------------------------------------------------------------
 *
 * Nettle encrypts; a keystream is the encryption of zeros. */

static int set_arcfour_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    (void)self;
    arcfour_set_key(context, key_bytes, key);
    return CIPHERMARK_DONE;
}

/* From the first byte on in each message, so the keyed state is kept and a copy runs. */
static inline int arcfour_keystream_chunks(const row *self, void *context, const message *m,
                                           size_t chunk_bytes)
{
    struct arcfour_ctx running = *(const struct arcfour_ctx *)context;
    (void)self;
    memset(m->output, 0, m->output_bytes);
    EACH_PIECE(m->output_bytes, chunk_bytes, 1,
               arcfour_crypt(&running, n, m->output + at, m->output + at));
    return CIPHERMARK_DONE;
}
IN_ONE_PIECE(arcfour_keystream)

static int set_chacha_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    (void)self;
    (void)key_bytes;
    chacha_set_key(context, key);
    return CIPHERMARK_DONE;
}

static inline int chacha_keystream_chunks(const row *self, void *context, const message *m,
                                          size_t chunk_bytes)
{
    (void)self;
    chacha_set_nonce96(context, m->nonce);
    memset(m->output, 0, m->output_bytes);
    EACH_PIECE(m->output_bytes, chunk_bytes, CHACHA_BLOCK_SIZE,
               chacha_crypt32(context, n, m->output + at, m->output + at));
    return CIPHERMARK_DONE;
}
IN_ONE_PIECE(chacha_keystream)

#define KEYSTREAM(name, key, nonce, type, set, run) \
    { \
        .algorithm = name, .operation = CIPHERMARK_KEYSTREAM, .key_bytes = {key, key}, \
        .nonce_bytes = {nonce, nonce}, .lanes = 1, .context_bytes = sizeof(type), \
        .context_alignment = ALIGNMENT, .set_key = set, .process = run, \
        .process_chunks = run##_chunks, \
    }

/* ---- The table ---------------------------------------------------------------------------- */

static const struct ciphermark_function functions[] = {
    BLOCK_CIPHER("aes-128", nettle_aes128, struct aes128_ctx, 16, encrypt_cbc_aes128),
    BLOCK_CIPHER("aes-192", nettle_aes192, struct aes192_ctx, 24, encrypt_cbc_aes192),
    BLOCK_CIPHER("aes-256", nettle_aes256, struct aes256_ctx, 32, encrypt_cbc_aes256),
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
    AEAD("chacha20-poly1305", CHACHA_POLY1305_NONCE_SIZE, CHACHA_POLY1305_NONCE_SIZE,
         nettle_chacha_poly1305, struct chacha_poly1305_ctx, 32, set_chacha_nonce),

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
    HMAC("hmac-md5", md5, MD5),
    HMAC("hmac-sha1", sha1, SHA1),
    HMAC("hmac-sha224", sha224, SHA224),
    HMAC("hmac-sha256", sha256, SHA256),
    HMAC("hmac-sha384", sha384, SHA384),
    HMAC("hmac-sha512", sha512, SHA512),
    HMAC("hmac-sha3-256", sha3_256, SHA3_256),
    HMAC("hmac-sha3-512", sha3_512, SHA3_512),
    UMAC("umac-32", umac32, UMAC32_DIGEST_SIZE),
    UMAC("umac-64", umac64, UMAC64_DIGEST_SIZE),
    UMAC("umac-96", umac96, UMAC96_DIGEST_SIZE),
    UMAC("umac-128", umac128, UMAC128_DIGEST_SIZE),

    HASH("md5", md5, MD5),
    HASH("ripemd160", ripemd160, RIPEMD160),
    HASH("sha1", sha1, SHA1),
    HASH("sha224", sha224, SHA224),
    HASH("sha256", sha256, SHA256),
    HASH("sha384", sha384, SHA384),
    HASH("sha512", sha512, SHA512),
    HASH("sha512-256", sha512_256, SHA512_256),
    HASH("sha3-224", sha3_224, SHA3_224),
    HASH("sha3-256", sha3_256, SHA3_256),
    HASH("sha3-384", sha3_384, SHA3_384),
    HASH("sha3-512", sha3_512, SHA3_512),
#if AT_LEAST(3, 8)
    HASH("sm3", sm3, SM3),
#endif

    KEYSTREAM("chacha20", CHACHA_KEY_SIZE, CHACHA_NONCE96_SIZE, struct chacha_ctx,
              set_chacha_key, chacha_keystream),
    KEYSTREAM("rc4-128", 16, 0, struct arcfour_ctx, set_arcfour_key, arcfour_keystream),
};

#define TEXT(number) #number
#define VERSION(major, minor) TEXT(major) "." TEXT(minor)

const struct ciphermark_library *ciphermark_library(void)
{
    static char version[24];
    static const struct ciphermark_library library = {
        .abi = CIPHERMARK_ABI,
        .function_bytes = sizeof(struct ciphermark_function),
        .header_version = VERSION(NETTLE_VERSION_MAJOR, NETTLE_VERSION_MINOR),
        .library_version = version,
        .inside = (void (*)(void))nettle_version_major,
        .tags_equal = memeql_sec,
        .function_count = sizeof functions / sizeof functions[0],
        .functions = functions,
    };
    snprintf(version, sizeof version, "%d.%d", nettle_version_major(), nettle_version_minor());
    return &library;
}
