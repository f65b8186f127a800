/*
 * wolfSSL's wolfCrypt 5.5, with the options that its header options.h names. Linked with -lwolfssl.
 *
 * A context is the library's own structure. In software it allocates nothing behind it, so there
 * is nothing to give back. Computing a tag often wipes the keyed state; that is plain data, so the
 * keyed one is kept and a copy runs. Some calls take the key with each message; then `setup` only
 * stores it.
 *
 * Lengths are 32-bit numbers in the library, and messages of the engine at most 1 GiB.
 */
#include <string.h>

#include <wolfssl/options.h>

#include <wolfssl/ssl.h>
#include <wolfssl/version.h>
#include <wolfssl/wolfcrypt/aes.h>
#include <wolfssl/wolfcrypt/arc4.h>
#include <wolfssl/wolfcrypt/blake2.h>
#include <wolfssl/wolfcrypt/camellia.h>
#include <wolfssl/wolfcrypt/chacha.h>
#include <wolfssl/wolfcrypt/chacha20_poly1305.h>
#include <wolfssl/wolfcrypt/cmac.h>
#include <wolfssl/wolfcrypt/error-crypt.h>
#include <wolfssl/wolfcrypt/hmac.h>
#include <wolfssl/wolfcrypt/md5.h>
#include <wolfssl/wolfcrypt/poly1305.h>
#include <wolfssl/wolfcrypt/ripemd.h>
#include <wolfssl/wolfcrypt/sha.h>
#include <wolfssl/wolfcrypt/sha256.h>
#include <wolfssl/wolfcrypt/sha3.h>
#include <wolfssl/wolfcrypt/sha512.h>
#include <wolfssl/wolfcrypt/siphash.h>
#include <wolfssl/wolfcrypt/wc_port.h>

#include "pieces.h"
#include "shim.h"

#if LIBWOLFSSL_VERSION_HEX < 0x05005000 || LIBWOLFSSL_VERSION_HEX >= 0x05006000
#error "the headers are not those of wolfSSL 5.5"
#endif

/* The most that the library's structures ask for, in builds with vector code. */
#define ALIGNMENT 64

/* ---- AES ---------------------------------------------------------------------------------- */

static int init_aes(const row *self, void *context)
{
    (void)self;
    return wc_AesInit(context, NULL, INVALID_DEVID);
}

static int set_aes_encrypt_key(const row *self, void *context, const uint8_t *key,
                               size_t key_bytes)
{
    (void)self;
    return wc_AesSetKey(context, key, (word32)key_bytes, NULL, AES_ENCRYPTION);
}

static int set_aes_decrypt_key(const row *self, void *context, const uint8_t *key,
                               size_t key_bytes)
{
    (void)self;
    return wc_AesSetKey(context, key, (word32)key_bytes, NULL, AES_DECRYPTION);
}

static int encrypt_aes_ecb(const row *self, void *context, const message *m)
{
    (void)self;
    return wc_AesEcbEncrypt(context, m->output, m->input, (word32)m->input_bytes);
}

static int decrypt_aes_ecb(const row *self, void *context, const message *m)
{
    (void)self;
    return wc_AesEcbDecrypt(context, m->output, m->input, (word32)m->input_bytes);
}

#define IV_MODE_FUNCTIONS(run, set_iv, crypt) \
    static inline int run##_chunks(const row *self, void *context, const message *m, \
                                   size_t chunk_bytes) \
    { \
        (void)self; \
        TRY(set_iv(context, m->nonce)); \
        EACH_PIECE(m->input_bytes, chunk_bytes, 1, \
                   TRY(crypt(context, m->output + at, m->input + at, (word32)n))); \
        return CIPHERMARK_DONE; \
    } \
    IN_ONE_PIECE(run)
IV_MODE_FUNCTIONS(encrypt_aes_cbc, wc_AesSetIV, wc_AesCbcEncrypt)
IV_MODE_FUNCTIONS(decrypt_aes_cbc, wc_AesSetIV, wc_AesCbcDecrypt)
/* In both directions. */
IV_MODE_FUNCTIONS(crypt_aes_ctr, wc_AesSetIV, wc_AesCtrEncrypt)

