/*
 * AWS-LC, as the crate aws-lc-sys brings it along: compiled with its headers and linked into the
 * engine.
 */
#include <limits.h>
#include <string.h>

#include <openssl/aead.h>
#include <openssl/chacha.h>
#include <openssl/cipher.h>
#include <openssl/cmac.h>
#include <openssl/digest.h>
#include <openssl/err.h>
#include <openssl/hmac.h>
#include <openssl/mem.h>
#include <openssl/poly1305.h>

#include "pieces.h"
#include "shim.h"

/* Full tags, of all AEADs here. */
#define TAG_BYTES 16

/* The code of the first error since the queue was last emptied; empties it. */
__attribute__((cold)) static int failure(void)
{
    uint32_t code = ERR_get_error();
    ERR_clear_error();
    return code == 0 ? -1 : (int)code;
}

__attribute__((cold)) static int refused(void)
{
    ERR_clear_error();
    return CIPHERMARK_REFUSED;
}

static inline int called(int answer)
{
    return answer == 1 ? CIPHERMARK_DONE : failure();
}
#define CALL(call) TRY(called(call))

TAGS_EQUAL(CRYPTO_memcmp(one, other, bytes) == 0)

/* ---- Ciphers: ECB, CBC without padding, CTR, XTS, GCM, RC4 ------------------------------------ */

struct cipher {
    EVP_CIPHER_CTX *context;
    EVP_CIPHER_CTX *running; /* of RC4 */
    int has_cipher;          /* and a key */
    int encrypts;
};

/* Of keys of 16, 24, 32 and so on to 64 bytes. */
typedef const EVP_CIPHER *new_cipher(void);
typedef new_cipher *const ciphers[7];

static const EVP_CIPHER *cipher_of(const row *self)
{
    return (*(ciphers *)self->parameters)[self->key_bytes.least / 8 - 2]();
}

INIT(init_cipher)
{
    struct cipher *c = context;
    c->encrypts = !receives(self);
    c->context = EVP_CIPHER_CTX_new();
    return c->context == NULL ? failure() : CIPHERMARK_DONE;
}

RELEASE(release_cipher)
{
    struct cipher *c = context;
    EVP_CIPHER_CTX_free(c->context);
    EVP_CIPHER_CTX_free(c->running);
}

SET_KEY(set_cipher_key)
{
    struct cipher *c = context;
    unsigned nonce_bytes = (unsigned)self->nonce_bytes.least;
    if (c->has_cipher)
        return called(EVP_CipherInit_ex(c->context, NULL, NULL, key, NULL, c->encrypts));
    CALL(EVP_CipherInit_ex(c->context, cipher_of(self), NULL, key, NULL, c->encrypts));
    CALL(EVP_CIPHER_CTX_set_padding(c->context, 0));
    if (EVP_CIPHER_CTX_iv_length(c->context) != nonce_bytes)
        CALL(EVP_CIPHER_CTX_ctrl(c->context, EVP_CTRL_AEAD_SET_IVLEN, (int)nonce_bytes, NULL));
    c->has_cipher = 1;
    return CIPHERMARK_DONE;
}

static int start(struct cipher *c, const message *m)
{
    return called(EVP_CipherInit_ex(c->context, NULL, NULL, NULL, m->nonce, c->encrypts));
}

/* Associated data have no output. */
static inline int update(EVP_CIPHER_CTX *context, uint8_t *output, const uint8_t *input,
                         size_t bytes)
{
    int written;
    if (bytes == 0)
        return CIPHERMARK_DONE;
    if (bytes > INT_MAX)
        return CIPHERMARK_BAD_INPUT;
    CALL(EVP_CipherUpdate(context, output, &written, input, (int)bytes));
    return (size_t)written == bytes ? CIPHERMARK_DONE : CIPHERMARK_BAD_OUTPUT;
}

/* No cipher here has anything left to write; 0 where a tag is wrong. */
static inline int finish(struct cipher *c)
{
    uint8_t rest[EVP_MAX_BLOCK_LENGTH];
    int written;
    return EVP_CipherFinal_ex(c->context, rest, &written);
}

PIECES(crypt)
{
    struct cipher *c = context;
    TRY(start(c, m));
    EACH_PIECE(m->input_bytes, chunk_bytes, 1,
               TRY(update(c->context, m->output + at, m->input + at, n)));
    return called(finish(c));
}

static int give_tag(struct cipher *c, uint8_t *tag)
{
    CALL(finish(c));
    return called(EVP_CIPHER_CTX_ctrl(c->context, EVP_CTRL_AEAD_GET_TAG, TAG_BYTES, tag));
}

