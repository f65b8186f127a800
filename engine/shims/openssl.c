/*
 * OpenSSL 3 and 4. Names, types and numbers are those of the headers of 3.0 (core.h, crypto.h, err.h, evp.h,
 * provider.h), which later versions keep. Algorithms are fetched by their names; rows that this version
 * or build lacks are not initialised: GCM-SIV came with 3.2 and SM4-GCM with 3.1, RC4 and IDEA are in the
 * provider `legacy`, and a build may leave anything out.
 */
#include <limits.h>
#include <stdlib.h>

#include "opened.h"

typedef struct evp_cipher EVP_CIPHER;
typedef struct evp_cipher_ctx EVP_CIPHER_CTX;
typedef struct evp_md EVP_MD;
typedef struct evp_md_ctx EVP_MD_CTX;
typedef struct evp_mac EVP_MAC;
typedef struct evp_mac_ctx EVP_MAC_CTX;
typedef struct ossl_param {
    const char *key;
    unsigned type;
    void *data;
    size_t data_bytes;
    size_t return_bytes;
} OSSL_PARAM;

typedef int init_function(EVP_CIPHER_CTX *, const EVP_CIPHER *, const uint8_t *key,
                          const uint8_t *iv, const OSSL_PARAM *);
typedef int update_function(EVP_CIPHER_CTX *, uint8_t *, int *, const uint8_t *, int);
typedef int final_function(EVP_CIPHER_CTX *, uint8_t *, int *);

#define FUNCTIONS(F) \
    F(const char *, OPENSSL_info, (int)) \
    F(int, CRYPTO_memcmp, (const void *, const void *, size_t)) \
    F(unsigned long, ERR_get_error, (void)) \
    F(void, ERR_clear_error, (void)) \
    F(void *, OSSL_PROVIDER_try_load, (void *, const char *, int)) \
    F(EVP_CIPHER *, EVP_CIPHER_fetch, (void *, const char *, const char *)) \
    F(void, EVP_CIPHER_free, (EVP_CIPHER *)) \
    F(int, EVP_CIPHER_get_key_length, (const EVP_CIPHER *)) \
    F(int, EVP_CIPHER_get_iv_length, (const EVP_CIPHER *)) \
    F(EVP_CIPHER_CTX *, EVP_CIPHER_CTX_new, (void)) \
    F(void, EVP_CIPHER_CTX_free, (EVP_CIPHER_CTX *)) \
    F(int, EVP_CIPHER_CTX_copy, (EVP_CIPHER_CTX *, const EVP_CIPHER_CTX *)) \
    F(int, EVP_CIPHER_CTX_get_params, (EVP_CIPHER_CTX *, OSSL_PARAM *)) \
    F(EVP_MD *, EVP_MD_fetch, (void *, const char *, const char *)) \
    F(void, EVP_MD_free, (EVP_MD *)) \
    F(int, EVP_MD_get_size, (const EVP_MD *)) \
    F(EVP_MD_CTX *, EVP_MD_CTX_new, (void)) \
    F(void, EVP_MD_CTX_free, (EVP_MD_CTX *)) \
    F(int, EVP_DigestInit_ex2, (EVP_MD_CTX *, const EVP_MD *, const OSSL_PARAM *)) \
    F(int, EVP_DigestUpdate, (EVP_MD_CTX *, const void *, size_t)) \
    F(int, EVP_DigestFinal_ex, (EVP_MD_CTX *, uint8_t *, unsigned *)) \
    F(EVP_MAC *, EVP_MAC_fetch, (void *, const char *, const char *)) \
    F(void, EVP_MAC_free, (EVP_MAC *)) \
    F(EVP_MAC_CTX *, EVP_MAC_CTX_new, (EVP_MAC *)) \
    F(void, EVP_MAC_CTX_free, (EVP_MAC_CTX *)) \
    F(int, EVP_MAC_init, (EVP_MAC_CTX *, const uint8_t *, size_t, const OSSL_PARAM *)) \
    F(int, EVP_MAC_update, (EVP_MAC_CTX *, const uint8_t *, size_t)) \
    F(int, EVP_MAC_final, (EVP_MAC_CTX *, uint8_t *, size_t *, size_t))