/* ---- Camellia ----------------------------------------------------------------------------- */

static int set_camellia_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    (void)self;
    return wc_CamelliaSetKey(context, key, (word32)key_bytes, NULL);
}

/* Without a mode, the library's calls take one block. */
#define CAMELLIA_ECB_FUNCTION(run, crypt) \
    static int run(const row *self, void *context, const message *m) \
    { \
        (void)self; \
        EACH_BLOCK(m->input_bytes, CAMELLIA_BLOCK_SIZE, \
                   TRY(crypt(context, m->output + at, m->input + at))); \
        return CIPHERMARK_DONE; \
    }
CAMELLIA_ECB_FUNCTION(encrypt_camellia_ecb, wc_CamelliaEncryptDirect)
CAMELLIA_ECB_FUNCTION(decrypt_camellia_ecb, wc_CamelliaDecryptDirect)
IV_MODE_FUNCTIONS(encrypt_camellia_cbc, wc_CamelliaSetIV, wc_CamelliaCbcEncrypt)
IV_MODE_FUNCTIONS(decrypt_camellia_cbc, wc_CamelliaSetIV, wc_CamelliaCbcDecrypt)

#define MODE(name, direction, type, key, iv, start, set, run, chunks) \
    { \
        .algorithm = name, .operation = direction, .key_bytes = {key, key}, \
        .nonce_bytes = {iv, iv}, .lanes = 1, .context_bytes = sizeof(type), \
        .context_alignment = ALIGNMENT, .init = start, .set_key = set, .process = run, \
        .process_chunks = chunks, \
    }
#define ECB(name, direction, type, key, start, set, run) \
    MODE(name "-ecb", direction, type, key, 0, start, set, run, NULL)
#define IV_MODE(name, direction, type, key, start, set, run) \
    MODE(name, direction, type, key, 16, start, set, run, run##_chunks)
#define AES(name, key) \
    ECB(name, ENCRYPT, Aes, key, init_aes, set_aes_encrypt_key, encrypt_aes_ecb), \
    ECB(name, DECRYPT, Aes, key, init_aes, set_aes_decrypt_key, decrypt_aes_ecb), \
    IV_MODE(name "-cbc", ENCRYPT, Aes, key, init_aes, set_aes_encrypt_key, encrypt_aes_cbc), \
    IV_MODE(name "-cbc", DECRYPT, Aes, key, init_aes, set_aes_decrypt_key, decrypt_aes_cbc), \
    IV_MODE(name "-ctr", ENCRYPT, Aes, key, init_aes, set_aes_encrypt_key, crypt_aes_ctr), \
    IV_MODE(name "-ctr", DECRYPT, Aes, key, init_aes, set_aes_encrypt_key, crypt_aes_ctr)
#define CAMELLIA(name, key) \
    ECB(name, ENCRYPT, Camellia, key, NULL, set_camellia_key, encrypt_camellia_ecb), \
    ECB(name, DECRYPT, Camellia, key, NULL, set_camellia_key, decrypt_camellia_ecb), \
    IV_MODE(name "-cbc", ENCRYPT, Camellia, key, NULL, set_camellia_key, encrypt_camellia_cbc), \
    IV_MODE(name "-cbc", DECRYPT, Camellia, key, NULL, set_camellia_key, decrypt_camellia_cbc)

/* ---- GCM, GMAC and CCM -------------------------------------------------------------------- */

#define TAG_BYTES 16

static int set_gcm_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    (void)self;
    return wc_AesGcmSetKey(context, key, (word32)key_bytes);
}

static int seal_gcm(const row *self, void *context, const message *m)
{
    (void)self;
    return wc_AesGcmEncrypt(context, m->output, m->input, (word32)m->input_bytes, m->nonce,
                            (word32)m->nonce_bytes, m->output + m->input_bytes, TAG_BYTES, m->aad,
                            (word32)m->aad_bytes);
}

