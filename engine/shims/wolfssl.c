/*
 * wolfSSL's wolfCrypt 5.5 to 5.9, with the options that its header options.h names. Linked with -lwolfssl.
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

/* The most that the library's structures ask for, in builds with vector code. */
#define ALIGNMENT 64

#include "pieces.h"
#include "shim.h"

#if LIBWOLFSSL_VERSION_HEX < 0x05005000 || LIBWOLFSSL_VERSION_HEX >= 0x0500a000
#error "the headers are not those of wolfSSL 5.5 to 5.9"
#endif
#define HEADERS LIBWOLFSSL_VERSION_STRING

/* ---- AES ---------------------------------------------------------------------------------- */

ANSWERS(INIT(init_aes), wc_AesInit(context, NULL, INVALID_DEVID))

ANSWERS(SET_KEY(set_aes_encrypt_key),
        wc_AesSetKey(context, key, (word32)key_bytes, NULL, AES_ENCRYPTION))

ANSWERS(SET_KEY(set_aes_decrypt_key),
        wc_AesSetKey(context, key, (word32)key_bytes, NULL, AES_DECRYPTION))

ANSWERS(PROCESS(encrypt_aes_ecb),
        wc_AesEcbEncrypt(context, m->output, m->input, (word32)m->input_bytes))

ANSWERS(PROCESS(decrypt_aes_ecb),
        wc_AesEcbDecrypt(context, m->output, m->input, (word32)m->input_bytes))

#define IV_MODE_FUNCTIONS(run, set_iv, crypt) \
    PIECES(run) \
    { \
        TRY(set_iv(context, m->nonce)); \
        EACH_PIECE(m->input_bytes, chunk_bytes, 1, \
                   TRY(crypt(context, m->output + at, m->input + at, (word32)n))); \
        return CIPHERMARK_DONE; \
    }
IV_MODE_FUNCTIONS(encrypt_aes_cbc, wc_AesSetIV, wc_AesCbcEncrypt)
IV_MODE_FUNCTIONS(decrypt_aes_cbc, wc_AesSetIV, wc_AesCbcDecrypt)
/* In both directions. */
IV_MODE_FUNCTIONS(crypt_aes_ctr, wc_AesSetIV, wc_AesCtrEncrypt)

ANSWERS(SET_KEY(set_xts_encrypt_key),
        wc_AesXtsSetKey(context, key, (word32)key_bytes, AES_ENCRYPTION, NULL, INVALID_DEVID))

ANSWERS(SET_KEY(set_xts_decrypt_key),
        wc_AesXtsSetKey(context, key, (word32)key_bytes, AES_DECRYPTION, NULL, INVALID_DEVID))

ANSWERS(PROCESS(encrypt_aes_xts),
        wc_AesXtsEncrypt(context, m->output, m->input, (word32)m->input_bytes, m->nonce,
                         (word32)m->nonce_bytes))

ANSWERS(PROCESS(decrypt_aes_xts),
        wc_AesXtsDecrypt(context, m->output, m->input, (word32)m->input_bytes, m->nonce,
                         (word32)m->nonce_bytes))

/* ---- Camellia ----------------------------------------------------------------------------- */

ANSWERS(SET_KEY(set_camellia_key), wc_CamelliaSetKey(context, key, (word32)key_bytes, NULL))

/* Without a mode, the library's calls take one block. */
#define CAMELLIA_ECB_FUNCTION(run, crypt) \
    DOES(PROCESS(run), \
         EACH_BLOCK(m->input_bytes, CAMELLIA_BLOCK_SIZE, TRY(crypt(context, m->output + at, \
                                                                   m->input + at))))
CAMELLIA_ECB_FUNCTION(encrypt_camellia_ecb, wc_CamelliaEncryptDirect)
CAMELLIA_ECB_FUNCTION(decrypt_camellia_ecb, wc_CamelliaDecryptDirect)
IV_MODE_FUNCTIONS(encrypt_camellia_cbc, wc_CamelliaSetIV, wc_CamelliaCbcEncrypt)
IV_MODE_FUNCTIONS(decrypt_camellia_cbc, wc_CamelliaSetIV, wc_CamelliaCbcDecrypt)

