/*
 * libgcrypt 1.8 and later. Names, types and numbers are those of the gcrypt.h of 1.8, which later
 * versions keep. Handles are opened by the numbers of algorithm and mode; rows that this version or
 * build lacks are not initialised.
 */
#include <stdlib.h>

#include "opened.h"

/* A library's handle of any kind, and gcry_error_t: 0, or an error code with its source. */
typedef void *handle;
typedef unsigned status;

#define FUNCTIONS(F) \
    F(status, gcry_control, (int, ...)) \
    F(char *, gcry_get_config, (int, const char *)) \
    F(void, gcry_free, (void *)) \
    F(const char *, gcry_strerror, (status)) \
    F(status, gcry_cipher_open, (handle *, int, int, unsigned)) \
    F(void, gcry_cipher_close, (handle)) \
    F(status, gcry_cipher_ctl, (handle, int, const void *, size_t)) \
    F(status, gcry_cipher_setkey, (handle, const void *, size_t)) \
    F(status, gcry_cipher_setiv, (handle, const void *, size_t)) \
    F(status, gcry_cipher_setctr, (handle, const void *, size_t)) \
    F(status, gcry_cipher_authenticate, (handle, const void *, size_t)) \
    F(status, gcry_cipher_encrypt, (handle, void *, size_t, const void *, size_t)) \
    F(status, gcry_cipher_decrypt, (handle, void *, size_t, const void *, size_t)) \
    F(status, gcry_cipher_gettag, (handle, void *, size_t)) \
    F(status, gcry_cipher_checktag, (handle, const void *, size_t)) \
    F(status, gcry_mac_open, (handle *, int, unsigned, void *)) \
    F(void, gcry_mac_close, (handle)) \
    F(status, gcry_mac_ctl, (handle, int, const void *, size_t)) \
    F(status, gcry_mac_setkey, (handle, const void *, size_t)) \
    F(status, gcry_mac_setiv, (handle, const void *, size_t)) \
    F(status, gcry_mac_write, (handle, const void *, size_t)) \
    F(status, gcry_mac_read, (handle, void *, size_t *)) \
    F(status, gcry_mac_verify, (handle, const void *, size_t)) \
    F(status, gcry_md_open, (handle *, int, unsigned)) \
    F(void, gcry_md_close, (handle)) \
    F(void, gcry_md_reset, (handle)) \
    F(void, gcry_md_write, (handle, const void *, size_t)) \
    F(const uint8_t *, gcry_md_read, (handle, int))
FUNCTIONS(DECLARE)
static const char *(*gcry_check_version)(const char *);

/* GCRYCTL_…: back to the state after the key; the next call brings the last data; lengths of text,
 * associated data and tag of CCM; the tag of GCM-SIV, before the text that it belongs to. */
enum { RESET = 4, FINALIZE = 5, SET_CCM_LENGTHS = 69, SET_DECRYPTION_TAG = 80 };

/* GPG_ERR_CHECKSUM, and the part of a status that is not its source. */
enum { WRONG_TAG = 10, ERROR_CODE = 0xffff };

static inline int called(status answer)
{
    int code = (int)(answer & ERROR_CODE);
    return code == WRONG_TAG ? CIPHERMARK_REFUSED : code;
}
#define CALL(call) TRY(called(call))

/* What a row is opened by. */
struct numbers {
    int algorithms[7]; /* of keys of 16, 24, 32 and so on to 64 bytes; 0 where there is none */
    int mode;
    unsigned flags;
};

static int algorithm_of(const row *self)
{
    const struct numbers *numbers = self->parameters;
    return numbers->algorithms[self->key_bytes.least / 8 - 2];
}

static int opened_or(status answer)
{
    return called(answer) == 0 ? CIPHERMARK_DONE : CIPHERMARK_UNSUPPORTED;
}

/* ---- Ciphers ---------------------------------------------------------------------------------- */