static int open_gcm(const row *self, void *context, const message *m)
{
    (void)self;
    return opened(wc_AesGcmDecrypt(context, m->output, m->input, (word32)m->output_bytes,
                                   m->nonce, (word32)m->nonce_bytes, m->input + m->output_bytes,
                                   TAG_BYTES, m->aad, (word32)m->aad_bytes),
                  AES_GCM_AUTH_E);
}

/* No key means the one that is set. */
static int seal_gcm_chunks(const row *self, void *context, const message *m, size_t chunk_bytes)
{
    (void)self;
    TRY(wc_AesGcmEncryptInit(context, NULL, 0, m->nonce, (word32)m->nonce_bytes));
    TRY(wc_AesGcmEncryptUpdate(context, NULL, NULL, 0, m->aad, (word32)m->aad_bytes));
    EACH_PIECE(m->input_bytes, chunk_bytes, 1,
               TRY(wc_AesGcmEncryptUpdate(context, m->output + at, m->input + at, (word32)n, NULL,
                                          0)));
    return wc_AesGcmEncryptFinal(context, m->output + m->input_bytes, TAG_BYTES);
}

static int open_gcm_chunks(const row *self, void *context, const message *m, size_t chunk_bytes)
{
    (void)self;
    TRY(wc_AesGcmDecryptInit(context, NULL, 0, m->nonce, (word32)m->nonce_bytes));
    TRY(wc_AesGcmDecryptUpdate(context, NULL, NULL, 0, m->aad, (word32)m->aad_bytes));
    EACH_PIECE(m->output_bytes, chunk_bytes, 1,
               TRY(wc_AesGcmDecryptUpdate(context, m->output + at, m->input + at, (word32)n, NULL,
                                          0)));
    return opened(wc_AesGcmDecryptFinal(context, m->input + m->output_bytes, TAG_BYTES),
                  AES_GCM_AUTH_E);
}

static int init_gmac(const row *self, void *context)
{
    return init_aes(self, &((Gmac *)context)->aes);
}

static int set_gmac_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    (void)self;
    return wc_GmacSetKey(context, key, (word32)key_bytes);
}

static int mac_gmac(const row *self, void *context, const message *m)
{
    (void)self;
    return wc_GmacUpdate(context, m->nonce, (word32)m->nonce_bytes, m->input,
                         (word32)m->input_bytes, m->output, TAG_BYTES);
}

/* GMAC's update takes a whole message; GCM's takes associated data in chunks. */
static int mac_gmac_chunks(const row *self, void *context, const message *m, size_t chunk_bytes)
{
    Aes *gcm = &((Gmac *)context)->aes;
    (void)self;
    TRY(wc_AesGcmEncryptInit(gcm, NULL, 0, m->nonce, (word32)m->nonce_bytes));
    EACH_INPUT(m, chunk_bytes, 1,
               TRY(wc_AesGcmEncryptUpdate(gcm, NULL, NULL, 0, input, (word32)n)));
    return wc_AesGcmEncryptFinal(gcm, m->output, TAG_BYTES);
}

static int set_ccm_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    (void)self;
    return wc_AesCcmSetKey(context, key, (word32)key_bytes);
}

static int seal_ccm(const row *self, void *context, const message *m)
{
    (void)self;
    return wc_AesCcmEncrypt(context, m->output, m->input, (word32)m->input_bytes, m->nonce,
                            (word32)m->nonce_bytes, m->output + m->input_bytes, TAG_BYTES, m->aad,
                            (word32)m->aad_bytes);
}

static int open_ccm(const row *self, void *context, const message *m)
{
    (void)self;
    return opened(wc_AesCcmDecrypt(context, m->output, m->input, (word32)m->output_bytes,
                                   m->nonce, (word32)m->nonce_bytes, m->input + m->output_bytes,
                                   TAG_BYTES, m->aad, (word32)m->aad_bytes),
                  AES_CCM_AUTH_E);
}

/* ---- ChaCha20-Poly1305 and XChaCha20-Poly1305 ------------------------------------------------
 *
 * Both take the key with each message. */