/* ---- GCM, GMAC and CCM -------------------------------------------------------------------- */

#define TAG_BYTES 16

ANSWERS(SET_KEY(set_gcm_key), wc_AesGcmSetKey(context, key, (word32)key_bytes))

ANSWERS(PROCESS(seal_gcm),
        wc_AesGcmEncrypt(context, m->output, m->input, (word32)m->input_bytes, m->nonce,
                         (word32)m->nonce_bytes, m->output + m->input_bytes, TAG_BYTES, m->aad,
                         (word32)m->aad_bytes))

ANSWERS(PROCESS(open_gcm),
        opened(wc_AesGcmDecrypt(context, m->output, m->input, (word32)m->output_bytes, m->nonce,
                                (word32)m->nonce_bytes, m->input + m->output_bytes, TAG_BYTES,
                                m->aad, (word32)m->aad_bytes), AES_GCM_AUTH_E))

/* No key means the one that is set. */
CHUNKS(seal_gcm)
{
    TRY(wc_AesGcmEncryptInit(context, NULL, 0, m->nonce, (word32)m->nonce_bytes));
    TRY(wc_AesGcmEncryptUpdate(context, NULL, NULL, 0, m->aad, (word32)m->aad_bytes));
    EACH_PIECE(m->input_bytes, chunk_bytes, 1,
               TRY(wc_AesGcmEncryptUpdate(context, m->output + at, m->input + at, (word32)n, NULL,
                                          0)));
    return wc_AesGcmEncryptFinal(context, m->output + m->input_bytes, TAG_BYTES);
}

CHUNKS(open_gcm)
{
    TRY(wc_AesGcmDecryptInit(context, NULL, 0, m->nonce, (word32)m->nonce_bytes));
    TRY(wc_AesGcmDecryptUpdate(context, NULL, NULL, 0, m->aad, (word32)m->aad_bytes));
    EACH_PIECE(m->output_bytes, chunk_bytes, 1,
               TRY(wc_AesGcmDecryptUpdate(context, m->output + at, m->input + at, (word32)n, NULL,
                                          0)));
    return opened(wc_AesGcmDecryptFinal(context, m->input + m->output_bytes, TAG_BYTES),
                  AES_GCM_AUTH_E);
}

ANSWERS(INIT(init_gmac), init_aes(self, &((Gmac *)context)->aes))

ANSWERS(SET_KEY(set_gmac_key), wc_GmacSetKey(context, key, (word32)key_bytes))

ANSWERS(PROCESS(mac_gmac),
        wc_GmacUpdate(context, m->nonce, (word32)m->nonce_bytes, m->input, (word32)m->input_bytes,
                      m->output, TAG_BYTES))

/* GMAC's update takes a whole message; GCM's takes associated data in chunks. */
CHUNKS(mac_gmac)
{
    Aes *gcm = &((Gmac *)context)->aes;
    TRY(wc_AesGcmEncryptInit(gcm, NULL, 0, m->nonce, (word32)m->nonce_bytes));
    EACH_INPUT(m, chunk_bytes, 1,
               TRY(wc_AesGcmEncryptUpdate(gcm, NULL, NULL, 0, input, (word32)n)));
    return wc_AesGcmEncryptFinal(gcm, m->output, TAG_BYTES);
}

ANSWERS(SET_KEY(set_ccm_key), wc_AesCcmSetKey(context, key, (word32)key_bytes))

ANSWERS(PROCESS(seal_ccm),
        wc_AesCcmEncrypt(context, m->output, m->input, (word32)m->input_bytes, m->nonce,
                         (word32)m->nonce_bytes, m->output + m->input_bytes, TAG_BYTES, m->aad,
                         (word32)m->aad_bytes))

ANSWERS(PROCESS(open_ccm),
        opened(wc_AesCcmDecrypt(context, m->output, m->input, (word32)m->output_bytes, m->nonce,
                                (word32)m->nonce_bytes, m->input + m->output_bytes, TAG_BYTES,
                                m->aad, (word32)m->aad_bytes), AES_CCM_AUTH_E))

