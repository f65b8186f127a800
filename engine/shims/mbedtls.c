/*
 * Mbed TLS 2.28 and 3.6. Linked with -lmbedcrypto.
 *
 * A context is the library's own structure. Where that is plain data, zero bytes are what its
 * `_init` makes of it and there is nothing to free; GCM, CCM, CMAC and HMAC allocate behind it.
 */
#include <stdio.h>
#include <string.h>

#include <mbedtls/aes.h>
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

#include "pieces.h"
#include "shim.h"

#define IS(major, minor) (MBEDTLS_VERSION_MAJOR == (major) && MBEDTLS_VERSION_MINOR == (minor))
#if !IS(2, 28) && !IS(3, 6)
#error "the headers are not those of Mbed TLS 2.28 or 3.6"
#endif
#define HEADERS MBEDTLS_VERSION_STRING

#if IS(2, 28)
#include <mbedtls/arc4.h>
#include <mbedtls/xtea.h>
#else
#include <mbedtls/sha3.h>
#endif

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
    DOES(PROCESS(crypt_##cipher##_ecb), \
         EACH_BLOCK(m->input_bytes, block, TRY(mbedtls_##cipher##_crypt_ecb(context, \
                                                                            direction(self), \
                                                                            m->input + at, \
                                                                            m->output + at))))

#define BLOCK_BYTES 16