struct key {
    uint8_t bytes[32];
};

static int keep_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    struct key *kept = context;
    (void)self;
    memcpy(kept->bytes, key, key_bytes);
    return CIPHERMARK_DONE;
}

static int seal_chacha(const row *self, void *context, const message *m)
{
    const struct key *key = context;
    (void)self;
    return wc_ChaCha20Poly1305_Encrypt(key->bytes, m->nonce, m->aad, (word32)m->aad_bytes,
                                       m->input, (word32)m->input_bytes, m->output,
                                       m->output + m->input_bytes);
}

static int open_chacha(const row *self, void *context, const message *m)
{
    const struct key *key = context;
    (void)self;
    return opened(wc_ChaCha20Poly1305_Decrypt(key->bytes, m->nonce, m->aad, (word32)m->aad_bytes,
                                              m->input, (word32)m->output_bytes,
                                              m->input + m->output_bytes, m->output),
                  MAC_CMP_FAILED_E);
}

static int start_chacha(ChaChaPoly_Aead *running, const struct key *key, const message *m,
                        int direction)
{
    TRY(wc_ChaCha20Poly1305_Init(running, key->bytes, m->nonce, direction));
    return wc_ChaCha20Poly1305_UpdateAad(running, m->aad, (word32)m->aad_bytes);
}

static int seal_xchacha(const row *self, void *context, const message *m)
{
    const struct key *key = context;
    (void)self;
    return wc_XChaCha20Poly1305_Encrypt(m->output, m->output_bytes, m->input, m->input_bytes,
                                        m->aad, m->aad_bytes, m->nonce, m->nonce_bytes,
                                        key->bytes, sizeof key->bytes);
}

static int open_xchacha(const row *self, void *context, const message *m)
{
    const struct key *key = context;
    (void)self;
    return opened(wc_XChaCha20Poly1305_Decrypt(m->output, m->output_bytes, m->input,
                                               m->input_bytes, m->aad, m->aad_bytes, m->nonce,
                                               m->nonce_bytes, key->bytes, sizeof key->bytes),
                  MAC_CMP_FAILED_E);
}

static int start_xchacha(ChaChaPoly_Aead *running, const struct key *key, const message *m,
                         int direction)
{
    /*
     * The library's header has key and nonce in the other order than its code. The code does not
     * set the counts of bytes to zero, and does not count the associated data that it is given
     * here: all come later.
     */
    memset(running, 0, sizeof *running);
    TRY(wc_XChaCha20Poly1305_Init(running, m->aad, 0, m->nonce, (word32)m->nonce_bytes, key->bytes,
                                  sizeof key->bytes, direction));
    return wc_ChaCha20Poly1305_UpdateAad(running, m->aad, (word32)m->aad_bytes);
}

static int update_chacha(ChaChaPoly_Aead *running, const message *m, size_t text_bytes,
                         size_t chunk_bytes)
{
    /* One at least, also of an empty text: without it the library refuses to compute the tag. */
    EACH_PIECE(text_bytes, chunk_bytes, 1,
               TRY(wc_ChaCha20Poly1305_UpdateData(running, m->input + at, m->output + at,
                                                  (word32)n)));
    return CIPHERMARK_DONE;
}