/* ---- ChaCha20-Poly1305 and XChaCha20-Poly1305 ------------------------------------------------
 *
 * Both take the key with each message. */

ANSWERS(PROCESS(seal_chacha),
        wc_ChaCha20Poly1305_Encrypt(context, m->nonce, m->aad, (word32)m->aad_bytes, m->input,
                                    (word32)m->input_bytes, m->output,
                                    m->output + m->input_bytes))

ANSWERS(PROCESS(open_chacha),
        opened(wc_ChaCha20Poly1305_Decrypt(context, m->nonce, m->aad, (word32)m->aad_bytes,
                                           m->input, (word32)m->output_bytes,
                                           m->input + m->output_bytes, m->output),
               MAC_CMP_FAILED_E))

static int start_chacha(ChaChaPoly_Aead *running, const struct copied_key *key, const message *m,
                        int direction)
{
    TRY(wc_ChaCha20Poly1305_Init(running, key->bytes, m->nonce, direction));
    return wc_ChaCha20Poly1305_UpdateAad(running, m->aad, (word32)m->aad_bytes);
}

ANSWERS(PROCESS(seal_xchacha),
        wc_XChaCha20Poly1305_Encrypt(m->output, m->output_bytes, m->input, m->input_bytes, m->aad,
                                     m->aad_bytes, m->nonce, m->nonce_bytes, context,
                                     sizeof(struct copied_key)))

ANSWERS(PROCESS(open_xchacha),
        opened(wc_XChaCha20Poly1305_Decrypt(m->output, m->output_bytes, m->input, m->input_bytes,
                                            m->aad, m->aad_bytes, m->nonce, m->nonce_bytes,
                                            context, sizeof(struct copied_key)),
               MAC_CMP_FAILED_E))