FUNCTIONS(DECLARE)
static init_function *EVP_EncryptInit_ex2, *EVP_DecryptInit_ex2;
static update_function *EVP_EncryptUpdate, *EVP_DecryptUpdate;
static final_function *EVP_EncryptFinal_ex, *EVP_DecryptFinal_ex;
static unsigned long (*OpenSSL_version_num)(void);
static const char *(*OpenSSL_version)(int);

/* The code of the first error since the queue was last emptied; empties it. Packed codes have 32 bits. */
__attribute__((cold)) static int failure(void)
{
    unsigned long code = ERR_get_error();
    ERR_clear_error();
    return (int)code == 0 ? -1 : (int)code;
}

__attribute__((cold)) static int answer_without_error(int answer)
{
    ERR_clear_error();
    return answer;
}

static inline int called(int answer)
{
    return answer > 0 ? CIPHERMARK_DONE : failure();
}
#define CALL(call) TRY(called(call))

/* ---- Parameters: lists of at most two ---------------------------------------------------------- */

enum { UNSIGNED_INTEGER = 2, UTF8_STRING = 4, OCTET_STRING = 5 };

static inline OSSL_PARAM parameter(const char *key, unsigned type, const void *data, size_t bytes)
{
    OSSL_PARAM made;
    made.key = key;
    made.type = type;
    made.data = (void *)data;
    made.data_bytes = bytes;
    made.return_bytes = SIZE_MAX; /* OSSL_PARAM_UNMODIFIED, which a getting call replaces */
    return made;
}

/* The name of the parameter that a tag is asked for by. OpenSSL compares it with some ten others for each
 * message, and glibc may take a slower way where a string lies in the last bytes of a page. What the
 * linker puts where is not to change figures, so the string keeps away from there. */
static const char tag_name[256] __attribute__((aligned(256))) = "tag";

/* ---- What is fetched by its name, with a context of it ----------------------------------------- */

struct kind {
    void *(*fetch)(const char *name);
    void (*give_back)(void *algorithm);
    void *(*new_context)(void *algorithm);
    void (*free_context)(void *context);
};