#define CHACHA_CHUNKS_FUNCTIONS(cipher) \
    static int seal_##cipher##_chunks(const row *self, void *context, const message *m, \
                                      size_t chunk_bytes) \
    { \
        ChaChaPoly_Aead running; \
        (void)self; \
        TRY(start_##cipher(&running, context, m, CHACHA20_POLY1305_AEAD_ENCRYPT)); \
        TRY(update_chacha(&running, m, m->input_bytes, chunk_bytes)); \
        return wc_ChaCha20Poly1305_Final(&running, m->output + m->input_bytes); \
    } \
    static int open_##cipher##_chunks(const row *self, void *context, const message *m, \
                                      size_t chunk_bytes) \
    { \
        ChaChaPoly_Aead running; \
        uint8_t tag[TAG_BYTES]; \
        (void)self; \
        TRY(start_##cipher(&running, context, m, CHACHA20_POLY1305_AEAD_DECRYPT)); \
        TRY(update_chacha(&running, m, m->output_bytes, chunk_bytes)); \
        TRY(wc_ChaCha20Poly1305_Final(&running, tag)); \
        return opened(wc_ChaCha20Poly1305_CheckTag(tag, m->input + m->output_bytes), \
                      MAC_CMP_FAILED_E); \
    }
CHACHA_CHUNKS_FUNCTIONS(chacha)
CHACHA_CHUNKS_FUNCTIONS(xchacha)

#define AEAD_ROW(name, act, type, key, least, most, start, set, run, chunks) \
    { \
        .algorithm = name, .operation = act, .key_bytes = {key, key}, \
        .nonce_bytes = {least, most}, .tag_bytes = TAG_BYTES, .lanes = 1, \
        .context_bytes = sizeof(type), .context_alignment = ALIGNMENT, .init = start, \
        .set_key = set, .process = run, .process_chunks = chunks, \
    }
/* Of messages in chunks the library refuses nonces of more than 16 bytes. */
#define GCM(name, key) \
    AEAD_ROW(name, SEAL, Aes, key, 1, UINT32_MAX, init_aes, set_gcm_key, seal_gcm, \
             seal_gcm_chunks), \
    AEAD_ROW(name, OPEN, Aes, key, 1, UINT32_MAX, init_aes, set_gcm_key, open_gcm, \
             open_gcm_chunks)
#define CCM(name, key) \
    AEAD_ROW(name, SEAL, Aes, key, CCM_NONCE_MIN_SZ, CCM_NONCE_MAX_SZ, init_aes, set_ccm_key, \
             seal_ccm, NULL), \
    AEAD_ROW(name, OPEN, Aes, key, CCM_NONCE_MIN_SZ, CCM_NONCE_MAX_SZ, init_aes, set_ccm_key, \
             open_ccm, NULL)
#define CHACHA(name, cipher, nonce) \
    AEAD_ROW(name, SEAL, struct key, 32, nonce, nonce, NULL, keep_key, seal_##cipher, \
             seal_##cipher##_chunks), \
    AEAD_ROW(name, OPEN, struct key, 32, nonce, nonce, NULL, keep_key, open_##cipher, \
             open_##cipher##_chunks)

/* ---- CMAC and Poly1305 -------------------------------------------------------------------- */

static int set_cmac_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    (void)self;
    return wc_InitCmac(context, key, (word32)key_bytes, WC_CMAC_AES, NULL);
}

static inline int mac_cmac_chunks(const row *self, void *context, const message *m,
                                  size_t chunk_bytes)
{
    Cmac running = *(const Cmac *)context;
    word32 tag_bytes = (word32)m->output_bytes;
    (void)self;
    EACH_INPUT(m, chunk_bytes, 1,
               TRY(wc_CmacUpdate(&running, input, (word32)n)));
    return wc_CmacFinal(&running, m->output, &tag_bytes);
}
IN_ONE_PIECE(mac_cmac)

static int set_poly1305_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    (void)self;
    return wc_Poly1305SetKey(context, key, (word32)key_bytes);
}

static inline int mac_poly1305_chunks(const row *self, void *context, const message *m,
                                      size_t chunk_bytes)
{
    Poly1305 running = *(const Poly1305 *)context;
    (void)self;
    EACH_INPUT(m, chunk_bytes, 1,
               TRY(wc_Poly1305Update(&running, input, (word32)n)));
    return wc_Poly1305Final(&running, m->output);
}
IN_ONE_PIECE(mac_poly1305)

/* ---- HMAC ------------------------------------------------------------------------------------
 *
 * The library hashes the padded keys with each message, and is ready for the next one after it. */

static int init_hmac(const row *self, void *context)
{
    (void)self;
    return wc_HmacInit(context, NULL, INVALID_DEVID);
}

static int set_hmac_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    const int *hash = self->parameters;
    return wc_HmacSetKey(context, *hash, key, (word32)key_bytes);
}

