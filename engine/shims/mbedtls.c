/*
 * Mbed TLS 2.28. Linked with -lmbedcrypto.
 *
 * A context is the library's own structure. Where that is plain data, zero bytes are what its
 * `_init` makes of it and there is nothing to free; GCM, CCM, CMAC and HMAC allocate behind it.
 */
#include <stdio.h>
#include <string.h>

#include <mbedtls/aes.h>
#include <mbedtls/arc4.h>
#include <mbedtls/camellia.h>
#include <mbedtls/ccm.h>
#include <mbedtls/chacha20.h>
#include <mbedtls/chachapoly.h>
#include <mbedtls/cmac.h>
#include <mbedtls/constant_time.h>
#include <mbedtls/gcm.h>
#include <mbedtls/md.h>
#include <mbedtls/md5.h>
#include <mbedtls/poly1305.h>
#include <mbedtls/ripemd160.h>
#include <mbedtls/sha1.h>
#include <mbedtls/sha256.h>
#include <mbedtls/sha512.h>
#include <mbedtls/version.h>
#include <mbedtls/xtea.h>

#include "pieces.h"
#include "shim.h"

#if MBEDTLS_VERSION_MAJOR != 2 || MBEDTLS_VERSION_MINOR != 28
#error "the headers are not those of Mbed TLS 2.28"
#endif

/* As malloc gives, which is what the library's structures need. */
#define ALIGNMENT 16

static unsigned bits(size_t bytes)
{
    return (unsigned)(8 * bytes);
}

/* ---- Block ciphers ------------------------------------------------------------------------ */

/* In what the library calls a mode, of AES, Camellia and XTEA alike. */
static int direction(const row *self)
{
    return self->operation == ENCRYPT ? MBEDTLS_ENCRYPT : MBEDTLS_DECRYPT;
}

/* The library's calls for ECB take one block. */
#define ECB_FUNCTION(cipher, block) \
    static int crypt_##cipher##_ecb(const row *self, void *context, const message *m) \
    { \
        EACH_BLOCK(m->input_bytes, block, \
                   TRY(mbedtls_##cipher##_crypt_ecb(context, direction(self), m->input + at, \
                                                    m->output + at))); \
        return CIPHERMARK_DONE; \
    }

#define BLOCK_BYTES 16

/* CTR only encrypts with the cipher, in both directions. */
#define BLOCK_CIPHER_FUNCTIONS(cipher) \
    static int set_##cipher##_encrypt_key(const row *self, void *context, const uint8_t *key, \
                                          size_t key_bytes) \
    { \
        (void)self; \
        return mbedtls_##cipher##_setkey_enc(context, key, bits(key_bytes)); \
    } \
    static int set_##cipher##_decrypt_key(const row *self, void *context, const uint8_t *key, \
                                          size_t key_bytes) \
    { \
        (void)self; \
        return mbedtls_##cipher##_setkey_dec(context, key, bits(key_bytes)); \
    } \
    ECB_FUNCTION(cipher, BLOCK_BYTES) \
    static inline int crypt_##cipher##_cbc_chunks(const row *self, void *context, \
                                                  const message *m, size_t chunk_bytes) \
    { \
        unsigned char iv[BLOCK_BYTES]; \
        memcpy(iv, m->nonce, sizeof iv); \
        EACH_PIECE(m->input_bytes, chunk_bytes, 1, \
                   TRY(mbedtls_##cipher##_crypt_cbc(context, direction(self), n, iv, \
                                                    m->input + at, m->output + at))); \
        return CIPHERMARK_DONE; \
    } \
    IN_ONE_PIECE(crypt_##cipher##_cbc) \
    static inline int crypt_##cipher##_ctr_chunks(const row *self, void *context, \
                                                  const message *m, size_t chunk_bytes) \
    { \
        unsigned char counter[BLOCK_BYTES], keystream[BLOCK_BYTES]; \
        size_t used = 0; \
        (void)self; \
        memcpy(counter, m->nonce, sizeof counter); \
        EACH_PIECE(m->input_bytes, chunk_bytes, 1, \
                   TRY(mbedtls_##cipher##_crypt_ctr(context, n, &used, counter, keystream, \
                                                    m->input + at, m->output + at))); \
        return CIPHERMARK_DONE; \
    } \
    IN_ONE_PIECE(crypt_##cipher##_ctr)
BLOCK_CIPHER_FUNCTIONS(aes)
BLOCK_CIPHER_FUNCTIONS(camellia)

ECB_FUNCTION(xtea, 8)

static int set_xtea_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    (void)self;
    (void)key_bytes;
    mbedtls_xtea_setup(context, key);
    return CIPHERMARK_DONE;
}