/* enum gcry_cipher_modes */
enum {
    ECB = 1, CBC = 3, STREAM = 4, CTR = 6, CCM = 8, GCM = 9, POLY1305 = 10, OCB = 11, XTS = 13,
    GCM_SIV = 16
};
/* Of enum gcry_cipher_flags: of CBC, only the last block is written. */
enum { CBC_MAC = 8 };

/* A handle, for one direction. */
struct cipher {
    handle handle;
    status (*transform)(handle, void *, size_t, const void *, size_t);
};

INIT(init_cipher)
{
    const struct numbers *numbers = self->parameters;
    struct cipher *c = context;
    c->transform = receives(self) ? gcry_cipher_decrypt : gcry_cipher_encrypt;
    return opened_or(
        gcry_cipher_open(&c->handle, algorithm_of(self), numbers->mode, numbers->flags));
}

RUNS(RELEASE(release_cipher), gcry_cipher_close(((struct cipher *)context)->handle))

ANSWERS(SET_KEY(set_cipher_key),
        called(gcry_cipher_setkey(((struct cipher *)context)->handle, key, key_bytes)))

static int control(struct cipher *c, int command)
{
    return called(gcry_cipher_ctl(c->handle, command, NULL, 0));
}

/* `start` is what makes the handle ready for a message; what follows are the input of a piece and its
 * bytes. */
#define CIPHER_FUNCTION(run, start, ...) \
    PIECES(run) \
    { \
        struct cipher *c = context; \
        start; \
        EACH_PIECE(m->output_bytes, chunk_bytes, 1, \
                   CALL(c->transform(c->handle, m->output + at, n, __VA_ARGS__))); \
        return CIPHERMARK_DONE; \
    }
#define SET_IV CALL(gcry_cipher_setiv(c->handle, m->nonce, m->nonce_bytes))
CIPHER_FUNCTION(crypt_ecb, , m->input + at, n)
CIPHER_FUNCTION(crypt_cbc, SET_IV, m->input + at, n)
CIPHER_FUNCTION(crypt_ctr, CALL(gcry_cipher_setctr(c->handle, m->nonce, m->nonce_bytes)),
                m->input + at, n)

/* Zeros are encrypted in place. */
#define ZEROS memset(m->output, 0, m->output_bytes)
CIPHER_FUNCTION(keystream, SET_IV; ZEROS, NULL, 0)
/* Its state changes with every byte. */
CIPHER_FUNCTION(keystream_reset, TRY(control(c, RESET)); ZEROS, NULL, 0)

/* The last block of CBC encryption with a zero IV. */
PIECES(mac_cbc)
{
    static const uint8_t zero[16];
    struct cipher *c = context;
    if (m->input_bytes == 0)
        return CIPHERMARK_BAD_INPUT;
    CALL(gcry_cipher_setiv(c->handle, zero, self->tag_bytes));
    EACH_INPUT(m, chunk_bytes, 1,
               CALL(c->transform(c->handle, m->output, self->tag_bytes, input, n)));
    return CIPHERMARK_DONE;
}

/* ---- AEADs ------------------------------------------------------------------------------------ */

/* Starts a message under the kept key, as far as its text. */
static inline int start_aead(const row *self, struct cipher *c, const message *m, size_t text_bytes)
{
    int mode = ((const struct numbers *)self->parameters)->mode;
    if (mode == GCM_SIV) /* the other modes are reset by the nonce */
        TRY(control(c, RESET));
    CALL(gcry_cipher_setiv(c->handle, m->nonce, m->nonce_bytes));
    if (mode == CCM) {
        uint64_t lengths[3];
        lengths[0] = text_bytes;
        lengths[1] = m->aad_bytes;
        lengths[2] = self->tag_bytes;
        CALL(gcry_cipher_ctl(c->handle, SET_CCM_LENGTHS, lengths, sizeof lengths));
    }
    return m->aad_bytes == 0 ? CIPHERMARK_DONE
                             : called(gcry_cipher_authenticate(c->handle, m->aad, m->aad_bytes));
}