static inline int mac_hmac_chunks(const row *self, void *context, const message *m,
                                  size_t chunk_bytes)
{
    (void)self;
    EACH_INPUT(m, chunk_bytes, 1,
               TRY(wc_HmacUpdate(context, input, (word32)n)));
    return wc_HmacFinal(context, m->output);
}
IN_ONE_PIECE(mac_hmac)

/* ---- SipHash ------------------------------------------------------------------------------ */

/* In chunks the library forgets to count blocks that lie in two of them, and gives a wrong tag. */
static int mac_siphash(const row *self, void *context, const message *m)
{
    const struct key *key = context;
    return wc_SipHash(key->bytes, m->input, (word32)m->input_bytes, m->output,
                      (unsigned char)self->tag_bytes);
}

/* ---- BLAKE2, without and with a key ------------------------------------------------------- */

#define BLAKE2_FUNCTIONS(blake2, Blake2) \
    static int finish_##blake2(Blake2 *running, const message *m, size_t chunk_bytes) \
    { \
        EACH_INPUT(m, chunk_bytes, 1, \
                   TRY(wc_##Blake2##Update(running, input, (word32)n))); \
        return wc_##Blake2##Final(running, m->output, (word32)m->output_bytes); \
    } \
    static inline int digest_##blake2##_chunks(const row *self, void *context, const message *m, \
                                               size_t chunk_bytes) \
    { \
        TRY(wc_Init##Blake2(context, (word32)self->tag_bytes)); \
        return finish_##blake2(context, m, chunk_bytes); \
    } \
    IN_ONE_PIECE(digest_##blake2) \
    static int set_##blake2##_key(const row *self, void *context, const uint8_t *key, \
                                  size_t key_bytes) \
    { \
        return wc_Init##Blake2##_WithKey(context, (word32)self->tag_bytes, key, \
                                         (word32)key_bytes); \
    } \
    static inline int mac_##blake2##_chunks(const row *self, void *context, const message *m, \
                                            size_t chunk_bytes) \
    { \
        Blake2 running = *(const Blake2 *)context; \
        (void)self; \
        return finish_##blake2(&running, m, chunk_bytes); \
    } \
    IN_ONE_PIECE(mac_##blake2)
BLAKE2_FUNCTIONS(blake2b, Blake2b)
BLAKE2_FUNCTIONS(blake2s, Blake2s)

#define MAC_ROW(name, least_key, most_key, least, most, tag, type, with, start, set, run, \
                chunks) \
    { \
        .algorithm = name, .operation = CIPHERMARK_MAC, .key_bytes = {least_key, most_key}, \
        .nonce_bytes = {least, most}, .tag_bytes = tag, .lanes = 1, .context_bytes = sizeof(type), \
        .context_alignment = ALIGNMENT, .parameters = with, .init = start, .set_key = set, \
        .process = run, .process_chunks = chunks, .takes_repeats = 1, \
    }
#define CMAC(name, key) \
    MAC_ROW(name, key, key, 0, 0, 16, Cmac, NULL, NULL, set_cmac_key, mac_cmac, mac_cmac_chunks)
#define GMAC(name, key) \
    MAC_ROW(name, key, key, 1, UINT32_MAX, TAG_BYTES, Gmac, NULL, init_gmac, set_gmac_key, \
            mac_gmac, mac_gmac_chunks)
#define HMAC_ROW(name, hash, tag) \
    MAC_ROW(name, 0, UINT32_MAX, 0, 0, tag, Hmac, &(const int){hash}, init_hmac, set_hmac_key, \
            mac_hmac, mac_hmac_chunks)
#define SIPHASH(name, tag) \
    MAC_ROW(name, 16, 16, 0, 0, tag, struct key, NULL, NULL, keep_key, mac_siphash, NULL)