static int start_xchacha(ChaChaPoly_Aead *running, const struct copied_key *key, const message *m,
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
    CHUNKS(seal_##cipher) \
    { \
        ChaChaPoly_Aead running; \
        TRY(start_##cipher(&running, context, m, CHACHA20_POLY1305_AEAD_ENCRYPT)); \
        TRY(update_chacha(&running, m, m->input_bytes, chunk_bytes)); \
        return wc_ChaCha20Poly1305_Final(&running, m->output + m->input_bytes); \
    } \
    CHUNKS(open_##cipher) \
    { \
        ChaChaPoly_Aead running; \
        uint8_t tag[TAG_BYTES]; \
        TRY(start_##cipher(&running, context, m, CHACHA20_POLY1305_AEAD_DECRYPT)); \
        TRY(update_chacha(&running, m, m->output_bytes, chunk_bytes)); \
        TRY(wc_ChaCha20Poly1305_Final(&running, tag)); \
        return opened(wc_ChaCha20Poly1305_CheckTag(tag, m->input + m->output_bytes), \
                      MAC_CMP_FAILED_E); \
    }
CHACHA_CHUNKS_FUNCTIONS(chacha)
CHACHA_CHUNKS_FUNCTIONS(xchacha)

/* ---- CMAC and Poly1305 -------------------------------------------------------------------- */

ANSWERS(SET_KEY(set_cmac_key), wc_InitCmac(context, key, (word32)key_bytes, WC_CMAC_AES, NULL))

PIECES(mac_cmac)
{
    Cmac running = *(const Cmac *)context;
    word32 tag_bytes = (word32)m->output_bytes;
    EACH_INPUT(m, chunk_bytes, 1, TRY(wc_CmacUpdate(&running, input, (word32)n)));
    return wc_CmacFinal(&running, m->output, &tag_bytes);
}

ANSWERS(SET_KEY(set_poly1305_key), wc_Poly1305SetKey(context, key, (word32)key_bytes))

PIECES(mac_poly1305)
{
    Poly1305 running = *(const Poly1305 *)context;
    EACH_INPUT(m, chunk_bytes, 1, TRY(wc_Poly1305Update(&running, input, (word32)n)));
    return wc_Poly1305Final(&running, m->output);
}

/* ---- HMAC ------------------------------------------------------------------------------------
 *
 * The library hashes the padded keys with each message, and is ready for the next one after it. */

ANSWERS(INIT(init_hmac), wc_HmacInit(context, NULL, INVALID_DEVID))

SET_KEY(set_hmac_key)
{
    const int *hash = self->parameters;
    return wc_HmacSetKey(context, *hash, key, (word32)key_bytes);
}

PIECES(mac_hmac)
{
    EACH_INPUT(m, chunk_bytes, 1, TRY(wc_HmacUpdate(context, input, (word32)n)));
    return wc_HmacFinal(context, m->output);
}

/* ---- SipHash ------------------------------------------------------------------------------ */

/* In chunks the library forgets to count blocks that lie in two of them, and gives a wrong tag. */
ANSWERS(PROCESS(mac_siphash),
        wc_SipHash(context, m->input, (word32)m->input_bytes, m->output,
                   (unsigned char)self->tag_bytes))

/* ---- BLAKE2, without and with a key ------------------------------------------------------- */

#define BLAKE2_FUNCTIONS(blake2, Blake2) \
    static int finish_##blake2(Blake2 *running, const message *m, size_t chunk_bytes) \
    { \
        EACH_INPUT(m, chunk_bytes, 1, TRY(wc_##Blake2##Update(running, input, (word32)n))); \
        return wc_##Blake2##Final(running, m->output, (word32)m->output_bytes); \
    } \
    PIECES(digest_##blake2) \
    { \
        TRY(wc_Init##Blake2(context, (word32)self->tag_bytes)); \
        return finish_##blake2(context, m, chunk_bytes); \
    } \
    ANSWERS(SET_KEY(set_##blake2##_key), \
            wc_Init##Blake2##_WithKey(context, (word32)self->tag_bytes, key, (word32)key_bytes)) \
    PIECES(mac_##blake2) \
    { \
        Blake2 running = *(const Blake2 *)context; \
        return finish_##blake2(&running, m, chunk_bytes); \
    }
BLAKE2_FUNCTIONS(blake2b, Blake2b)
BLAKE2_FUNCTIONS(blake2s, Blake2s)

/* ---- Hashes ----------------------------------------------------------------------------------
 *
 * Computing the digest makes the context ready for the next message. */

#define HASH_FUNCTIONS(name, start, update, final) \
    ANSWERS(INIT(init_##name), start) \
    PIECES(digest_##name) \
    { \
        EACH_INPUT(m, chunk_bytes, 1, TRY(update(context, input, (word32)n))); \
        return final(context, m->output); \
    }
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

/* ---- Keystreams ------------------------------------------------------------------------------
 *
 * The library encrypts; a keystream is the encryption of zeros. */

ANSWERS(SET_KEY(set_rc4_key), wc_Arc4SetKey(context, key, (word32)key_bytes))

/* From the first byte on in each message, so the keyed state is kept and a copy runs. */
PROCESS(rc4_keystream)
{
    Arc4 running = *(const Arc4 *)context;
    memset(m->output, 0, m->output_bytes);
    return wc_Arc4Process(&running, m->output, m->output, (word32)m->output_bytes);
}

ANSWERS(SET_KEY(set_chacha20_key), wc_Chacha_SetKey(context, key, (word32)key_bytes))

PROCESS(chacha20_keystream)
{
    TRY(wc_Chacha_SetIV(context, m->nonce, 0));
    memset(m->output, 0, m->output_bytes);
    return wc_Chacha_Process(context, m->output, m->output, (word32)m->output_bytes);
}

/* The key is taken with each nonce. */
PROCESS(xchacha20_keystream)
{
    ChaCha running;
    TRY(wc_XChacha_SetKey(&running, context, sizeof(struct copied_key), m->nonce,
                          (word32)m->nonce_bytes, 0));
    memset(m->output, 0, m->output_bytes);
    return wc_Chacha_Process(&running, m->output, m->output, (word32)m->output_bytes);
}

/* ---- The table ---------------------------------------------------------------------------- */

#define AES(name, what, set, ...) \
    ROW(name, what, Aes, .init = init_aes, .set_key = set, __VA_ARGS__)
#define XTS(name, key) \
    ROW(name, ENCRYPT, XtsAes, KEY(key), NONCE(16), .set_key = set_xts_encrypt_key, \
        .process = encrypt_aes_xts), \
    ROW(name, DECRYPT, XtsAes, KEY(key), NONCE(16), .set_key = set_xts_decrypt_key, \
        .process = decrypt_aes_xts)
#define CAMELLIA(name, what, ...) \
    ROW(name, what, Camellia, .set_key = set_camellia_key, __VA_ARGS__)
#define CHACHA(name, what, nonce, run) \
    ROW(name, what, struct copied_key, KEY(32), NONCE(nonce), .tag_bytes = TAG_BYTES, \
        .set_key = copy_key, IN_PIECES(run))
#define MAC(name, tag, type, set, ...) \
    ROW(name, CIPHERMARK_MAC, type, .tag_bytes = tag, .set_key = set, .takes_repeats = 1, \
        __VA_ARGS__)
#define HMAC_ROW(name, hash, tag) \
    MAC(name, tag, Hmac, set_hmac_key, .key_bytes = {0, UINT32_MAX}, \
        .parameters = (&(const int){hash}), .init = init_hmac, IN_PIECES(mac_hmac))
#define SIPHASH(name, tag) \
    ROW(name, CIPHERMARK_MAC, struct copied_key, KEY(16), .tag_bytes = tag, .set_key = copy_key, \
        .process = mac_siphash)
#define HASH_ROW(name, type, bytes, ...) \
    ROW(name, CIPHERMARK_DIGEST, type, .tag_bytes = bytes, .takes_repeats = 1, __VA_ARGS__)
#define HASH(name, hash, type, bytes) \
    HASH_ROW(name, type, bytes, .init = init_##hash, IN_PIECES(digest_##hash))
#define KEYSTREAM(name, type, set, run, ...) \
    ROW(name, CIPHERMARK_KEYSTREAM, type, .set_key = set, .process = run, __VA_ARGS__)

/* Of messages in chunks the library refuses nonces of GCM of more than 16 bytes. */
#define GCM NONCES(1, UINT32_MAX), .tag_bytes = TAG_BYTES
#define CCM NONCES(CCM_NONCE_MIN_SZ, CCM_NONCE_MAX_SZ), .tag_bytes = TAG_BYTES

#define HASH_AND_HMAC(name, hash, type, bytes, number) \
    HASH(name, hash, type, bytes), HMAC_ROW("hmac-" name, number, bytes)

static const struct ciphermark_function functions[] = {
    AES("aes-{128,192,256}-ecb", ENCRYPT, set_aes_encrypt_key, .process = encrypt_aes_ecb),
    AES("aes-{128,192,256}-ecb", DECRYPT, set_aes_decrypt_key, .process = decrypt_aes_ecb),
    AES("aes-{128,192,256}-cbc", ENCRYPT, set_aes_encrypt_key, NONCE(16),
        IN_PIECES(encrypt_aes_cbc)),
    AES("aes-{128,192,256}-cbc", DECRYPT, set_aes_decrypt_key, NONCE(16),
        IN_PIECES(decrypt_aes_cbc)),
    AES("aes-{128,192,256}-ctr", ENCRYPT, set_aes_encrypt_key, NONCE(16), IN_PIECES(crypt_aes_ctr)),
    AES("aes-{128,192,256}-ctr", DECRYPT, set_aes_encrypt_key, NONCE(16), IN_PIECES(crypt_aes_ctr)),
    XTS("aes-128-xts", 32),
    XTS("aes-256-xts", 64),
    CAMELLIA("camellia-{128,192,256}-ecb", ENCRYPT, .process = encrypt_camellia_ecb),
    CAMELLIA("camellia-{128,192,256}-ecb", DECRYPT, .process = decrypt_camellia_ecb),
    CAMELLIA("camellia-{128,192,256}-cbc", ENCRYPT, NONCE(16), IN_PIECES(encrypt_camellia_cbc)),
    CAMELLIA("camellia-{128,192,256}-cbc", DECRYPT, NONCE(16), IN_PIECES(decrypt_camellia_cbc)),

    AES("aes-{128,192,256}-gcm", SEAL, set_gcm_key, GCM, IN_PIECES(seal_gcm)),
    AES("aes-{128,192,256}-gcm", OPEN, set_gcm_key, GCM, IN_PIECES(open_gcm)),
    AES("aes-{128,256}-ccm", SEAL, set_ccm_key, CCM, .process = seal_ccm),
    AES("aes-{128,256}-ccm", OPEN, set_ccm_key, CCM, .process = open_ccm),
    CHACHA("chacha20-poly1305", SEAL, 12, seal_chacha),
    CHACHA("chacha20-poly1305", OPEN, 12, open_chacha),
    CHACHA("xchacha20-poly1305", SEAL, 24, seal_xchacha),
    CHACHA("xchacha20-poly1305", OPEN, 24, open_xchacha),

    MAC("cmac-aes-{128,192,256}", 16, Cmac, set_cmac_key, IN_PIECES(mac_cmac)),
    MAC("gmac-aes-{128,256}", TAG_BYTES, Gmac, set_gmac_key, NONCES(1, UINT32_MAX),
        .init = init_gmac, IN_PIECES(mac_gmac)),
    MAC("blake2b-mac-512", 64, Blake2b, set_blake2b_key, KEY(32), IN_PIECES(mac_blake2b)),
    MAC("blake2s-mac-256", 32, Blake2s, set_blake2s_key, KEY(32), IN_PIECES(mac_blake2s)),
    MAC("poly1305", 16, Poly1305, set_poly1305_key, KEY(32), IN_PIECES(mac_poly1305)),
    SIPHASH("siphash-2-4-64", 8),
    SIPHASH("siphash-2-4-128", 16),

    HASH_ROW("blake2b-512", Blake2b, 64, IN_PIECES(digest_blake2b)),
    HASH_ROW("blake2s-256", Blake2s, 32, IN_PIECES(digest_blake2s)),
    HASH_AND_HMAC("md5", md5, wc_Md5, 16, WC_MD5),
    HASH("ripemd160", ripemd160, RipeMd, 20),
    HASH_AND_HMAC("sha1", sha1, wc_Sha, 20, WC_SHA),
    HASH_AND_HMAC("sha224", sha224, wc_Sha224, 28, WC_SHA224),
    HASH_AND_HMAC("sha256", sha256, wc_Sha256, 32, WC_SHA256),
    HASH_AND_HMAC("sha384", sha384, wc_Sha384, 48, WC_SHA384),
    HASH_AND_HMAC("sha512", sha512, wc_Sha512, 64, WC_SHA512),
    HASH("sha512-256", sha512_256, wc_Sha512, 32),
    HASH("sha3-224", sha3_224, wc_Sha3, 28),
    HASH_AND_HMAC("sha3-256", sha3_256, wc_Sha3, 32, WC_SHA3_256),
    HASH("sha3-384", sha3_384, wc_Sha3, 48),
    HASH_AND_HMAC("sha3-512", sha3_512, wc_Sha3, 64, WC_SHA3_512),

    KEYSTREAM("chacha20", ChaCha, set_chacha20_key, chacha20_keystream, KEY(32), NONCE(12)),
    KEYSTREAM("xchacha20", struct copied_key, copy_key, xchacha20_keystream, KEY(32), NONCE(24)),
    KEYSTREAM("rc4-128", Arc4, set_rc4_key, rc4_keystream, KEY(16)),
};

TAGS_EQUAL(wolfSSL_CRYPTO_memcmp(one, other, bytes) == 0)

const struct ciphermark_library *ciphermark_library(void)
{
    static struct ciphermark_library library =
        LIBRARY(.header_version = HEADERS,
                .inside = (void (*)(void))wolfSSL_lib_version, .tags_equal = tags_equal);
    library.library_version = wolfSSL_lib_version();
    /* A library that cannot be started has nothing to offer. */
    if (wolfCrypt_Init() != 0)
        library.function_count = 0;
    return &library;
}