PIECES(seal)
{
    struct cipher *c = context;
    TRY(start(c, m));
    TRY(update(c->context, NULL, m->aad, m->aad_bytes));
    EACH_PIECE(m->input_bytes, chunk_bytes, 1,
               TRY(update(c->context, m->output + at, m->input + at, n)));
    return give_tag(c, m->output + m->input_bytes);
}

PIECES(open_sealed)
{
    struct cipher *c = context;
    void *tag = (void *)(m->input + m->output_bytes); /* it is only read */
    TRY(start(c, m));
    TRY(update(c->context, NULL, m->aad, m->aad_bytes));
    EACH_PIECE(m->output_bytes, chunk_bytes, 1,
               TRY(update(c->context, m->output + at, m->input + at, n)));
    CALL(EVP_CIPHER_CTX_ctrl(c->context, EVP_CTRL_AEAD_SET_TAG, TAG_BYTES, tag));
    return finish(c) == 1 ? CIPHERMARK_DONE : refused();
}

/* GCM of a message that is all associated data. */
PIECES(mac_gmac)
{
    struct cipher *c = context;
    TRY(start(c, m));
    EACH_INPUT(m, chunk_bytes, 1, TRY(update(c->context, NULL, input, n)));
    return give_tag(c, m->output);
}

INIT(init_rc4)
{
    struct cipher *c = context;
    TRY(init_cipher(self, context));
    c->running = EVP_CIPHER_CTX_new();
    return c->running == NULL ? failure() : CIPHERMARK_DONE;
}

/* The keyed context stays at the beginning of its stream, and a copy runs. */
PIECES(rc4)
{
    struct cipher *c = context;
    CALL(EVP_CIPHER_CTX_copy(c->running, c->context));
    memset(m->output, 0, m->output_bytes);
    EACH_PIECE(m->output_bytes, chunk_bytes, 1,
               TRY(update(c->running, m->output + at, m->output + at, n)));
    return CIPHERMARK_DONE;
}

static ciphers ecb = {EVP_aes_128_ecb, EVP_aes_192_ecb, EVP_aes_256_ecb};
static ciphers cbc = {EVP_aes_128_cbc, EVP_aes_192_cbc, EVP_aes_256_cbc};
static ciphers ctr = {EVP_aes_128_ctr, EVP_aes_192_ctr, EVP_aes_256_ctr};
static ciphers xts = {[6] = EVP_aes_256_xts};
static ciphers gcm = {EVP_aes_128_gcm, EVP_aes_192_gcm, EVP_aes_256_gcm};
static ciphers arcfour = {EVP_rc4};

/*
 * The authors state of each code path of AES (aes_nohw.c, vpaes-x86_64.pl) and of GHASH (gcm_nohw.c)
 * that goes without instructions for them that its time is constant, and the modes add nothing that
 * looks at data. Of the rest they say nothing.
 */
#define AES .timing = CIPHERMARK_CONSTANT_TIME, .key_bytes = {16, 32}
#define CIPHER(name, what, of, least, most, run, ...) \
    ROW(name, what, struct cipher, NONCES(least, most), .parameters = &of, \
        .init = init_cipher, .set_key = set_cipher_key, IN_PIECES(run), .release = release_cipher, \
        __VA_ARGS__)
#define SECTOR(name, what, of, key) \
    ROW(name, what, struct cipher, .timing = CIPHERMARK_CONSTANT_TIME, KEY(key), NONCE(16), \
        .parameters = &of, .init = init_cipher, .set_key = set_cipher_key, AT_ONCE(crypt), \
        .release = release_cipher)
#define MODE(name, of, iv) \
    CIPHER(name, ENCRYPT, of, iv, iv, crypt, AES), CIPHER(name, DECRYPT, of, iv, iv, crypt, AES)

/* ---- Other AEADs: one call for a message ------------------------------------------------------ */

struct aead {
    EVP_AEAD_CTX *context; /* it is made with its key */
};

typedef const EVP_AEAD *new_aead(void);
typedef new_aead *const aeads[3];

SET_KEY(set_aead_key)
{
    struct aead *a = context;
    const EVP_AEAD *aead = (*(aeads *)self->parameters)[key_bytes / 8 - 2]();
    if (a->context == NULL) {
        a->context = EVP_AEAD_CTX_new(aead, key, key_bytes, TAG_BYTES);
        return a->context == NULL ? failure() : CIPHERMARK_DONE;
    }
    EVP_AEAD_CTX_cleanup(a->context);
    return called(EVP_AEAD_CTX_init(a->context, aead, key, key_bytes, TAG_BYTES, NULL));
}

RUNS(RELEASE(release_aead), EVP_AEAD_CTX_free(((struct aead *)context)->context))