/* OCB takes whole blocks until the last data, and with GCM-SIV an empty text, too. */
static inline int transform(const row *self, struct cipher *c, const message *m,
                            size_t text_bytes, size_t chunk_bytes)
{
    int mode = ((const struct numbers *)self->parameters)->mode;
    if (text_bytes == 0 && mode != OCB && mode != GCM_SIV)
        return CIPHERMARK_DONE;
    EACH_PIECE(text_bytes, chunk_bytes, mode == OCB ? 16 : 1, {
        if (mode == OCB && at + n == text_bytes)
            TRY(control(c, FINALIZE));
        CALL(c->transform(c->handle, m->output + at, n, m->input + at, n));
    });
    return CIPHERMARK_DONE;
}

PIECES(seal)
{
    struct cipher *c = context;
    TRY(start_aead(self, c, m, m->input_bytes));
    TRY(transform(self, c, m, m->input_bytes, chunk_bytes));
    return called(gcry_cipher_gettag(c->handle, m->output + m->input_bytes, self->tag_bytes));
}

PIECES(open_sealed)
{
    struct cipher *c = context;
    const uint8_t *tag = m->input + m->output_bytes;
    TRY(start_aead(self, c, m, m->output_bytes));
    if (((const struct numbers *)self->parameters)->mode == GCM_SIV)
        CALL(gcry_cipher_ctl(c->handle, SET_DECRYPTION_TAG, tag, self->tag_bytes));
    TRY(transform(self, c, m, m->output_bytes, chunk_bytes));
    return called(gcry_cipher_checktag(c->handle, tag, self->tag_bytes));
}

#define NUMBERS(by, flag, ...) \
    .parameters = (&(const struct numbers){.algorithms = {__VA_ARGS__}, .mode = by, .flags = flag})
#define CIPHER(name, what, key, least, most, ...) \
    ROW(name, what, struct cipher, KEY(key), NONCES(least, most), \
        .init = init_cipher, .set_key = set_cipher_key, .release = release_cipher, __VA_ARGS__)
#define BOTH(name, key, iv, by, run, ...) \
    CIPHER(name, ENCRYPT, key, iv, iv, IN_PIECES(run), NUMBERS(by, 0, __VA_ARGS__)), \
    CIPHER(name, DECRYPT, key, iv, iv, IN_PIECES(run), NUMBERS(by, 0, __VA_ARGS__))
/* A sector is one call. */
#define XTS_ROW(name, what, key, ...) \
    CIPHER(name, what, key, 16, 16, AT_ONCE(crypt_cbc), NUMBERS(XTS, 0, __VA_ARGS__))
#define MODES(cipher, key, block, ...) \
    BOTH(cipher "-ecb", key, 0, ECB, crypt_ecb, __VA_ARGS__), \
    BOTH(cipher "-cbc", key, block, CBC, crypt_cbc, __VA_ARGS__)
#define BLOCK_CIPHER(cipher, key, ...) \
    MODES(cipher, key, 16, __VA_ARGS__), BOTH(cipher "-ctr", key, 16, CTR, crypt_ctr, __VA_ARGS__)
/* `how` is IN_PIECES, or AT_ONCE where the library needs all of the text before it answers. */
#define AEAD(name, key, least, most, by, how, ...) \
    CIPHER(name, SEAL, key, least, most, .tag_bytes = 16, how(seal), NUMBERS(by, 0, __VA_ARGS__)), \
    CIPHER(name, OPEN, key, least, most, .tag_bytes = 16, how(open_sealed), \
           NUMBERS(by, 0, __VA_ARGS__))
#define CBC_MAC_ROW(name, ...) \
    CIPHER(name, CIPHERMARK_MAC, 16, 0, 0, .tag_bytes = 16, .takes_repeats = 1, \
           IN_PIECES(mac_cbc), NUMBERS(CBC, CBC_MAC, __VA_ARGS__))