/* CTR only encrypts with the cipher, in both directions. */
#define BLOCK_CIPHER_FUNCTIONS(cipher) \
    ANSWERS(SET_KEY(set_##cipher##_encrypt_key), \
            mbedtls_##cipher##_setkey_enc(context, key, bits(key_bytes))) \
    ANSWERS(SET_KEY(set_##cipher##_decrypt_key), \
            mbedtls_##cipher##_setkey_dec(context, key, bits(key_bytes))) \
    ECB_FUNCTION(cipher, BLOCK_BYTES) \
    PIECES(crypt_##cipher##_cbc) \
    { \
        unsigned char iv[BLOCK_BYTES]; \
        memcpy(iv, m->nonce, sizeof iv); \
        EACH_PIECE(m->input_bytes, chunk_bytes, 1, \
                   TRY(mbedtls_##cipher##_crypt_cbc(context, direction(self), n, iv, \
                                                    m->input + at, m->output + at))); \
        return CIPHERMARK_DONE; \
    } \
    PIECES(crypt_##cipher##_ctr) \
    { \
        unsigned char counter[BLOCK_BYTES], keystream[BLOCK_BYTES]; \
        size_t used = 0; \
        memcpy(counter, m->nonce, sizeof counter); \
        EACH_PIECE(m->input_bytes, chunk_bytes, 1, \
                   TRY(mbedtls_##cipher##_crypt_ctr(context, n, &used, counter, keystream, \
                                                    m->input + at, m->output + at))); \
        return CIPHERMARK_DONE; \
    }
BLOCK_CIPHER_FUNCTIONS(aes)
BLOCK_CIPHER_FUNCTIONS(camellia)

ANSWERS(SET_KEY(set_xts_encrypt_key), mbedtls_aes_xts_setkey_enc(context, key, bits(key_bytes)))

ANSWERS(SET_KEY(set_xts_decrypt_key), mbedtls_aes_xts_setkey_dec(context, key, bits(key_bytes)))

ANSWERS(PROCESS(crypt_aes_xts),
        mbedtls_aes_crypt_xts(context, direction(self), m->input_bytes, m->nonce, m->input,
                              m->output))

#if IS(2, 28)
ECB_FUNCTION(xtea, 8)

DOES(SET_KEY(set_xtea_key), mbedtls_xtea_setup(context, key))
#endif

/* ---- GCM, GMAC and CCM -----------------------------------------------------------------------
 *
 * Setting a key frees the cipher's context and allocates another. */

#define TAG_BYTES 16

TAGS_EQUAL(mbedtls_ct_memcmp(one, other, bytes) == 0)

static const mbedtls_cipher_id_t aes = MBEDTLS_CIPHER_ID_AES;
static const mbedtls_cipher_id_t camellia = MBEDTLS_CIPHER_ID_CAMELLIA;

#define CIPHER_MODE_FUNCTIONS(mode) \
    DOES(INIT(init_##mode), mbedtls_##mode##_init(context)) \
    SET_KEY(set_##mode##_key) \
    { \
        const mbedtls_cipher_id_t *cipher = self->parameters; \
        return mbedtls_##mode##_setkey(context, *cipher, key, bits(key_bytes)); \
    } \
    RUNS(RELEASE(free_##mode), mbedtls_##mode##_free(context))
CIPHER_MODE_FUNCTIONS(gcm)
CIPHER_MODE_FUNCTIONS(ccm)

ANSWERS(PROCESS(seal_gcm),
        mbedtls_gcm_crypt_and_tag(context, MBEDTLS_GCM_ENCRYPT, m->input_bytes, m->nonce,
                                  m->nonce_bytes, m->aad, m->aad_bytes, m->input, m->output,
                                  TAG_BYTES, m->output + m->input_bytes))

ANSWERS(PROCESS(open_gcm),
        opened(mbedtls_gcm_auth_decrypt(context, m->output_bytes, m->nonce, m->nonce_bytes, m->aad,
                                        m->aad_bytes, m->input + m->output_bytes, TAG_BYTES,
                                        m->input, m->output),
               MBEDTLS_ERR_GCM_AUTH_FAILED))

#if IS(2, 28)
/* It takes whole blocks until the end of the text. */
static int crypt_gcm_chunks(void *context, int mode, const message *m, size_t text_bytes,
                            size_t chunk_bytes, unsigned char *tag)
{
    TRY(mbedtls_gcm_starts(context, mode, m->nonce, m->nonce_bytes, m->aad, m->aad_bytes));
    EACH_PIECE(text_bytes, chunk_bytes, BLOCK_BYTES,
               TRY(mbedtls_gcm_update(context, n, m->input + at, m->output + at)));
    return mbedtls_gcm_finish(context, tag, TAG_BYTES);
}
#else
static int crypt_gcm_chunks(void *context, int mode, const message *m, size_t text_bytes,
                            size_t chunk_bytes, unsigned char *tag)
{
    size_t written;
    TRY(mbedtls_gcm_starts(context, mode, m->nonce, m->nonce_bytes));
    TRY(mbedtls_gcm_update_ad(context, m->aad, m->aad_bytes));
    EACH_PIECE(text_bytes, chunk_bytes, 1,
               TRY(mbedtls_gcm_update(context, m->input + at, n, m->output + at, n, &written)));
    return mbedtls_gcm_finish(context, NULL, 0, &written, tag, TAG_BYTES);
}
#endif

ANSWERS(CHUNKS(seal_gcm),
        crypt_gcm_chunks(context, MBEDTLS_GCM_ENCRYPT, m, m->input_bytes, chunk_bytes,
                         m->output + m->input_bytes))

CHUNKS(open_gcm)
{
    unsigned char tag[TAG_BYTES];
    TRY(crypt_gcm_chunks(context, MBEDTLS_GCM_DECRYPT, m, m->output_bytes, chunk_bytes, tag));
    return check_tag(m, tag, TAG_BYTES);
}

/* Of associated data alone, all of which the library takes at once. */
ANSWERS(PROCESS(mac_gmac),
        mbedtls_gcm_crypt_and_tag(context, MBEDTLS_GCM_ENCRYPT, 0, m->nonce, m->nonce_bytes,
                                  m->input, m->input_bytes, m->input, m->output, TAG_BYTES,
                                  m->output))

ANSWERS(PROCESS(seal_ccm),
        mbedtls_ccm_encrypt_and_tag(context, m->input_bytes, m->nonce, m->nonce_bytes, m->aad,
                                    m->aad_bytes, m->input, m->output, m->output + m->input_bytes,
                                    TAG_BYTES))

ANSWERS(PROCESS(open_ccm),
        opened(mbedtls_ccm_auth_decrypt(context, m->output_bytes, m->nonce, m->nonce_bytes, m->aad,
                                        m->aad_bytes, m->input, m->output,
                                        m->input + m->output_bytes, TAG_BYTES),
               MBEDTLS_ERR_CCM_AUTH_FAILED))

/* ---- ChaCha20-Poly1305, Poly1305 ---------------------------------------------------------- */

ANSWERS(SET_KEY(set_chachapoly_key), mbedtls_chachapoly_setkey(context, key))

ANSWERS(PROCESS(seal_chachapoly),
        mbedtls_chachapoly_encrypt_and_tag(context, m->input_bytes, m->nonce, m->aad, m->aad_bytes,
                                           m->input, m->output, m->output + m->input_bytes))

ANSWERS(PROCESS(open_chachapoly),
        opened(mbedtls_chachapoly_auth_decrypt(context, m->output_bytes, m->nonce, m->aad,
                                               m->aad_bytes, m->input + m->output_bytes, m->input,
                                               m->output),
               MBEDTLS_ERR_CHACHAPOLY_AUTH_FAILED))

CHUNKS(seal_chachapoly)
{
    TRY(mbedtls_chachapoly_starts(context, m->nonce, MBEDTLS_CHACHAPOLY_ENCRYPT));
    TRY(mbedtls_chachapoly_update_aad(context, m->aad, m->aad_bytes));
    EACH_PIECE(m->input_bytes, chunk_bytes, 1,
               TRY(mbedtls_chachapoly_update(context, n, m->input + at, m->output + at)));
    return mbedtls_chachapoly_finish(context, m->output + m->input_bytes);
}

CHUNKS(open_chachapoly)
{
    unsigned char tag[TAG_BYTES];
    TRY(mbedtls_chachapoly_starts(context, m->nonce, MBEDTLS_CHACHAPOLY_DECRYPT));
    TRY(mbedtls_chachapoly_update_aad(context, m->aad, m->aad_bytes));
    EACH_PIECE(m->output_bytes, chunk_bytes, 1,
               TRY(mbedtls_chachapoly_update(context, n, m->input + at, m->output + at)));
    TRY(mbedtls_chachapoly_finish(context, tag));
    return check_tag(m, tag, TAG_BYTES);
}

ANSWERS(SET_KEY(set_poly1305_key), mbedtls_poly1305_starts(context, key))

/* Computing the tag spends the state, so the keyed one is kept and a copy runs. */
PIECES(mac_poly1305)
{
    mbedtls_poly1305_context running = *(const mbedtls_poly1305_context *)context;
    EACH_INPUT(m, chunk_bytes, 1, TRY(mbedtls_poly1305_update(&running, input, n)));
    return mbedtls_poly1305_finish(&running, m->output);
}

/* ---- CMAC --------------------------------------------------------------------------------- */

INIT(init_cmac)
{
    static const unsigned char no_key[32];
    const mbedtls_cipher_type_t *cipher = self->parameters;
    const mbedtls_cipher_info_t *info = mbedtls_cipher_info_from_type(*cipher);
    mbedtls_cipher_init(context);
    TRY(mbedtls_cipher_setup(context, info));
    return mbedtls_cipher_cmac_starts(context, no_key, bits(self->key_bytes.least));
}

/* A second mbedtls_cipher_cmac_starts would allocate a second state and lose the first. */
ANSWERS(SET_KEY(set_cmac_key),
        mbedtls_cipher_setkey(context, key, (int)bits(key_bytes), MBEDTLS_ENCRYPT))

/* The library computes the subkeys anew for each message, when it finishes it. */
PIECES(mac_cmac)
{
    TRY(mbedtls_cipher_cmac_reset(context));
    EACH_INPUT(m, chunk_bytes, 1, TRY(mbedtls_cipher_cmac_update(context, input, n)));
    return mbedtls_cipher_cmac_finish(context, m->output);
}

RUNS(RELEASE(free_cmac), mbedtls_cipher_free(context))

/* ---- HMAC --------------------------------------------------------------------------------- */

INIT(init_hmac)
{
    const mbedtls_md_type_t *hash = self->parameters;
    mbedtls_md_init(context);
    return mbedtls_md_setup(context, mbedtls_md_info_from_type(*hash), 1);
}

ANSWERS(SET_KEY(set_hmac_key), mbedtls_md_hmac_starts(context, key, key_bytes))

/* The reset makes the context ready for the next message. */
PIECES(mac_hmac)
{
    EACH_INPUT(m, chunk_bytes, 1, TRY(mbedtls_md_hmac_update(context, input, n)));
    TRY(mbedtls_md_hmac_finish(context, m->output));
    return mbedtls_md_hmac_reset(context);
}

RUNS(RELEASE(free_hmac), mbedtls_md_free(context))

/* ---- Hashes ------------------------------------------------------------------------------- */

/* Calls that can fail have names of their own in 2.28. */
#if IS(2, 28)
#define CALL(hash, step) mbedtls_##hash##_##step##_ret
#else
#define CALL(hash, step) mbedtls_##hash##_##step
#endif

#define HASH_FUNCTIONS_OF(name, starts, update, finish) \
    PIECES(digest_##name) \
    { \
        TRY(starts); \
        EACH_INPUT(m, chunk_bytes, 1, TRY(update(context, input, n))); \
        return finish; \
    }
#define HASH_FUNCTIONS(name, hash, ...) \
    HASH_FUNCTIONS_OF(name, CALL(hash, starts)(__VA_ARGS__), CALL(hash, update), \
                      CALL(hash, finish)(context, m->output))
HASH_FUNCTIONS(md5, md5, context)
HASH_FUNCTIONS(ripemd160, ripemd160, context)
HASH_FUNCTIONS(sha1, sha1, context)
HASH_FUNCTIONS(sha224, sha256, context, 1)
HASH_FUNCTIONS(sha256, sha256, context, 0)
HASH_FUNCTIONS(sha384, sha512, context, 1)
HASH_FUNCTIONS(sha512, sha512, context, 0)
#if IS(3, 6)
#define SHA3_FUNCTIONS(bits) \
    HASH_FUNCTIONS_OF(sha3_##bits, mbedtls_sha3_starts(context, MBEDTLS_SHA3_##bits), \
                      mbedtls_sha3_update, mbedtls_sha3_finish(context, m->output, bits / 8))
SHA3_FUNCTIONS(224)
SHA3_FUNCTIONS(256)
SHA3_FUNCTIONS(384)
SHA3_FUNCTIONS(512)
#endif

/* ---- Keystreams ------------------------------------------------------------------------------
 *
 * The library encrypts; a keystream is the encryption of zeros. */

#if IS(2, 28)
DOES(SET_KEY(set_rc4_key), mbedtls_arc4_setup(context, key, (unsigned)key_bytes))

/* From the first byte on in each message, so the keyed state is kept and a copy runs. */
PROCESS(rc4_keystream)
{
    mbedtls_arc4_context running = *(const mbedtls_arc4_context *)context;
    memset(m->output, 0, m->output_bytes);
    return mbedtls_arc4_crypt(&running, m->output_bytes, m->output, m->output);
}
#endif

ANSWERS(SET_KEY(set_chacha20_key), mbedtls_chacha20_setkey(context, key))

PROCESS(chacha20_keystream)
{
    TRY(mbedtls_chacha20_starts(context, m->nonce, 0));
    memset(m->output, 0, m->output_bytes);
    return mbedtls_chacha20_update(context, m->output_bytes, m->output, m->output);
}

/* ---- The table ---------------------------------------------------------------------------- */

#define CIPHER(name, what, cipher, set, ...) \
    ROW(name, what, mbedtls_##cipher##_context, .set_key = set, __VA_ARGS__)
/* A cipher in ECB, CBC and CTR. */
#define BLOCK_CIPHER(name, cipher, set_encrypt_key, set_decrypt_key) \
    CIPHER(name "-ecb", ENCRYPT, cipher, set_encrypt_key, .process = crypt_##cipher##_ecb), \
    CIPHER(name "-ecb", DECRYPT, cipher, set_decrypt_key, .process = crypt_##cipher##_ecb), \
    CIPHER(name "-cbc", ENCRYPT, cipher, set_encrypt_key, IV, IN_PIECES(crypt_##cipher##_cbc)), \
    CIPHER(name "-cbc", DECRYPT, cipher, set_decrypt_key, IV, IN_PIECES(crypt_##cipher##_cbc)), \
    CIPHER(name "-ctr", ENCRYPT, cipher, set_encrypt_key, IV, IN_PIECES(crypt_##cipher##_ctr)), \
    CIPHER(name "-ctr", DECRYPT, cipher, set_encrypt_key, IV, IN_PIECES(crypt_##cipher##_ctr))
#define IV NONCE(BLOCK_BYTES)
#define XTS(name, key) \
    CIPHER(name, ENCRYPT, aes_xts, set_xts_encrypt_key, KEY(key), IV, .process = crypt_aes_xts), \
    CIPHER(name, DECRYPT, aes_xts, set_xts_decrypt_key, KEY(key), IV, .process = crypt_aes_xts)
#define TAGGED(name, what, mode, cipher, ...) \
    CIPHER(name, what, mode, set_##mode##_key, .tag_bytes = TAG_BYTES, .parameters = &cipher, \
           .init = init_##mode, .release = free_##mode, __VA_ARGS__)
#define GCM(name, cipher) \
    TAGGED(name, SEAL, gcm, cipher, NONCES(1, SIZE_MAX), IN_PIECES(seal_gcm)), \
    TAGGED(name, OPEN, gcm, cipher, NONCES(1, SIZE_MAX), IN_PIECES(open_gcm))
#define CHACHAPOLY(what, run) \
    CIPHER("chacha20-poly1305", what, chachapoly, set_chachapoly_key, KEY(32), NONCE(12), \
           .tag_bytes = TAG_BYTES, IN_PIECES(run))
#define MAC(name, tag, type, set, run, ...) \
    ROW(name, CIPHERMARK_MAC, type, .tag_bytes = tag, .set_key = set, .takes_repeats = 1, \
        IN_PIECES(run), __VA_ARGS__)
#define CMAC(name, key, cipher) \
    MAC(name, 16, mbedtls_cipher_context_t, set_cmac_key, mac_cmac, KEY(key), .init = init_cmac, \
        .parameters = (&(const mbedtls_cipher_type_t){cipher}), .release = free_cmac)
#define HMAC(name, tag, hash) \
    MAC(name, tag, mbedtls_md_context_t, set_hmac_key, mac_hmac, ANY_KEY, .init = init_hmac, \
        .parameters = (&(const mbedtls_md_type_t){hash}), .release = free_hmac)
#define HASH_ROW(name, hash, bytes, run) \
    ROW(name, CIPHERMARK_DIGEST, mbedtls_##hash##_context, .tag_bytes = bytes, IN_PIECES(run), \
        .takes_repeats = 1)
#define HASH(name, hash, bytes) HASH_ROW(#name, hash, bytes, digest_##name)
#define SHA3(bits) HASH_ROW("sha3-" #bits, sha3, bits / 8, digest_sha3_##bits)
#define KEYSTREAM(name, cipher, set, run, ...) \
    CIPHER(name, CIPHERMARK_KEYSTREAM, cipher, set, .process = run, __VA_ARGS__)

#define HASH_AND_HMAC(name, hash, bytes, number) \
    HASH(name, hash, bytes), HMAC("hmac-" #name, bytes, number)

static const struct ciphermark_function functions[] = {
    BLOCK_CIPHER("aes-{128,192,256}", aes, set_aes_encrypt_key, set_aes_decrypt_key),
    XTS("aes-128-xts", 32),
    XTS("aes-256-xts", 64),
    BLOCK_CIPHER("camellia-{128,192,256}", camellia, set_camellia_encrypt_key,
                 set_camellia_decrypt_key),
#if IS(2, 28)
    CIPHER("xtea-ecb", ENCRYPT, xtea, set_xtea_key, KEY(16), .process = crypt_xtea_ecb),
    CIPHER("xtea-ecb", DECRYPT, xtea, set_xtea_key, KEY(16), .process = crypt_xtea_ecb),
#endif

    GCM("aes-{128,192,256}-gcm", aes),
    GCM("camellia-{128,256}-gcm", camellia),
    TAGGED("aes-{128,256}-ccm", SEAL, ccm, aes, NONCES(7, 13), .process = seal_ccm),
    TAGGED("aes-{128,256}-ccm", OPEN, ccm, aes, NONCES(7, 13), .process = open_ccm),
    CHACHAPOLY(SEAL, seal_chachapoly),
    CHACHAPOLY(OPEN, open_chachapoly),

    CMAC("cmac-aes-128", 16, MBEDTLS_CIPHER_AES_128_ECB),
    CMAC("cmac-aes-192", 24, MBEDTLS_CIPHER_AES_192_ECB),
    CMAC("cmac-aes-256", 32, MBEDTLS_CIPHER_AES_256_ECB),
    TAGGED("gmac-aes-{128,256}", CIPHERMARK_MAC, gcm, aes, NONCES(1, SIZE_MAX),
           .process = mac_gmac),
    MAC("poly1305", 16, mbedtls_poly1305_context, set_poly1305_key, mac_poly1305, KEY(32)),

    HASH_AND_HMAC(md5, md5, 16, MBEDTLS_MD_MD5),
    HASH(ripemd160, ripemd160, 20),
    HASH_AND_HMAC(sha1, sha1, 20, MBEDTLS_MD_SHA1),
    HASH_AND_HMAC(sha224, sha256, 28, MBEDTLS_MD_SHA224),
    HASH_AND_HMAC(sha256, sha256, 32, MBEDTLS_MD_SHA256),
    HASH_AND_HMAC(sha384, sha512, 48, MBEDTLS_MD_SHA384),
    HASH_AND_HMAC(sha512, sha512, 64, MBEDTLS_MD_SHA512),
#if IS(3, 6)
    SHA3(224),
    SHA3(256),
    HMAC("hmac-sha3-256", 32, MBEDTLS_MD_SHA3_256),
    SHA3(384),
    SHA3(512),
    HMAC("hmac-sha3-512", 64, MBEDTLS_MD_SHA3_512),
#endif

    KEYSTREAM("chacha20", chacha20, set_chacha20_key, chacha20_keystream, KEY(32), NONCE(12)),
#if IS(2, 28)
    KEYSTREAM("rc4-128", arc4, set_rc4_key, rc4_keystream, KEY(16)),
#endif
};

/* The options that choose between code paths of what is in the table. */
static const char *const options[] = {
    "MBEDTLS_HAVE_ASM",           "MBEDTLS_AESNI_C",        "MBEDTLS_AES_FEWER_TABLES",
    "MBEDTLS_AES_ROM_TABLES",     "MBEDTLS_SHA256_SMALLER", "MBEDTLS_SHA512_SMALLER",
    "MBEDTLS_CAMELLIA_SMALL_MEMORY",
};

/* Those that the library was built with, between spaces. */
static const char *build(void)
{
    static char words[COUNT_OF(options) * 32];
    size_t i, length = 0;
    for (i = 0; i < COUNT_OF(options); i++) {
        if (mbedtls_version_check_feature(options[i]) == 0)
            length += (size_t)snprintf(words + length, sizeof words - length, "%s ", options[i]);
    }
    return words;
}

const struct ciphermark_library *ciphermark_library(void)
{
    /* The library writes at most 9 bytes. */
    static char version[9];
    static struct ciphermark_library library =
        LIBRARY(.header_version = HEADERS, .library_version = version,
                .inside = (void (*)(void))mbedtls_version_get_string, .tags_equal = tags_equal);
    mbedtls_version_get_string(version);
    library.build = build();
    return &library;
}