PROCESS(seal_aead)
{
    const struct aead *a = context;
    size_t written = 0;
    CALL(EVP_AEAD_CTX_seal(a->context, m->output, &written, m->output_bytes, m->nonce,
                           m->nonce_bytes, m->input, m->input_bytes, m->aad, m->aad_bytes));
    return written == m->output_bytes ? CIPHERMARK_DONE : CIPHERMARK_BAD_OUTPUT;
}

PROCESS(open_aead)
{
    const struct aead *a = context;
    size_t written = 0;
    int opened = EVP_AEAD_CTX_open(a->context, m->output, &written, m->output_bytes, m->nonce,
                                   m->nonce_bytes, m->input, m->input_bytes, m->aad, m->aad_bytes);
    return opened == 1 ? CIPHERMARK_DONE : refused();
}

static aeads gcm_siv = {EVP_aead_aes_128_gcm_siv, NULL, EVP_aead_aes_256_gcm_siv};
static aeads chacha20_poly1305 = {NULL, NULL, EVP_aead_chacha20_poly1305};
static aeads xchacha20_poly1305 = {NULL, NULL, EVP_aead_xchacha20_poly1305};

#define AEAD_ROW(name, what, of, nonce, run) \
    ROW(name, what, struct aead, KEY(32), NONCE(nonce), \
        .tag_bytes = TAG_BYTES, .parameters = &of, .set_key = set_aead_key, .process = run, \
        .release = release_aead)
#define AEAD(name, of, nonce) \
    AEAD_ROW(name, SEAL, of, nonce, seal_aead), AEAD_ROW(name, OPEN, of, nonce, open_aead)

/* ---- Hashes ----------------------------------------------------------------------------------- */

typedef const EVP_MD *new_digest(void);
/* A pointer to a function is no pointer to an object. */
struct digest {
    new_digest *of;
};

static const EVP_MD *digest_of(const row *self)
{
    return ((const struct digest *)self->parameters)->of();
}

struct hash {
    EVP_MD_CTX *context;
    const EVP_MD *digest;
};

INIT(init_hash)
{
    struct hash *hash = context;
    hash->digest = digest_of(self);
    hash->context = EVP_MD_CTX_new();
    return hash->context == NULL ? failure() : CIPHERMARK_DONE;
}

RUNS(RELEASE(release_hash), EVP_MD_CTX_free(((struct hash *)context)->context))

PIECES(digest)
{
    struct hash *hash = context;
    CALL(EVP_DigestInit_ex(hash->context, hash->digest, NULL));
    EACH_INPUT(m, chunk_bytes, 1, CALL(EVP_DigestUpdate(hash->context, input, n)));
    return called(EVP_DigestFinal_ex(hash->context, m->output, NULL));
}

#define HASH(name, function, tag) \
    ROW(name, CIPHERMARK_DIGEST, struct hash, .tag_bytes = tag, .takes_repeats = 1, \
        .parameters = (&(const struct digest){function}), .init = init_hash, IN_PIECES(digest), \
        .release = release_hash)

/* ---- HMAC and CMAC ---------------------------------------------------------------------------- */

struct hmac {
    HMAC_CTX *context;
    int has_digest; /* and a key */
};

INIT(init_hmac)
{
    struct hmac *hmac = context;
    hmac->context = HMAC_CTX_new();
    return hmac->context == NULL ? failure() : CIPHERMARK_DONE;
}

RUNS(RELEASE(release_hmac), HMAC_CTX_free(((struct hmac *)context)->context))

SET_KEY(set_hmac_key)
{
    struct hmac *hmac = context;
    const EVP_MD *digest = hmac->has_digest ? NULL : digest_of(self);
    CALL(HMAC_Init_ex(hmac->context, key, key_bytes, digest, NULL));
    hmac->has_digest = 1;
    return CIPHERMARK_DONE;
}

PIECES(mac_hmac)
{
    struct hmac *hmac = context;
    CALL(HMAC_Init_ex(hmac->context, NULL, 0, NULL, NULL));
    EACH_INPUT(m, chunk_bytes, 1, CALL(HMAC_Update(hmac->context, input, n)));
    return called(HMAC_Final(hmac->context, m->output, NULL));
}

struct cmac {
    CMAC_CTX *context;
};

INIT(init_cmac)
{
    struct cmac *cmac = context;
    cmac->context = CMAC_CTX_new();
    return cmac->context == NULL ? failure() : CIPHERMARK_DONE;
}

RUNS(RELEASE(release_cmac), CMAC_CTX_free(((struct cmac *)context)->context))

SET_KEY(set_cmac_key)
{
    struct cmac *cmac = context;
    return called(CMAC_Init(cmac->context, key, key_bytes, cipher_of(self), NULL));
}