/* ---- MACs ------------------------------------------------------------------------------------- */

struct mac {
    handle handle;
};

INIT(init_mac)
{
    int algorithm = ((const struct numbers *)self->parameters)->algorithms[0];
    return opened_or(gcry_mac_open(&((struct mac *)context)->handle, algorithm, 0, NULL));
}

RUNS(RELEASE(release_mac), gcry_mac_close(((struct mac *)context)->handle))

ANSWERS(SET_KEY(set_mac_key),
        called(gcry_mac_setkey(((struct mac *)context)->handle, key, key_bytes)))

/* Starts a message under the kept key and takes all of it. A nonce resets besides. */
static inline int take(struct mac *mac, const message *m, size_t chunk_bytes)
{
    CALL(m->nonce_bytes == 0 ? gcry_mac_ctl(mac->handle, RESET, NULL, 0)
                             : gcry_mac_setiv(mac->handle, m->nonce, m->nonce_bytes));
    EACH_INPUT(m, chunk_bytes, 1, CALL(gcry_mac_write(mac->handle, input, n)));
    return CIPHERMARK_DONE;
}

PIECES(mac)
{
    struct mac *mac = context;
    size_t tag_bytes = self->tag_bytes;
    TRY(take(mac, m, chunk_bytes));
    return called(gcry_mac_read(mac->handle, m->output, &tag_bytes));
}

PIECES(verify)
{
    struct mac *mac = context;
    TRY(take(mac, m, chunk_bytes));
    return called(gcry_mac_verify(mac->handle, m->aad, m->aad_bytes));
}

#define MAC_ROW(name, what, least, most, nonce, tag, run, number) \
    ROW(name, what, struct mac, .key_bytes = {least, most}, NONCE(nonce), \
        .tag_bytes = tag, .takes_repeats = 1, NUMBERS(0, 0, number), .init = init_mac, \
        .set_key = set_mac_key, IN_PIECES(run), .release = release_mac)
/* By the numbers of enum gcry_mac_algos; CMAC and GMAC take every length of key of their cipher. */
#define MAC(name, least, most, nonce, tag, number) \
    MAC_ROW(name, CIPHERMARK_MAC, least, most, nonce, tag, mac, number), \
    MAC_ROW(name, CIPHERMARK_VERIFY, least, most, nonce, tag, verify, number)
#define HMAC(name, tag, number) MAC(name, 0, SIZE_MAX, 0, tag, number)

/* ---- Hashes ----------------------------------------------------------------------------------- */

struct hash {
    handle handle;
    int algorithm;
};

INIT(init_hash)
{
    struct hash *hash = context;
    hash->algorithm = ((const struct numbers *)self->parameters)->algorithms[0];
    return opened_or(gcry_md_open(&hash->handle, hash->algorithm, 0));
}

RUNS(RELEASE(release_hash), gcry_md_close(((struct hash *)context)->handle))

PIECES(digest)
{
    struct hash *hash = context;
    gcry_md_reset(hash->handle);
    EACH_INPUT(m, chunk_bytes, 1, gcry_md_write(hash->handle, input, n));
    memcpy(m->output, gcry_md_read(hash->handle, hash->algorithm), self->tag_bytes);
    return CIPHERMARK_DONE;
}

/* By the numbers of enum gcry_md_algos. */
#define HASH(name, tag, number) \
    ROW(name, CIPHERMARK_DIGEST, struct hash, .tag_bytes = tag, .takes_repeats = 1, \
        NUMBERS(0, 0, number), .init = init_hash, IN_PIECES(digest), .release = release_hash)

/* ---- The table, with the numbers of enum gcry_cipher_algos ------------------------------------ */