#define MODE(name, direction, cipher, key, iv, set, run, chunks) \
    { \
        .algorithm = name, .operation = direction, .key_bytes = {key, key}, \
        .nonce_bytes = {iv, iv}, .lanes = 1, .context_bytes = sizeof(mbedtls_##cipher##_context), \
        .context_alignment = ALIGNMENT, .set_key = set, .process = run, .process_chunks = chunks, \
    }
#define ECB(name, cipher, key, set_encrypt_key, set_decrypt_key) \
    MODE(name "-ecb", ENCRYPT, cipher, key, 0, set_encrypt_key, crypt_##cipher##_ecb, NULL), \
    MODE(name "-ecb", DECRYPT, cipher, key, 0, set_decrypt_key, crypt_##cipher##_ecb, NULL)
#define CBC(name, direction, cipher, key, set) \
    MODE(name "-cbc", direction, cipher, key, BLOCK_BYTES, set, crypt_##cipher##_cbc, \
         crypt_##cipher##_cbc_chunks)
#define CTR(name, direction, cipher, key) \
    MODE(name "-ctr", direction, cipher, key, BLOCK_BYTES, set_##cipher##_encrypt_key, \
         crypt_##cipher##_ctr, crypt_##cipher##_ctr_chunks)
#define BLOCK_CIPHER(name, cipher, key) \
    ECB(name, cipher, key, set_##cipher##_encrypt_key, set_##cipher##_decrypt_key), \
    CBC(name, ENCRYPT, cipher, key, set_##cipher##_encrypt_key), \
    CBC(name, DECRYPT, cipher, key, set_##cipher##_decrypt_key), \
    CTR(name, ENCRYPT, cipher, key), \
    CTR(name, DECRYPT, cipher, key)

/* ---- GCM, GMAC and CCM -----------------------------------------------------------------------
 *
 * Setting a key frees the cipher's context and allocates another. */

#define TAG_BYTES 16

static const mbedtls_cipher_id_t aes = MBEDTLS_CIPHER_ID_AES;
static const mbedtls_cipher_id_t camellia = MBEDTLS_CIPHER_ID_CAMELLIA;

#define CIPHER_MODE_FUNCTIONS(mode) \
    static int init_##mode(const row *self, void *context) \
    { \
        (void)self; \
        mbedtls_##mode##_init(context); \
        return CIPHERMARK_DONE; \
    } \
    static int set_##mode##_key(const row *self, void *context, const uint8_t *key, \
                                size_t key_bytes) \
    { \
        const mbedtls_cipher_id_t *cipher = self->parameters; \
        return mbedtls_##mode##_setkey(context, *cipher, key, bits(key_bytes)); \
    } \
    static void free_##mode(const row *self, void *context) \
    { \
        (void)self; \
        mbedtls_##mode##_free(context); \
    }
CIPHER_MODE_FUNCTIONS(gcm)
CIPHER_MODE_FUNCTIONS(ccm)

static int seal_gcm(const row *self, void *context, const message *m)
{
    (void)self;
    return mbedtls_gcm_crypt_and_tag(context, MBEDTLS_GCM_ENCRYPT, m->input_bytes, m->nonce,
                                     m->nonce_bytes, m->aad, m->aad_bytes, m->input, m->output,
                                     TAG_BYTES, m->output + m->input_bytes);
}

static int open_gcm(const row *self, void *context, const message *m)
{
    (void)self;
    return opened(mbedtls_gcm_auth_decrypt(context, m->output_bytes, m->nonce, m->nonce_bytes,
                                           m->aad, m->aad_bytes, m->input + m->output_bytes,
                                           TAG_BYTES, m->input, m->output),
                  MBEDTLS_ERR_GCM_AUTH_FAILED);
}

/* The library takes whole blocks until the end of the text. */
static int seal_gcm_chunks(const row *self, void *context, const message *m, size_t chunk_bytes)
{
    (void)self;
    TRY(mbedtls_gcm_starts(context, MBEDTLS_GCM_ENCRYPT, m->nonce, m->nonce_bytes, m->aad,
                           m->aad_bytes));
    EACH_PIECE(m->input_bytes, chunk_bytes, BLOCK_BYTES,
               TRY(mbedtls_gcm_update(context, n, m->input + at, m->output + at)));
    return mbedtls_gcm_finish(context, m->output + m->input_bytes, TAG_BYTES);
}

/* Whether the tag that was computed stands after the ciphertext of a sealed message. */
static int compare_tag(const message *m, const unsigned char tag[TAG_BYTES])
{
    return mbedtls_ct_memcmp(tag, m->input + m->output_bytes, TAG_BYTES) ? CIPHERMARK_REFUSED
                                                                         : CIPHERMARK_DONE;
}

static int open_gcm_chunks(const row *self, void *context, const message *m, size_t chunk_bytes)
{
    unsigned char tag[TAG_BYTES];
    (void)self;
    TRY(mbedtls_gcm_starts(context, MBEDTLS_GCM_DECRYPT, m->nonce, m->nonce_bytes, m->aad,
                           m->aad_bytes));
    EACH_PIECE(m->output_bytes, chunk_bytes, BLOCK_BYTES,
               TRY(mbedtls_gcm_update(context, n, m->input + at, m->output + at)));
    TRY(mbedtls_gcm_finish(context, tag, sizeof tag));
    return compare_tag(m, tag);
}

/* Of associated data alone, all of which the library takes at once. */
static int mac_gmac(const row *self, void *context, const message *m)
{
    (void)self;
    return mbedtls_gcm_crypt_and_tag(context, MBEDTLS_GCM_ENCRYPT, 0, m->nonce, m->nonce_bytes,
                                     m->input, m->input_bytes, m->input, m->output, TAG_BYTES,
                                     m->output);
}

static int seal_ccm(const row *self, void *context, const message *m)
{
    (void)self;
    return mbedtls_ccm_encrypt_and_tag(context, m->input_bytes, m->nonce, m->nonce_bytes, m->aad,
                                       m->aad_bytes, m->input, m->output,
                                       m->output + m->input_bytes, TAG_BYTES);
}

static int open_ccm(const row *self, void *context, const message *m)
{
    (void)self;
    return opened(mbedtls_ccm_auth_decrypt(context, m->output_bytes, m->nonce, m->nonce_bytes,
                                           m->aad, m->aad_bytes, m->input, m->output,
                                           m->input + m->output_bytes, TAG_BYTES),
                  MBEDTLS_ERR_CCM_AUTH_FAILED);
}

#define CIPHER_MODE(name, act, mode, cipher, key, least, most, run, chunks) \
    { \
        .algorithm = name, .operation = act, .key_bytes = {key, key}, \
        .nonce_bytes = {least, most}, .tag_bytes = TAG_BYTES, .lanes = 1, \
        .context_bytes = sizeof(mbedtls_##mode##_context), .context_alignment = ALIGNMENT, \
        .parameters = &cipher, .init = init_##mode, .set_key = set_##mode##_key, .process = run, \
        .release = free_##mode, .process_chunks = chunks, \
    }
#define GCM(name, cipher, key) \
    CIPHER_MODE(name, SEAL, gcm, cipher, key, 1, SIZE_MAX, seal_gcm, seal_gcm_chunks), \
    CIPHER_MODE(name, OPEN, gcm, cipher, key, 1, SIZE_MAX, open_gcm, open_gcm_chunks)
#define GMAC(name, cipher, key) \
    CIPHER_MODE(name, CIPHERMARK_MAC, gcm, cipher, key, 1, SIZE_MAX, mac_gmac, NULL)
#define CCM(name, cipher, key) \
    CIPHER_MODE(name, SEAL, ccm, cipher, key, 7, 13, seal_ccm, NULL), \
    CIPHER_MODE(name, OPEN, ccm, cipher, key, 7, 13, open_ccm, NULL)

/* ---- ChaCha20-Poly1305, Poly1305 ---------------------------------------------------------- */

static int set_chachapoly_key(const row *self, void *context, const uint8_t *key,
                              size_t key_bytes)
{
    (void)self;
    (void)key_bytes;
    return mbedtls_chachapoly_setkey(context, key);
}

static int seal_chachapoly(const row *self, void *context, const message *m)
{
    (void)self;
    return mbedtls_chachapoly_encrypt_and_tag(context, m->input_bytes, m->nonce, m->aad,
                                              m->aad_bytes, m->input, m->output,
                                              m->output + m->input_bytes);
}

static int open_chachapoly(const row *self, void *context, const message *m)
{
    (void)self;
    return opened(mbedtls_chachapoly_auth_decrypt(context, m->output_bytes, m->nonce, m->aad,
                                                  m->aad_bytes, m->input + m->output_bytes,
                                                  m->input, m->output),
                  MBEDTLS_ERR_CHACHAPOLY_AUTH_FAILED);
}

static int seal_chachapoly_chunks(const row *self, void *context, const message *m,
                                  size_t chunk_bytes)
{
    (void)self;
    TRY(mbedtls_chachapoly_starts(context, m->nonce, MBEDTLS_CHACHAPOLY_ENCRYPT));
    TRY(mbedtls_chachapoly_update_aad(context, m->aad, m->aad_bytes));
    EACH_PIECE(m->input_bytes, chunk_bytes, 1,
               TRY(mbedtls_chachapoly_update(context, n, m->input + at, m->output + at)));
    return mbedtls_chachapoly_finish(context, m->output + m->input_bytes);
}

static int open_chachapoly_chunks(const row *self, void *context, const message *m,
                                  size_t chunk_bytes)
{
    unsigned char tag[TAG_BYTES];
    (void)self;
    TRY(mbedtls_chachapoly_starts(context, m->nonce, MBEDTLS_CHACHAPOLY_DECRYPT));
    TRY(mbedtls_chachapoly_update_aad(context, m->aad, m->aad_bytes));
    EACH_PIECE(m->output_bytes, chunk_bytes, 1,
               TRY(mbedtls_chachapoly_update(context, n, m->input + at, m->output + at)));
    TRY(mbedtls_chachapoly_finish(context, tag));
    return compare_tag(m, tag);
}

#define CHACHAPOLY(act, run) \
    { \
        .algorithm = "chacha20-poly1305", .operation = act, .key_bytes = {32, 32}, \
        .nonce_bytes = {12, 12}, .tag_bytes = TAG_BYTES, .lanes = 1, \
        .context_bytes = sizeof(mbedtls_chachapoly_context), .context_alignment = ALIGNMENT, \
        .set_key = set_chachapoly_key, .process = run, .process_chunks = run##_chunks, \
    }

static int set_poly1305_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    (void)self;
    (void)key_bytes;
    return mbedtls_poly1305_starts(context, key);
}

/* Computing the tag spends the state, so the keyed one is kept and a copy runs. */
static inline int mac_poly1305_chunks(const row *self, void *context, const message *m,
                                      size_t chunk_bytes)
{
    mbedtls_poly1305_context running = *(const mbedtls_poly1305_context *)context;
    (void)self;
    EACH_INPUT(m, chunk_bytes, 1,
               TRY(mbedtls_poly1305_update(&running, input, n)));
    return mbedtls_poly1305_finish(&running, m->output);
}
IN_ONE_PIECE(mac_poly1305)

/* ---- CMAC --------------------------------------------------------------------------------- */

static int init_cmac(const row *self, void *context)
{
    static const unsigned char no_key[32];
    const mbedtls_cipher_type_t *cipher = self->parameters;
    const mbedtls_cipher_info_t *info = mbedtls_cipher_info_from_type(*cipher);
    mbedtls_cipher_init(context);
    TRY(mbedtls_cipher_setup(context, info));
    return mbedtls_cipher_cmac_starts(context, no_key, bits(self->key_bytes.least));
}

/* A second mbedtls_cipher_cmac_starts would allocate a second state and lose the first. */
static int set_cmac_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    (void)self;
    return mbedtls_cipher_setkey(context, key, (int)bits(key_bytes), MBEDTLS_ENCRYPT);
}

/* The library computes the subkeys anew for each message, when it finishes it. */
static inline int mac_cmac_chunks(const row *self, void *context, const message *m,
                                  size_t chunk_bytes)
{
    (void)self;
    TRY(mbedtls_cipher_cmac_reset(context));
    EACH_INPUT(m, chunk_bytes, 1,
               TRY(mbedtls_cipher_cmac_update(context, input, n)));
    return mbedtls_cipher_cmac_finish(context, m->output);
}
IN_ONE_PIECE(mac_cmac)

static void free_cmac(const row *self, void *context)
{
    (void)self;
    mbedtls_cipher_free(context);
}

/* ---- HMAC --------------------------------------------------------------------------------- */

static int init_hmac(const row *self, void *context)
{
    const mbedtls_md_type_t *hash = self->parameters;
    mbedtls_md_init(context);
    return mbedtls_md_setup(context, mbedtls_md_info_from_type(*hash), 1);
}

static int set_hmac_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    (void)self;
    return mbedtls_md_hmac_starts(context, key, key_bytes);
}

/* The reset makes the context ready for the next message. */
static inline int mac_hmac_chunks(const row *self, void *context, const message *m,
                                  size_t chunk_bytes)
{
    (void)self;
    EACH_INPUT(m, chunk_bytes, 1,
               TRY(mbedtls_md_hmac_update(context, input, n)));
    TRY(mbedtls_md_hmac_finish(context, m->output));
    return mbedtls_md_hmac_reset(context);
}
IN_ONE_PIECE(mac_hmac)

static void free_hmac(const row *self, void *context)
{
    (void)self;
    mbedtls_md_free(context);
}

#define MAC_ROW(name, least, most, tag, type, with, start, set, run, free) \
    { \
        .algorithm = name, .operation = CIPHERMARK_MAC, .key_bytes = {least, most}, \
        .tag_bytes = tag, .lanes = 1, .context_bytes = sizeof(type), \
        .context_alignment = ALIGNMENT, .parameters = with, .init = start, .set_key = set, \
        .process = run, .release = free, .process_chunks = run##_chunks, .takes_repeats = 1, \
    }
#define CMAC(name, cipher, key) \
    MAC_ROW(name, key, key, 16, mbedtls_cipher_context_t, \
            &(const mbedtls_cipher_type_t){MBEDTLS_CIPHER_##cipher}, init_cmac, set_cmac_key, \
            mac_cmac, free_cmac)
#define HMAC(name, hash, tag) \
    MAC_ROW(name, 0, SIZE_MAX, tag, mbedtls_md_context_t, \
            &(const mbedtls_md_type_t){MBEDTLS_MD_##hash}, init_hmac, set_hmac_key, mac_hmac, \
            free_hmac)

/* ---- Hashes ------------------------------------------------------------------------------- */

#define HASH_FUNCTIONS(name, hash, starts) \
    static inline int digest_##name##_chunks(const row *self, void *context, const message *m, \
                                             size_t chunk_bytes) \
    { \
        (void)self; \
        TRY(starts); \
        EACH_INPUT(m, chunk_bytes, 1, \
                   TRY(mbedtls_##hash##_update_ret(context, input, n))); \
        return mbedtls_##hash##_finish_ret(context, m->output); \
    } \
    IN_ONE_PIECE(digest_##name)
HASH_FUNCTIONS(md5, md5, mbedtls_md5_starts_ret(context))
HASH_FUNCTIONS(ripemd160, ripemd160, mbedtls_ripemd160_starts_ret(context))
HASH_FUNCTIONS(sha1, sha1, mbedtls_sha1_starts_ret(context))
HASH_FUNCTIONS(sha224, sha256, mbedtls_sha256_starts_ret(context, 1))
HASH_FUNCTIONS(sha256, sha256, mbedtls_sha256_starts_ret(context, 0))
HASH_FUNCTIONS(sha384, sha512, mbedtls_sha512_starts_ret(context, 1))
HASH_FUNCTIONS(sha512, sha512, mbedtls_sha512_starts_ret(context, 0))

#define HASH(name, hash, bytes) \
    { \
        .algorithm = #name, .operation = CIPHERMARK_DIGEST, .tag_bytes = bytes, .lanes = 1, \
        .context_bytes = sizeof(mbedtls_##hash##_context), .context_alignment = ALIGNMENT, \
        .process = digest_##name, .process_chunks = digest_##name##_chunks, .takes_repeats = 1, \
    }

/* ---- Keystreams ------------------------------------------------------------------------------
 *
 * The library encrypts; a keystream is the encryption of zeros. */

static int set_rc4_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    (void)self;
    mbedtls_arc4_setup(context, key, (unsigned)key_bytes);
    return CIPHERMARK_DONE;
}

/* From the first byte on in each message, so the keyed state is kept and a copy runs. */
static int rc4_keystream(const row *self, void *context, const message *m)
{
    mbedtls_arc4_context running = *(const mbedtls_arc4_context *)context;
    (void)self;
    memset(m->output, 0, m->output_bytes);
    return mbedtls_arc4_crypt(&running, m->output_bytes, m->output, m->output);
}

static int set_chacha20_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    (void)self;
    (void)key_bytes;
    return mbedtls_chacha20_setkey(context, key);
}

static int chacha20_keystream(const row *self, void *context, const message *m)
{
    (void)self;
    TRY(mbedtls_chacha20_starts(context, m->nonce, 0));
    memset(m->output, 0, m->output_bytes);
    return mbedtls_chacha20_update(context, m->output_bytes, m->output, m->output);
}

#define KEYSTREAM(name, key, nonce, type, set, run) \
    { \
        .algorithm = name, .operation = CIPHERMARK_KEYSTREAM, .key_bytes = {key, key}, \
        .nonce_bytes = {nonce, nonce}, .lanes = 1, .context_bytes = sizeof(type), \
        .context_alignment = ALIGNMENT, .set_key = set, .process = run, \
    }

/* ---- The table ---------------------------------------------------------------------------- */

static const struct ciphermark_function functions[] = {
    BLOCK_CIPHER("aes-{128,192,256}", aes, 0),
    BLOCK_CIPHER("camellia-{128,192,256}", camellia, 0),
    ECB("xtea", xtea, 16, set_xtea_key, set_xtea_key),

    GCM("aes-{128,192,256}-gcm", aes, 0),
    GCM("camellia-{128,256}-gcm", camellia, 0),
    CCM("aes-{128,256}-ccm", aes, 0),
    CHACHAPOLY(SEAL, seal_chachapoly),
    CHACHAPOLY(OPEN, open_chachapoly),

    CMAC("cmac-aes-128", AES_128_ECB, 16),
    CMAC("cmac-aes-192", AES_192_ECB, 24),
    CMAC("cmac-aes-256", AES_256_ECB, 32),
    GMAC("gmac-aes-{128,256}", aes, 0),
    HMAC("hmac-md5", MD5, 16),
    HMAC("hmac-sha1", SHA1, 20),
    HMAC("hmac-sha224", SHA224, 28),
    HMAC("hmac-sha256", SHA256, 32),
    HMAC("hmac-sha384", SHA384, 48),
    HMAC("hmac-sha512", SHA512, 64),
    MAC_ROW("poly1305", 32, 32, 16, mbedtls_poly1305_context, NULL, NULL, set_poly1305_key,
            mac_poly1305, NULL),

    HASH(md5, md5, 16),
    HASH(ripemd160, ripemd160, 20),
    HASH(sha1, sha1, 20),
    HASH(sha224, sha256, 28),
    HASH(sha256, sha256, 32),
    HASH(sha384, sha512, 48),
    HASH(sha512, sha512, 64),

    KEYSTREAM("chacha20", 32, 12, mbedtls_chacha20_context, set_chacha20_key,
              chacha20_keystream),
    KEYSTREAM("rc4-128", 16, 0, mbedtls_arc4_context, set_rc4_key, rc4_keystream),
};

static int tags_equal(const void *one, const void *other, size_t bytes)
{
    return mbedtls_ct_memcmp(one, other, bytes) == 0;
}

/* The options that choose between code paths of what is in the table. */
static const char *const options[] = {
    "MBEDTLS_HAVE_ASM",           "MBEDTLS_AESNI_C",        "MBEDTLS_AES_FEWER_TABLES",
    "MBEDTLS_AES_ROM_TABLES",     "MBEDTLS_SHA256_SMALLER", "MBEDTLS_SHA512_SMALLER",
    "MBEDTLS_CAMELLIA_SMALL_MEMORY",
};

/* Those that the library was built with, between spaces. */
static const char *build(void)
{
    static char words[sizeof options / sizeof options[0] * 32];
    size_t i, length = 0;
    for (i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (mbedtls_version_check_feature(options[i]) == 0)
            length += (size_t)snprintf(words + length, sizeof words - length, "%s ", options[i]);
    }
    return words;
}

const struct ciphermark_library *ciphermark_library(void)
{
    /* The library writes at most 9 bytes. */
    static char version[9];
    static struct ciphermark_library library = {
        .abi = CIPHERMARK_ABI,
        .function_bytes = sizeof(struct ciphermark_function),
        .header_version = MBEDTLS_VERSION_STRING,
        .library_version = version,
        .inside = (void (*)(void))mbedtls_version_get_string,
        .tags_equal = tags_equal,
        .function_count = sizeof functions / sizeof functions[0],
        .functions = functions,
    };
    mbedtls_version_get_string(version);
    library.build = build();
    return &library;
}