PIECES(mac_cmac)
{
    struct cmac *cmac = context;
    size_t written;
    CALL(CMAC_Reset(cmac->context));
    EACH_INPUT(m, chunk_bytes, 1, CALL(CMAC_Update(cmac->context, input, n)));
    return called(CMAC_Final(cmac->context, m->output, &written));
}

#define MAC(name, type, tag, run, ...) \
    ROW(name, CIPHERMARK_MAC, type, .tag_bytes = tag, .takes_repeats = 1, IN_PIECES(run), __VA_ARGS__)
#define HMAC_ROW(name, function, tag) \
    MAC(name, struct hmac, tag, mac_hmac, ANY_KEY, \
        .parameters = (&(const struct digest){function}), .init = init_hmac, \
        .set_key = set_hmac_key, .release = release_hmac)

/* ---- Poly1305 and the stream ChaCha20, whose keys have no setup ------------------------------- */

PIECES(mac_poly1305)
{
    poly1305_state state;
    CRYPTO_poly1305_init(&state, context);
    EACH_INPUT(m, chunk_bytes, 1, CRYPTO_poly1305_update(&state, input, n));
    CRYPTO_poly1305_finish(&state, m->output);
    return CIPHERMARK_DONE;
}

PROCESS(chacha20_keystream)
{
    memset(m->output, 0, m->output_bytes);
    CRYPTO_chacha_20(m->output, m->output, m->output_bytes, context, m->nonce, 0);
    return CIPHERMARK_DONE;
}

#define COPIED_KEY KEY(32), .set_key = copy_key

/* ---- The table -------------------------------------------------------------------------------- */

#define HASH_AND_HMAC(name, function, tag) \
    HASH(name, function, tag), HMAC_ROW("hmac-" name, function, tag)

static const struct ciphermark_function functions[] = {
    MODE("aes-{128,192,256}-ecb", ecb, 0),
    MODE("aes-{128,192,256}-cbc", cbc, 16),
    MODE("aes-{128,192,256}-ctr", ctr, 16),
    SECTOR("aes-256-xts", ENCRYPT, xts, 64),
    SECTOR("aes-256-xts", DECRYPT, xts, 64),
    CIPHER("aes-{128,192,256}-gcm", SEAL, gcm, 1, INT_MAX, seal, AES, .tag_bytes = TAG_BYTES),
    CIPHER("aes-{128,192,256}-gcm", OPEN, gcm, 1, INT_MAX, open_sealed, AES,
           .tag_bytes = TAG_BYTES),
    CIPHER("gmac-aes-{128,256}", CIPHERMARK_MAC, gcm, 12, 12, mac_gmac, AES,
           .tag_bytes = TAG_BYTES, .takes_repeats = 1),
    MAC("cmac-aes-{128,192,256}", struct cmac, 16, mac_cmac, AES, .parameters = &cbc,
        .init = init_cmac, .set_key = set_cmac_key, .release = release_cmac),

    AEAD("aes-{128,256}-gcm-siv", gcm_siv, 12),
    AEAD("chacha20-poly1305", chacha20_poly1305, 12),
    AEAD("xchacha20-poly1305", xchacha20_poly1305, 24),

    MAC("poly1305", struct copied_key, 16, mac_poly1305, COPIED_KEY),

    ROW("chacha20", CIPHERMARK_KEYSTREAM, struct copied_key, COPIED_KEY, NONCE(12),
        .process = chacha20_keystream),
    ROW("rc4-128", CIPHERMARK_KEYSTREAM, struct cipher, KEY(16),
        .parameters = &arcfour, .init = init_rc4, .set_key = set_cipher_key, IN_PIECES(rc4),
        .release = release_cipher),

    HASH_AND_HMAC("md5", EVP_md5, 16),
    HASH("ripemd160", EVP_ripemd160, 20),
    HASH_AND_HMAC("sha1", EVP_sha1, 20),
    HASH_AND_HMAC("sha224", EVP_sha224, 28),
    HASH_AND_HMAC("sha256", EVP_sha256, 32),
    HASH_AND_HMAC("sha384", EVP_sha384, 48),
    HASH_AND_HMAC("sha512", EVP_sha512, 64),
    HASH("sha512-256", EVP_sha512_256, 32),
    HASH("sha3-224", EVP_sha3_224, 28),
    HASH_AND_HMAC("sha3-256", EVP_sha3_256, 32),
    HASH("sha3-384", EVP_sha3_384, 48),
    HASH_AND_HMAC("sha3-512", EVP_sha3_512, 64),
};

const struct ciphermark_library *ciphermark_library(void)
{
    static struct ciphermark_library library = LIBRARY(.tags_equal = tags_equal);
    /* The library is asked, since the crate's build script may have found another one to link. */
    library.library_version = OpenSSL_version(OPENSSL_VERSION);
    return &library;
}