#define AES 7, 8, 9
/* Of two keys. */
#define AES_XTS 0, 0, 7, 0, 0, 0, 9
#define TWOFISH 303, 0, 10
#define SERPENT 304, 305, 306
#define CAMELLIA 310, 311, 312
#define SM4 318
#define CHACHA20 0, 0, 316

/* By both numbers. */
#define HASH_AND_HMAC(name, tag, number, hmac) \
    HASH(name, tag, number), HMAC("hmac-" name, tag, hmac)

static const struct ciphermark_function functions[] = {
    BLOCK_CIPHER("aes-{128,192,256}", 0, AES),
    XTS_ROW("aes-128-xts", ENCRYPT, 32, AES_XTS),
    XTS_ROW("aes-128-xts", DECRYPT, 32, AES_XTS),
    XTS_ROW("aes-256-xts", ENCRYPT, 64, AES_XTS),
    XTS_ROW("aes-256-xts", DECRYPT, 64, AES_XTS),
    BLOCK_CIPHER("camellia-{128,192,256}", 0, CAMELLIA),
    BLOCK_CIPHER("twofish-{128,256}", 0, TWOFISH),
    BLOCK_CIPHER("serpent-{128,192,256}", 0, SERPENT),
    BLOCK_CIPHER("sm4", 16, SM4),
    MODES("idea", 16, 8, 1),
    CIPHER("chacha20", CIPHERMARK_KEYSTREAM, 32, 12, 12, IN_PIECES(keystream),
           NUMBERS(STREAM, 0, CHACHA20)),
    CIPHER("rc4-128", CIPHERMARK_KEYSTREAM, 16, 0, 0, IN_PIECES(keystream_reset),
           NUMBERS(STREAM, 0, 301)),

    AEAD("aes-{128,192,256}-gcm", 0, 1, SIZE_MAX, GCM, IN_PIECES, AES),
    AEAD("camellia-{128,256}-gcm", 0, 1, SIZE_MAX, GCM, IN_PIECES, CAMELLIA),
    AEAD("sm4-gcm", 16, 1, SIZE_MAX, GCM, IN_PIECES, SM4),
    AEAD("aes-{128,256}-ccm", 0, 7, 13, CCM, IN_PIECES, AES),
    /* RFC 7253 has shorter nonces too. */
    AEAD("aes-{128,256}-ocb", 0, 8, 15, OCB, IN_PIECES, AES),
    /* Nonces of other lengths are other constructions or an error on the user's terminal. */
    AEAD("aes-{128,256}-gcm-siv", 0, 12, 12, GCM_SIV, AT_ONCE, AES),
    AEAD("chacha20-poly1305", 32, 12, 12, POLY1305, IN_PIECES, CHACHA20),

    MAC("cmac-aes-{128,192,256}", 0, 0, 0, 16, 201),
    MAC("cmac-camellia-{128,256}", 0, 0, 0, 16, 203),
    MAC("cmac-twofish-{128,256}", 0, 0, 0, 16, 206),
    MAC("cmac-serpent-{128,256}", 0, 0, 0, 16, 207),
    MAC("cmac-sm4", 16, 16, 0, 16, 212),
    MAC("gmac-aes-{128,256}", 0, 0, 12, 16, 401),
    MAC("poly1305", 32, 32, 0, 16, 501),
    CBC_MAC_ROW("cbc-mac-aes-{128,256}", AES),
    CBC_MAC_ROW("cbc-mac-camellia-128", CAMELLIA),
    CBC_MAC_ROW("cbc-mac-serpent-128", SERPENT),
    CBC_MAC_ROW("cbc-mac-twofish-128", TWOFISH),

    HASH_AND_HMAC("md5", 16, 1, 106),
    HASH_AND_HMAC("sha1", 20, 2, 105),
    HASH("ripemd160", 20, 3),
    HASH_AND_HMAC("sha224", 28, 11, 102),
    HASH_AND_HMAC("sha256", 32, 8, 101),
    HASH_AND_HMAC("sha384", 48, 9, 104),
    HASH_AND_HMAC("sha512", 64, 10, 103),
    HASH("sha512-256", 32, 327),
    HASH("sha3-224", 28, 312),
    HASH_AND_HMAC("sha3-256", 32, 313, 116),
    HASH("sha3-384", 48, 314),
    HASH_AND_HMAC("sha3-512", 64, 315, 118),
    HASH("blake2b-512", 64, 318),
    HASH("blake2s-256", 32, 322),
    HASH("sm3", 32, 326),
};