#define KEPT_STATE_MAC(name, tag, type, mac) \
    MAC_ROW(name, 32, 32, 0, 0, tag, type, NULL, NULL, set_##mac##_key, mac_##mac, \
            mac_##mac##_chunks)

/* ---- Hashes ----------------------------------------------------------------------------------
 *
 * Computing the digest makes the context ready for the next message. */

#define HASH_FUNCTIONS(name, start, update, final) \
    static int init_##name(const row *self, void *context) \
    { \
        (void)self; \
        return start; \
    } \
    static inline int digest_##name##_chunks(const row *self, void *context, const message *m, \
                                             size_t chunk_bytes) \
    { \
        (void)self; \
        EACH_INPUT(m, chunk_bytes, 1, \
                   TRY(update(context, input, (word32)n))); \
        return final(context, m->output); \
    } \
    IN_ONE_PIECE(digest_##name)
#define SHA2_FUNCTIONS(name, Hash) \
    HASH_FUNCTIONS(name, wc_Init##Hash(context), wc_##Hash##Update, wc_##Hash##Final)
#define SHA3_FUNCTIONS(name, Hash) \
    HASH_FUNCTIONS(name, wc_Init##Hash(context, NULL, INVALID_DEVID), wc_##Hash##_Update, \
                   wc_##Hash##_Final)
SHA2_FUNCTIONS(md5, Md5)
SHA2_FUNCTIONS(ripemd160, RipeMd)
SHA2_FUNCTIONS(sha1, Sha)
SHA2_FUNCTIONS(sha224, Sha224)
SHA2_FUNCTIONS(sha256, Sha256)
SHA2_FUNCTIONS(sha384, Sha384)
SHA2_FUNCTIONS(sha512, Sha512)
SHA2_FUNCTIONS(sha512_256, Sha512_256)
SHA3_FUNCTIONS(sha3_224, Sha3_224)
SHA3_FUNCTIONS(sha3_256, Sha3_256)
SHA3_FUNCTIONS(sha3_384, Sha3_384)
SHA3_FUNCTIONS(sha3_512, Sha3_512)

#define HASH_ROW(name, type, bytes, start, run) \
    { \
        .algorithm = name, .operation = CIPHERMARK_DIGEST, .tag_bytes = bytes, .lanes = 1, \
        .context_bytes = sizeof(type), .context_alignment = ALIGNMENT, .init = start, \
        .process = run, .process_chunks = run##_chunks, .takes_repeats = 1, \
    }
#define HASH(name, hash, type, bytes) HASH_ROW(name, type, bytes, init_##hash, digest_##hash)

/* ---- Keystreams ------------------------------------------------------------------------------
 *
 * The library encrypts; a keystream is the encryption of zeros. */

static int set_rc4_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    (void)self;
    return wc_Arc4SetKey(context, key, (word32)key_bytes);
}

/* From the first byte on in each message, so the keyed state is kept and a copy runs. */
static int rc4_keystream(const row *self, void *context, const message *m)
{
    Arc4 running = *(const Arc4 *)context;
    (void)self;
    memset(m->output, 0, m->output_bytes);
    return wc_Arc4Process(&running, m->output, m->output, (word32)m->output_bytes);
}

static int set_chacha20_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    (void)self;
    return wc_Chacha_SetKey(context, key, (word32)key_bytes);
}

static int chacha20_keystream(const row *self, void *context, const message *m)
{
    (void)self;
    TRY(wc_Chacha_SetIV(context, m->nonce, 0));
    memset(m->output, 0, m->output_bytes);
    return wc_Chacha_Process(context, m->output, m->output, (word32)m->output_bytes);
}

/* The key is taken with each nonce. */
static int xchacha20_keystream(const row *self, void *context, const message *m)
{
    const struct key *key = context;
    ChaCha running;
    (void)self;
    TRY(wc_XChacha_SetKey(&running, key->bytes, sizeof key->bytes, m->nonce,
                          (word32)m->nonce_bytes, 0));
    memset(m->output, 0, m->output_bytes);
    return wc_Chacha_Process(&running, m->output, m->output, (word32)m->output_bytes);
}

#define KEYSTREAM(name, key, nonce, type, set, run) \
    { \
        .algorithm = name, .operation = CIPHERMARK_KEYSTREAM, .key_bytes = {key, key}, \
        .nonce_bytes = {nonce, nonce}, .lanes = 1, .context_bytes = sizeof(type), \
        .context_alignment = ALIGNMENT, .set_key = set, .process = run, \
    }

/* ---- The table ---------------------------------------------------------------------------- */

static const struct ciphermark_function functions[] = {
    AES("aes-{128,192,256}", 0),
    CAMELLIA("camellia-{128,192,256}", 0),

    GCM("aes-{128,192,256}-gcm", 0),
    CCM("aes-{128,256}-ccm", 0),
    CHACHA("chacha20-poly1305", chacha, 12),
    CHACHA("xchacha20-poly1305", xchacha, 24),

    CMAC("cmac-aes-{128,192,256}", 0),
    GMAC("gmac-aes-{128,256}", 0),
    HMAC_ROW("hmac-md5", WC_MD5, 16),
    HMAC_ROW("hmac-sha1", WC_SHA, 20),
    HMAC_ROW("hmac-sha224", WC_SHA224, 28),
    HMAC_ROW("hmac-sha256", WC_SHA256, 32),
    HMAC_ROW("hmac-sha384", WC_SHA384, 48),
    HMAC_ROW("hmac-sha512", WC_SHA512, 64),
    HMAC_ROW("hmac-sha3-256", WC_SHA3_256, 32),
    HMAC_ROW("hmac-sha3-512", WC_SHA3_512, 64),
    KEPT_STATE_MAC("blake2b-mac-512", 64, Blake2b, blake2b),
    KEPT_STATE_MAC("blake2s-mac-256", 32, Blake2s, blake2s),
    KEPT_STATE_MAC("poly1305", 16, Poly1305, poly1305),
    SIPHASH("siphash-2-4-64", 8),
    SIPHASH("siphash-2-4-128", 16),

    HASH_ROW("blake2b-512", Blake2b, 64, NULL, digest_blake2b),
    HASH_ROW("blake2s-256", Blake2s, 32, NULL, digest_blake2s),
    HASH("md5", md5, wc_Md5, 16),
    HASH("ripemd160", ripemd160, RipeMd, 20),
    HASH("sha1", sha1, wc_Sha, 20),
    HASH("sha224", sha224, wc_Sha224, 28),
    HASH("sha256", sha256, wc_Sha256, 32),
    HASH("sha384", sha384, wc_Sha384, 48),
    HASH("sha512", sha512, wc_Sha512, 64),
    HASH("sha512-256", sha512_256, wc_Sha512, 32),
    HASH("sha3-224", sha3_224, wc_Sha3, 28),
    HASH("sha3-256", sha3_256, wc_Sha3, 32),
    HASH("sha3-384", sha3_384, wc_Sha3, 48),
    HASH("sha3-512", sha3_512, wc_Sha3, 64),

    KEYSTREAM("chacha20", 32, 12, ChaCha, set_chacha20_key, chacha20_keystream),
    KEYSTREAM("xchacha20", 32, 24, struct key, keep_key, xchacha20_keystream),
    KEYSTREAM("rc4-128", 16, 0, Arc4, set_rc4_key, rc4_keystream),
};

static int tags_equal(const void *one, const void *other, size_t bytes)
{
    return wolfSSL_CRYPTO_memcmp(one, other, bytes) == 0;
}

const struct ciphermark_library *ciphermark_library(void)
{
    static struct ciphermark_library library = {
        .abi = CIPHERMARK_ABI,
        .function_bytes = sizeof(struct ciphermark_function),
        .header_version = LIBWOLFSSL_VERSION_STRING,
        .inside = (void (*)(void))wolfSSL_lib_version,
        .tags_equal = tags_equal,
        .functions = functions,
    };
    library.library_version = wolfSSL_lib_version();
    /* A library that cannot be started has nothing to offer. */
    if (wolfCrypt_Init() == 0)
        library.function_count = sizeof functions / sizeof functions[0];
    return &library;
}