#define KIND(kinds, TYPE, of) \
    ANSWERS(static void *fetch_##kinds(const char *name), TYPE##_fetch(NULL, name, NULL)) \
    RUNS(static void give_back_##kinds(void *algorithm), TYPE##_free(algorithm)) \
    ANSWERS(static void *new_##kinds(void *algorithm UNUSED), TYPE##_CTX_new(of)) \
    RUNS(static void free_##kinds(void *context), TYPE##_CTX_free(context)) \
    static const struct kind kinds = {fetch_##kinds, give_back_##kinds, new_##kinds, free_##kinds};
KIND(ciphers, EVP_CIPHER, )
KIND(hashes, EVP_MD, )
KIND(macs, EVP_MAC, algorithm)

/* What all contexts begin with, so that algorithm and context can be got anew. */
struct fetched {
    const struct kind *kind;
    void *algorithm;
    void *context;
    int is_new; /* the context has neither algorithm nor key */
    char name[28];
};

RELEASE(release_fetched)
{
    struct fetched *it = context;
    it->kind->free_context(it->context);
    it->kind->give_back(it->algorithm);
}

/* `%u` in the name stands for the bits of a key. */
static int fetch(const row *self, struct fetched *it, const struct kind *kind, const char *name)
{
    it->kind = kind;
    it->is_new = 1;
    snprintf(it->name, sizeof it->name, name, 8 * (unsigned)self->key_bytes.least);
    it->algorithm = kind->fetch(it->name);
    if (it->algorithm == NULL)
        return answer_without_error(CIPHERMARK_UNSUPPORTED);
    it->context = kind->new_context(it->algorithm);
    if (it->context != NULL)
        return CIPHERMARK_DONE;
    kind->give_back(it->algorithm);
    return failure();
}

static int renew(const row *self UNUSED, void *context, uint32_t what)
{
    struct fetched *it = context;
    void *fresh;
    if (what == CIPHERMARK_LOOKED_UP) {
        fresh = it->kind->fetch(it->name);
        if (fresh == NULL)
            return failure();
        it->kind->give_back(it->algorithm);
        it->algorithm = fresh;
    }
    fresh = it->kind->new_context(it->algorithm);
    if (fresh == NULL)
        return failure();
    it->kind->free_context(it->context);
    it->context = fresh;
    it->is_new = 1;
    return CIPHERMARK_DONE;
}

/* ---- Ciphers ----------------------------------------------------------------------------------- */

/* The ways in which OpenSSL's ciphers want to be called. */
enum mode {
    PLAIN,  /* ECB, CBC without padding, CTR */
    STREAM, /* the same without the setting: of IVs that are longer than nonces, and XTS */
    IN_CALLS, /* GCM, OCB, ChaCha20-Poly1305: the data in any number of calls */
    CCM,      /* the data in one call, which checks the tag when it opens; there is no final call */
    GCM_SIV   /* the data in one call */
};

struct recipe {
    const char *name;
    enum mode mode;
};

struct cipher {
    struct fetched of;
    init_function *init;
    update_function *update;
    final_function *finish;
    enum mode mode;
    /* Whether the last message was refused. CCM then keeps its length, and would take it for that of the
     * next one. */
    int refused;
    EVP_CIPHER_CTX *running; /* of RC4 */
    OSSL_PARAM tag[2];       /* a list that is kept: only the place of the tag differs */
};

INIT(init_cipher)
{
    const struct recipe *recipe = self->parameters;
    struct cipher *c = context;
    c->init = receives(self) ? EVP_DecryptInit_ex2 : EVP_EncryptInit_ex2;
    c->update = receives(self) ? EVP_DecryptUpdate : EVP_EncryptUpdate;
    c->finish = receives(self) ? EVP_DecryptFinal_ex : EVP_EncryptFinal_ex;
    c->mode = recipe->mode;
    c->tag[0] = parameter(tag_name, OCTET_STRING, NULL, self->tag_bytes);
    TRY(fetch(self, &c->of, &ciphers, recipe->name));
    if ((size_t)EVP_CIPHER_get_key_length(c->of.algorithm) == self->key_bytes.least)
        return CIPHERMARK_DONE;
    release_fetched(self, context);
    return CIPHERMARK_UNSUPPORTED;
}

/* Gives a new context its cipher, its settings and a key. */
static int set_first_key(const row *self, struct cipher *c, const uint8_t *key)
{
    OSSL_PARAM settings[3];
    size_t nonce_bytes = self->nonce_bytes.least;
    unsigned off = 0;
    size_t count = 0;
    /* Off for good. EVP_CIPHER_CTX_set_padding sets a flag besides, for which every later
     * initialising call sets the parameter again: 40 % of the time of a 16-byte message in
     * AES-128-CBC. */
    if (c->mode == PLAIN)
        settings[count++] = parameter("padding", UNSIGNED_INTEGER, &off, sizeof off);
    if (c->mode == CCM ||
        (c->mode == IN_CALLS && (size_t)EVP_CIPHER_get_iv_length(c->of.algorithm) != nonce_bytes))
        settings[count++] = parameter("ivlen", UNSIGNED_INTEGER, &nonce_bytes, sizeof nonce_bytes);
    /* OpenSSL's own lengths are those of RFC 3610's examples, 7 and 12 bytes. */
    if (c->mode == CCM)
        settings[count++] = parameter(tag_name, OCTET_STRING, NULL, self->tag_bytes);
    settings[count].key = NULL;
    if (c->mode == PLAIN || count == 0)
        return called(c->init(c->of.context, c->of.algorithm, key, NULL, count == 0 ? NULL : settings));
    /* The key schedule of CCM depends on both, so they come before the key. */
    if (c->init(c->of.context, c->of.algorithm, NULL, NULL, settings) <= 0)
        return answer_without_error(CIPHERMARK_BAD_NONCE);
    return called(c->init(c->of.context, NULL, key, NULL, NULL));
}

SET_KEY(set_cipher_key)
{
    struct cipher *c = context;
    if (!c->of.is_new)
        return called(c->init(c->of.context, NULL, key, NULL, NULL));
    TRY(set_first_key(self, c, key));
    c->of.is_new = 0;
    return CIPHERMARK_DONE;
}

static inline int start(struct cipher *c, const uint8_t *nonce, const OSSL_PARAM *parameters)
{
    if (c->of.is_new)
        return CIPHERMARK_UNSUPPORTED;
    return called(c->init(c->of.context, NULL, NULL, nonce, parameters));
}

/* Associated data have no output, and the length of a message no input either. */
static inline int update(struct cipher *c, EVP_CIPHER_CTX *context, uint8_t *output, const uint8_t *input,
                         size_t bytes, size_t *written)
{
    int count = 0;
    if (bytes > INT_MAX)
        return CIPHERMARK_BAD_INPUT;
    CALL(c->update(context, output, &count, input, (int)bytes));
    *written = (size_t)count;
    return CIPHERMARK_DONE;
}

static inline int authenticate(struct cipher *c, const uint8_t *data, size_t bytes)
{
    size_t written;
    return update(c, c->of.context, NULL, data, bytes, &written);
}

/* Ends a message with what was kept back of it, whose length is `left`; false when an opened tag is
 * wrong. */
static inline int finish(struct cipher *c, uint8_t *output, size_t left)
{
    uint8_t block[32]; /* EVP_MAX_BLOCK_LENGTH */
    int written;
    if (c->finish(c->of.context, block, &written) <= 0 || (size_t)written != left)
        return 0;
    if (left > 0)
        memcpy(output, block, left);
    return 1;
}

/* Turns text into as many bytes, up to a part of a block that the context may keep back: *written are
 * the bytes that it has given. */
static inline int transform(struct cipher *c, const message *m, size_t text_bytes, size_t chunk_bytes,
                            size_t *written)
{
    *written = 0;
    EACH_PIECE(text_bytes, chunk_bytes, 1, {
        size_t count = 0;
        int error = n == 0 ? 0
                           : update(c, c->of.context, m->output + *written, m->input + at, n, &count);
        *written += count;
        if (error != 0) {
            /* What was kept back would come out with the next message, for which nothing but a new
             * beginning makes OCB forget it. */
            c->of.is_new = 1;
            return error;
        }
    });
    return CIPHERMARK_DONE;
}

PIECES(crypt)
{
    struct cipher *c = context;
    size_t written;
    TRY(start(c, m->nonce, NULL));
    TRY(transform(c, m, m->input_bytes, chunk_bytes, &written));
    return called(finish(c, m->output + written, m->input_bytes - written));
}

/* ---- AEADs ------------------------------------------------------------------------------------- */

/* Takes the associated data and turns the text; *right is 0 when an opened tag is wrong. */
static inline int process_aead(struct cipher *c, const message *m, size_t text_bytes,
                               size_t chunk_bytes, int *right)
{
    size_t written = 0;
    int error;
    if (c->mode == GCM_SIV) /* it would add them to those of the message before; none makes it forget */
        TRY(authenticate(c, m->aad, 0));
    if (c->mode == CCM && (m->aad_bytes > 0 || c->refused))
        TRY(authenticate(c, NULL, text_bytes));
    if (m->aad_bytes > 0)
        TRY(authenticate(c, m->aad, m->aad_bytes));
    if (c->mode == IN_CALLS) {
        TRY(transform(c, m, text_bytes, chunk_bytes, &written));
        *right = finish(c, m->output + written, text_bytes - written);
        return CIPHERMARK_DONE;
    }
    error = update(c, c->of.context, m->output, m->input, text_bytes, &written);
    *right = c->mode == CCM ? error == 0 : 1;
    if (error != 0 && c->mode == GCM_SIV)
        return error;
    if (error == 0 && written != text_bytes)
        return CIPHERMARK_BAD_OUTPUT;
    if (c->mode == GCM_SIV)
        *right = finish(c, NULL, 0);
    return CIPHERMARK_DONE;
}

static inline int ask_tag(struct cipher *c, uint8_t *tag)
{
    c->tag[0].data = tag;
    return called(EVP_CIPHER_CTX_get_params(c->of.context, c->tag));
}

PIECES(seal)
{
    struct cipher *c = context;
    int right;
    TRY(start(c, m->nonce, NULL));
    TRY(process_aead(c, m, m->input_bytes, chunk_bytes, &right));
    CALL(right);
    return ask_tag(c, m->output + m->input_bytes);
}

PIECES(open_sealed)
{
    struct cipher *c = context;
    OSSL_PARAM tag[2];
    int right;
    tag[0] = parameter(tag_name, OCTET_STRING, m->input + m->output_bytes, self->tag_bytes);
    tag[1].key = NULL; /* of what ends a list only the key is read */
    TRY(start(c, m->nonce, tag));
    TRY(process_aead(c, m, m->output_bytes, chunk_bytes, &right));
    c->refused = !right;
    return right ? CIPHERMARK_DONE : answer_without_error(CIPHERMARK_REFUSED);
}

/* GCM of a message that is all associated data. */
PIECES(mac_gmac)
{
    struct cipher *c = context;
    TRY(start(c, m->nonce, NULL));
    EACH_INPUT(m, chunk_bytes, 1, TRY(authenticate(c, input, n)));
    CALL(finish(c, NULL, 0));
    return ask_tag(c, m->output);
}

/* ---- Keystreams: zeros, encrypted in place ----------------------------------------------------- */

static inline int run_keystream(struct cipher *c, EVP_CIPHER_CTX *context, const message *m,
                                size_t chunk_bytes)
{
    memset(m->output, 0, m->output_bytes);
    EACH_PIECE(m->output_bytes, chunk_bytes, 1, {
        size_t written = 0;
        TRY(update(c, context, m->output + at, m->output + at, n, &written));
        if (written != n)
            return CIPHERMARK_BAD_OUTPUT;
    });
    return CIPHERMARK_DONE;
}

PIECES(chacha20)
{
    struct cipher *c = context;
    uint8_t iv[16] = {0}; /* the block counter, and the nonce */
    memcpy(iv + 4, m->nonce, 12);
    TRY(start(c, iv, NULL));
    return run_keystream(c, c->of.context, m, chunk_bytes);
}

INIT(init_rc4)
{
    struct cipher *c = context;
    TRY(init_cipher(self, context));
    c->running = EVP_CIPHER_CTX_new();
    if (c->running != NULL)
        return CIPHERMARK_DONE;
    release_fetched(self, context);
    return failure();
}

RELEASE(release_rc4)
{
    EVP_CIPHER_CTX_free(((struct cipher *)context)->running);
    release_fetched(self, context);
}

/* The keyed context stays at the beginning of its stream, and a copy runs. */
PIECES(rc4)
{
    struct cipher *c = context;
    CALL(EVP_CIPHER_CTX_copy(c->running, c->of.context));
    return run_keystream(c, c->running, m, chunk_bytes);
}

#define CIPHER(title, what, key, least, most, by, how, ...) \
    ROW(title, what, struct cipher, KEY(key), NONCES(least, most), \
        .parameters = (&(const struct recipe){by, how}), .init = init_cipher, \
        .set_key = set_cipher_key, .release = release_fetched, __VA_ARGS__)
#define MODE(name, key, iv, by) \
    CIPHER(name, ENCRYPT, key, iv, iv, by, PLAIN, IN_PIECES(crypt)), \
    CIPHER(name, DECRYPT, key, iv, iv, by, PLAIN, IN_PIECES(crypt))
#define XTS(name, key, by) \
    CIPHER(name, ENCRYPT, key, 16, 16, by, STREAM, AT_ONCE(crypt)), \
    CIPHER(name, DECRYPT, key, 16, 16, by, STREAM, AT_ONCE(crypt))
#define BLOCK_CIPHER(name, key, by) \
    MODE(name "-ecb", key, 0, by "-ECB"), MODE(name "-cbc", key, 16, by "-CBC"), \
    MODE(name "-ctr", key, 16, by "-CTR")
/* `how` is IN_PIECES or AT_ONCE. */
#define AEAD(name, key, least, most, by, mode, how) \
    CIPHER(name, SEAL, key, least, most, by, mode, .tag_bytes = 16, how(seal)), \
    CIPHER(name, OPEN, key, least, most, by, mode, .tag_bytes = 16, how(open_sealed))

/* ---- Hashes ------------------------------------------------------------------------------------ */

INIT(init_hash)
{
    struct fetched *hash = context;
    TRY(fetch(self, hash, &hashes, self->parameters));
    if ((size_t)EVP_MD_get_size(hash->algorithm) == self->tag_bytes)
        return CIPHERMARK_DONE;
    release_fetched(self, context);
    return CIPHERMARK_UNSUPPORTED;
}

PIECES(digest)
{
    struct fetched *hash = context;
    /* Null for the digest that the context has. */
    CALL(EVP_DigestInit_ex2(hash->context, hash->is_new ? hash->algorithm : NULL, NULL));
    hash->is_new = 0;
    EACH_INPUT(m, chunk_bytes, 1, CALL(EVP_DigestUpdate(hash->context, input, n)));
    return called(EVP_DigestFinal_ex(hash->context, m->output, NULL));
}

#define HASH(name, tag, by) \
    ROW(name, CIPHERMARK_DIGEST, struct fetched, .tag_bytes = tag, .takes_repeats = 1, \
        .parameters = by, .init = init_hash, IN_PIECES(digest), .release = release_fetched)

/* ---- MACs -------------------------------------------------------------------------------------- */

struct construction {
    const char *name;
    const char *setting; /* what a new context is told; null for nothing */
    const char *algorithm; /* the value of the setting; null for the bytes of a tag */
    int restarts; /* whether a context can begin another message under the key that it has: that of
                     Poly1305 serves once, and not every version of OpenSSL 3 keeps that of SipHash */
};

struct mac {
    struct fetched of;
    int given_again; /* the key, for every message */
    uint8_t *key;
    size_t key_bytes;
    size_t algorithm_length;
    char algorithm[28];
};

/* From 3.0.3 on, EVP_MAC_init without a key restarts with the kept one. Before, it did nothing
 * (https://github.com/openssl/openssl/issues/17811), and a caller must give the key again. */
#define RESTARTS 0x30000030UL

INIT(init_mac)
{
    const struct construction *construction = self->parameters;
    struct mac *mac = context;
    mac->given_again = !construction->restarts || OpenSSL_version_num() < RESTARTS;
    if (construction->algorithm != NULL)
        mac->algorithm_length = (size_t)snprintf(mac->algorithm, sizeof mac->algorithm,
                                                 construction->algorithm,
                                                 8 * (unsigned)self->key_bytes.least);
    return fetch(self, &mac->of, &macs, construction->name);
}

RELEASE(release_mac)
{
    free(((struct mac *)context)->key);
    release_fetched(self, context);
}

static int keep_key(struct mac *mac, const uint8_t *key, size_t key_bytes)
{
    if (mac->key == NULL || key_bytes > mac->key_bytes) {
        uint8_t *room = realloc(mac->key, key_bytes + 1);
        if (room == NULL)
            return CIPHERMARK_BAD_KEY;
        mac->key = room;
    }
    memcpy(mac->key, key, key_bytes);
    mac->key_bytes = key_bytes;
    return CIPHERMARK_DONE;
}

SET_KEY(set_mac_key)
{
    const struct construction *construction = self->parameters;
    struct mac *mac = context;
    OSSL_PARAM settings[2], *told = NULL;
    if (mac->given_again)
        TRY(keep_key(mac, key, key_bytes));
    if (mac->of.is_new && construction->setting != NULL) {
        settings[0] = construction->algorithm == NULL
                          ? parameter(construction->setting, UNSIGNED_INTEGER, &self->tag_bytes,
                                      sizeof self->tag_bytes)
                          : parameter(construction->setting, UTF8_STRING, mac->algorithm,
                                      mac->algorithm_length);
        settings[1].key = NULL;
        told = settings;
    }
    CALL(EVP_MAC_init(mac->of.context, key, key_bytes, told));
    mac->of.is_new = 0;
    return CIPHERMARK_DONE;
}

PIECES(mac)
{
    struct mac *mac = context;
    size_t written = 0;
    if (mac->of.is_new)
        return CIPHERMARK_UNSUPPORTED;
    CALL(mac->given_again ? EVP_MAC_init(mac->of.context, mac->key, mac->key_bytes, NULL)
                          : EVP_MAC_init(mac->of.context, NULL, 0, NULL));
    EACH_INPUT(m, chunk_bytes, 1, CALL(EVP_MAC_update(mac->of.context, input, n)));
    CALL(EVP_MAC_final(mac->of.context, m->output, &written, self->tag_bytes));
    return written == self->tag_bytes ? CIPHERMARK_DONE : CIPHERMARK_BAD_OUTPUT;
}

#define MAC(title, least, most, tag, ...) \
    ROW(title, CIPHERMARK_MAC, struct mac, .key_bytes = {least, most}, .tag_bytes = tag, \
        .takes_repeats = 1, .parameters = (&(const struct construction){__VA_ARGS__}), \
        .init = init_mac, .set_key = set_mac_key, IN_PIECES(mac), .release = release_mac)
#define HMAC(name, tag, hash) MAC(name, 0, SIZE_MAX, tag, "HMAC", "digest", hash, 1)
#define CMAC(name, key, cipher) MAC(name, key, key, 16, "CMAC", "cipher", cipher, 1)

/* ---- The table --------------------------------------------------------------------------------- */

#define HASH_AND_HMAC(name, tag, by) HASH(name, tag, by), HMAC("hmac-" name, tag, by)

static const struct ciphermark_function functions[] = {
    AEAD("aes-{128,192,256}-gcm", 0, 1, SIZE_MAX, "AES-%u-GCM", IN_CALLS, IN_PIECES),
    AEAD("aes-{128,256}-ccm", 0, 7, 13, "AES-%u-CCM", CCM, AT_ONCE),
    AEAD("aes-{128,256}-ocb", 0, 1, 15, "AES-%u-OCB", IN_CALLS, IN_PIECES),
    AEAD("aes-{128,256}-gcm-siv", 0, 12, 12, "AES-%u-GCM-SIV", GCM_SIV, AT_ONCE),
    AEAD("sm4-gcm", 16, 1, SIZE_MAX, "SM4-GCM", IN_CALLS, IN_PIECES),
    /* Shorter nonces are padded with zeros, which RFC 8439 does not have. */
    AEAD("chacha20-poly1305", 32, 12, 12, "ChaCha20-Poly1305", IN_CALLS, IN_PIECES),
    BLOCK_CIPHER("aes-{128,192,256}", 0, "AES-%u"),
    XTS("aes-128-xts", 32, "AES-128-XTS"),
    XTS("aes-256-xts", 64, "AES-256-XTS"),
    BLOCK_CIPHER("camellia-{128,192,256}", 0, "CAMELLIA-%u"),
    BLOCK_CIPHER("sm4", 16, "SM4"),
    MODE("idea-ecb", 16, 0, "IDEA-ECB"),
    MODE("idea-cbc", 16, 8, "IDEA-CBC"),
    CIPHER("chacha20", CIPHERMARK_KEYSTREAM, 32, 12, 12, "ChaCha20", STREAM, IN_PIECES(chacha20)),
    ROW("rc4-128", CIPHERMARK_KEYSTREAM, struct cipher, KEY(16),
        .parameters = (&(const struct recipe){"RC4", STREAM}), .init = init_rc4,
        .set_key = set_cipher_key, IN_PIECES(rc4), .release = release_rc4),

    CMAC("cmac-aes-{128,192,256}", 0, "AES-%u-CBC"),
    CMAC("cmac-camellia-{128,256}", 0, "CAMELLIA-%u-CBC"),
    CMAC("cmac-sm4", 16, "SM4-CBC"),
    CIPHER("gmac-aes-{128,256}", CIPHERMARK_MAC, 0, 12, 12, "AES-%u-GCM", IN_CALLS, .tag_bytes = 16,
           .takes_repeats = 1, IN_PIECES(mac_gmac)),
    MAC("kmac128", 16, 16, 32, "KMAC-128", NULL, NULL, 1),
    MAC("kmac256", 32, 32, 64, "KMAC-256", NULL, NULL, 1),
    MAC("blake2b-mac-512", 32, 32, 64, "BLAKE2BMAC", NULL, NULL, 1),
    MAC("blake2s-mac-256", 32, 32, 32, "BLAKE2SMAC", NULL, NULL, 1),
    MAC("poly1305", 32, 32, 16, "POLY1305", NULL, NULL, 0),
    MAC("siphash-2-4-64", 16, 16, 8, "SIPHASH", "size", NULL, 0),
    MAC("siphash-2-4-128", 16, 16, 16, "SIPHASH", "size", NULL, 0),

    HASH("blake2b-512", 64, "BLAKE2B-512"),
    HASH("blake2s-256", 32, "BLAKE2S-256"),
    HASH_AND_HMAC("md5", 16, "MD5"),
    HASH("ripemd160", 20, "RIPEMD-160"),
    HASH_AND_HMAC("sha1", 20, "SHA1"),
    HASH_AND_HMAC("sha224", 28, "SHA2-224"),
    HASH_AND_HMAC("sha256", 32, "SHA2-256"),
    HASH_AND_HMAC("sha384", 48, "SHA2-384"),
    HASH_AND_HMAC("sha512", 64, "SHA2-512"),
    HASH("sha512-256", 32, "SHA2-512/256"),
    HASH("sha3-224", 28, "SHA3-224"),
    HASH_AND_HMAC("sha3-256", 32, "SHA3-256"),
    HASH("sha3-384", 48, "SHA3-384"),
    HASH_AND_HMAC("sha3-512", 64, "SHA3-512"),
    HASH("sm3", 32, "SM3"),
};

/* ---- What the library says of itself ----------------------------------------------------------- */

int ciphermark_open(void *library, char *words, size_t bytes)
{
    FIND(unsigned long, OpenSSL_version_num, (void))
    FIND(const char *, OpenSSL_version, (int))
    /* 1.1 is older, and LibreSSL and BoringSSL say that they are. */
    if (OpenSSL_version_num() < 0x30000000UL)
        return say(words, bytes, TOO_OLD, OpenSSL_version(0));
    /* Numbers of versions promise functions: those of 3.0 are in all of 3 and in 4. */
    if (OpenSSL_version_num() >= 0x50000000UL) {
        snprintf(words, bytes, "is %s, newer than 3 and 4, which ciphermark was tried with",
                 OpenSSL_version(0));
        return UNUSABLE;
    }
    FUNCTIONS(FIND)
    FIND(int, EVP_EncryptInit_ex2, )
    FIND(int, EVP_DecryptInit_ex2, )
    FIND(int, EVP_EncryptUpdate, )
    FIND(int, EVP_DecryptUpdate, )
    FIND(int, EVP_EncryptFinal_ex, )
    FIND(int, EVP_DecryptFinal_ex, )
    /* The provider of RC4 and IDEA beside what is loaded anyway, for the life of the process. Where it is
     * not installed they are not there. */
    if (OSSL_PROVIDER_try_load(NULL, "legacy", 1) == NULL)
        ERR_clear_error();
    return OPENED;
}

TAGS_EQUAL(CRYPTO_memcmp(one, other, bytes) == 0)

const struct ciphermark_library *ciphermark_library(void)
{
    enum { TITLE = 0, COMPILER = 1, VERSION = 7, CPU_SETTINGS = 1008 };
    static char build[1024];
    static struct ciphermark_library library = LIBRARY(.tags_equal = tags_equal, .renew = renew);
    const char *cpu = OPENSSL_info(CPU_SETTINGS);
    snprintf(build, sizeof build, "%s%s%s; %s", OpenSSL_version(TITLE), cpu == NULL ? "" : "; ",
             cpu == NULL ? "" : cpu, OpenSSL_version(COMPILER));
    library.library_version = OpenSSL_version(VERSION);
    library.build = build;
    library.inside = (void (*)(void))OpenSSL_version_num;
    return &library;
}