/* ---- What the library is told, and says of itself --------------------------------------------- */

/* Names of ours, which older plans have, with its own. */
static const char *const names[][2] = {
    {"ssse3", "intel-ssse3"}, {"sse4_1", "intel-sse4.1"}, {"pclmulqdq", "intel-pclmul"},
    {"aes", "intel-aesni"},   {"avx", "intel-avx"},       {"bmi2", "intel-bmi2"},
    {"avx2", "intel-avx2"},   {"sha_ni", "intel-shaext"}, {"gfni", "intel-gfni"},
    {"vaes", "intel-vaes-vpclmul"},                       {"avx512", "intel-avx512"},
};

/* Tells it which features of the processor to leave alone: it reads no variable. A version that does
 * not know a name makes no use of the feature either, so that its error is none. */
static void hide(void)
{
    enum { DISABLE_FEATURE = 63 };
    const char *list = getenv("CIPHERMARK_LIBGCRYPT_OFF");
    size_t i;
    while (list != NULL && *list != '\0') {
        char name[32];
        size_t length = strcspn(list, ",");
        if (length < sizeof name) {
            memcpy(name, list, length);
            name[length] = '\0';
            for (i = 0; i < COUNT_OF(names); i++)
                if (strcmp(name, names[i][0]) == 0)
                    gcry_control(DISABLE_FEATURE, names[i][1], (char *)NULL);
            gcry_control(DISABLE_FEATURE, name, (char *)NULL);
        }
        list += length + (list[length] == ',');
    }
}

int ciphermark_open(void *library, char *words, size_t bytes)
{
    /* No locked memory: it is scarce, and the keys here are nobody's. */
    enum { DISABLE_SECMEM = 37, INITIALIZATION_FINISHED = 38 };
    static const int commands[] = {DISABLE_SECMEM, INITIALIZATION_FINISHED};
    size_t i;
    if (find(library, "gcry_control", &gcry_control))
        hide();
    FIND(const char *, gcry_check_version, (const char *))
    if (gcry_check_version("1.8.0") == NULL) {
        snprintf(words, bytes, "libgcrypt %s", gcry_check_version(NULL));
        return TOO_OLD;
    }
    FUNCTIONS(FIND)
    for (i = 0; i < COUNT_OF(commands); i++) {
        status answer = gcry_control(commands[i], 0);
        if (answer != 0) {
            snprintf(words, bytes, "cannot be initialised (%s)", gcry_strerror(answer));
            return UNUSABLE;
        }
    }
    return OPENED;
}

/* Compiler, features of the processor that are used, and whether FIPS mode is on. */
static const char *configuration(void)
{
    static const char *const lines[] = {"cc", "hwflist", "fips-mode"};
    static char text[1024];
    size_t used = 0, i;
    for (i = 0; i < COUNT_OF(lines); i++) {
        char *line = gcry_get_config(0, lines[i]);
        size_t length = line == NULL ? 0 : strcspn(line, "\n");
        if (length > 0 && used + length + 3 < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%.*s",
                                     used == 0 ? "" : "; ", (int)length, line);
        gcry_free(line);
    }
    return text;
}

const struct ciphermark_library *ciphermark_library(void)
{
    static struct ciphermark_library library = LIBRARY(.renew = NULL);
    library.library_version = gcry_check_version(NULL);
    library.build = configuration();
    library.inside = (void (*)(void))gcry_control;
    return &library;
}
