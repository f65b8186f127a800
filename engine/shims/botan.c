/*
 * Botan 2.14 and later through its C interface. Names, types and numbers are those of the ffi.h of 2.14,
 * which later versions keep. Objects are made by the names of their algorithms; rows that this version
 * or build lacks are not initialised.
 */
#include <stdlib.h>

#include "opened.h"

/* An object of the library of any kind. */
typedef void *object;

#define FUNCTIONS(F) \
    F(const char *, botan_version_string, (void)) \
    F(int, botan_constant_time_compare, (const uint8_t *, const uint8_t *, size_t)) \
    F(int, botan_cipher_init, (object *, const char *, uint32_t)) \
    F(int, botan_cipher_destroy, (object)) \
    F(int, botan_cipher_valid_nonce_length, (object, size_t)) \
    F(int, botan_cipher_get_update_granularity, (object, size_t *)) \
    F(int, botan_cipher_reset, (object)) \
    F(int, botan_cipher_set_key, (object, const uint8_t *, size_t)) \
    F(int, botan_cipher_set_associated_data, (object, const uint8_t *, size_t)) \
    F(int, botan_cipher_start, (object, const uint8_t *, size_t)) \
    F(int, botan_cipher_update, \
      (object, uint32_t, uint8_t *, size_t, size_t *, const uint8_t *, size_t, size_t *)) \
    F(int, botan_block_cipher_init, (object *, const char *)) \
    F(int, botan_block_cipher_destroy, (object)) \
    F(int, botan_block_cipher_set_key, (object, const uint8_t *, size_t)) \
    F(int, botan_block_cipher_encrypt_blocks, (object, const uint8_t *, uint8_t *, size_t)) \
    F(int, botan_block_cipher_decrypt_blocks, (object, const uint8_t *, uint8_t *, size_t)) \
    F(int, botan_mac_init, (object *, const char *, uint32_t)) \
    F(int, botan_mac_destroy, (object)) \
    F(int, botan_mac_output_length, (object, size_t *)) \
    F(int, botan_mac_set_key, (object, const uint8_t *, size_t)) \
    F(int, botan_mac_update, (object, const uint8_t *, size_t)) \
    F(int, botan_mac_final, (object, uint8_t *)) \
    F(int, botan_hash_init, (object *, const char *, uint32_t)) \
    F(int, botan_hash_destroy, (object)) \
    F(int, botan_hash_output_length, (object, size_t *)) \
    F(int, botan_hash_update, (object, const uint8_t *, size_t)) \
    F(int, botan_hash_final, (object, uint8_t *))
#define VERSION_FUNCTIONS(F) \
    F(uint32_t, botan_version_major, (void)) \
    F(uint32_t, botan_version_minor, (void)) \
    F(uint32_t, botan_version_patch, (void))
FUNCTIONS(DECLARE)
VERSION_FUNCTIONS(DECLARE)
/* Since 3.0; null before. */
static int (*botan_mac_set_nonce)(object, const uint8_t *, size_t);

/* BOTAN_FFI_ERROR_BAD_MAC, …_KEY_NOT_SET, …_NOT_IMPLEMENTED */
enum { BAD_MAC = -2, KEY_NOT_SET = -33, NOT_IMPLEMENTED = -40 };

static inline int called(int status)
{
    return opened(status, BAD_MAC);
}
#define CALL(call) TRY(called(call))

/* What all contexts begin with, so that objects can be made anew. */
struct made {
    object object;
    int (*make)(object *, const char *name, uint32_t flags);
    int (*destroy)(object);
    uint32_t flags;
    int holds_aad; /* associated data, which an object keeps for the messages that follow */
    char name[48];
};

/* BOTAN_CIPHER_INIT_FLAG_…; MACs and hashes have no flags, and 0 for them. */
enum { TO_ENCRYPT = 0, TO_DECRYPT = 1 };

static int make_first(const row *self, struct made *made,
                      int (*make)(object *, const char *, uint32_t), int (*destroy)(object))
{
    int status;
    made->make = make;
    made->destroy = destroy;
    made->flags = receives(self) ? TO_DECRYPT : TO_ENCRYPT;
    snprintf(made->name, sizeof made->name, self->parameters, 8 * (unsigned)self->key_bytes.least,
             15 - (unsigned)self->nonce_bytes.least);
    status = make(&made->object, made->name, made->flags);
    return status == NOT_IMPLEMENTED ? CIPHERMARK_UNSUPPORTED : status;
}

/* Objects are always made by the name of their algorithm. */
static int renew(const row *self UNUSED, void *context, uint32_t what)
{
    struct made *made = context;
    object fresh;
    if (what != CIPHERMARK_LOOKED_UP)
        return CIPHERMARK_UNSUPPORTED;
    TRY(made->make(&fresh, made->name, made->flags));
    made->destroy(made->object);
    made->object = fresh;
    made->holds_aad = 0;
    return CIPHERMARK_DONE;
}

RUNS(RELEASE(release), ((struct made *)context)->destroy(((struct made *)context)->object))

/* ---- Ciphers: every mode and every stream cipher, with authentication or without --------------- */

/* BOTAN_CIPHER_UPDATE_FLAG_FINAL or none. */
enum { MORE = 0, LAST = 1 };

struct cipher {
    struct made made;
    size_t part_bytes; /* data before the last part is given as multiples of so many bytes */
    uint8_t key[16];   /* of RC4 */
};

/* As one part, the last: modes that need all of a message before they answer, CTR and stream ciphers,
 * whose parts have one byte in Botan 2. */
INIT(init_whole)
{
    struct cipher *c = context;
    c->part_bytes = SIZE_MAX;
    TRY(make_first(self, &c->made, botan_cipher_init, botan_cipher_destroy));
    if (botan_cipher_valid_nonce_length(c->made.object, self->nonce_bytes.least) == 1)
        return CIPHERMARK_DONE;
    release(self, context);
    return CIPHERMARK_BAD_NONCE;
}

/* In Botan 2, as whole multiples of what the mode takes and a last part, since it copies the last part
 * byte by byte: this way AES-128-CBC decrypts 16 KiB in a third of the time. Botan 3 is slower with two
 * parts than with one. */
INIT(init_parts)
{
    struct cipher *c = context;
    int status = CIPHERMARK_DONE;
    TRY(init_whole(self, context));
    if (botan_version_major() == 2)
        status = botan_cipher_get_update_granularity(c->made.object, &c->part_bytes);
    if (status != CIPHERMARK_DONE)
        release(self, context);
    return status;
}

ANSWERS(SET_KEY(set_cipher_key),
        botan_cipher_set_key(((struct made *)context)->object, key, key_bytes))

/* In Botan 2 OCB keeps what it made from the last nonce when the key changes, and uses it when that
 * nonce comes again, unless it is reset. */
SET_KEY(set_ocb_key)
{
    struct cipher *c = context;
    TRY(set_cipher_key(self, context, key, key_bytes));
    c->made.holds_aad = 0;
    return botan_cipher_reset(c->made.object);
}

SET_KEY(set_rc4_key)
{
    memcpy(((struct cipher *)context)->key, key, key_bytes);
    return set_cipher_key(self, context, key, key_bytes);
}

/* Turns all of the input into all of the output. */
static inline int update_all(struct cipher *c, uint32_t flags, const uint8_t *input, size_t input_bytes,
                             uint8_t *output, size_t output_bytes)
{
    size_t written = 0, taken = 0;
    CALL(botan_cipher_update(c->made.object, flags, output, output_bytes, &written, input, input_bytes,
                             &taken));
    return written == output_bytes && taken == input_bytes ? CIPHERMARK_DONE : CIPHERMARK_BAD_OUTPUT;
}

static inline size_t lesser(size_t one, size_t other)
{
    return one < other ? one : other;
}

/* A tag to be opened comes with the last piece. What is left of a piece is given again. */
PIECES(crypt)
{
    struct cipher *c = context;
    size_t text_bytes = lesser(m->input_bytes, m->output_bytes);
    size_t arrived = 0, taken = 0, written = 0, left, bulk;
    CALL(botan_cipher_start(c->made.object, m->nonce, m->nonce_bytes));
    while (chunk_bytes < text_bytes - arrived) {
        size_t now_written = 0, now_taken = 0;
        arrived += chunk_bytes;
        CALL(botan_cipher_update(c->made.object, MORE, m->output + written, m->output_bytes - written,
                                 &now_written, m->input + taken, arrived - taken, &now_taken));
        written += now_written;
        taken += now_taken;
    }
    /* The last part is never empty, which CBC would refuse, and on opening it has the tag. */
    left = lesser(m->input_bytes - taken, m->output_bytes - written);
    if (left > c->part_bytes) {
        bulk = (left - 1) / c->part_bytes * c->part_bytes;
        TRY(update_all(c, MORE, m->input + taken, bulk, m->output + written, bulk));
        taken += bulk;
        written += bulk;
    }
    return update_all(c, LAST, m->input + taken, m->input_bytes - taken, m->output + written,
                      m->output_bytes - written);
}

PIECES(crypt_aead)
{
    struct made *made = context;
    if (made->holds_aad || m->aad_bytes > 0) {
        CALL(botan_cipher_set_associated_data(made->object, m->aad, m->aad_bytes));
        made->holds_aad = m->aad_bytes > 0;
    }
    return crypt_chunks(self, context, m, chunk_bytes);
}

/* Zeros, in place: Botan works on a copy. */
PIECES(keystream)
{
    struct cipher *c = context;
    CALL(botan_cipher_start(c->made.object, m->nonce, m->nonce_bytes));
    memset(m->output, 0, m->output_bytes);
    EACH_PIECE(m->output_bytes, chunk_bytes, 1, {
        uint32_t flags = at + n == m->output_bytes ? LAST : MORE;
        TRY(update_all(c, flags, m->output + at, n, m->output + at, n));
    });
    return CIPHERMARK_DONE;
}

/* Its state changes with every byte: only the key brings it back. */
PIECES(rc4_keystream)
{
    struct cipher *c = context;
    CALL(botan_cipher_set_key(c->made.object, c->key, sizeof c->key));
    return keystream_chunks(self, context, m, chunk_bytes);
}

/*
 * What Botan's manual (doc/side_channels.rst) says of algorithms: that the time of AES, Serpent,
 * ChaCha20, IDEA, Poly1305, MD5, SHA and BLAKE2 does not depend on secrets, on any processor. Of
 * Camellia, SM4 and Twofish it says that the portable code looks up tables, while code for some
 * processors does not; so nothing is said of them here.
 */
#define CONSTANT .timing = CIPHERMARK_CONSTANT_TIME
#define UNSTATED .timing = CIPHERMARK_TIMING_UNSTATED

#define CIPHER(name, what, time, key, least, most, by, start, set, ...) \
    ROW(name, what, struct cipher, time, KEY(key), NONCES(least, most), \
        .parameters = by, .init = start, .set_key = set, .release = release, __VA_ARGS__)
#define MODE(name, time, key, iv, by, start) \
    CIPHER(name, ENCRYPT, time, key, iv, iv, by, start, set_cipher_key, IN_PIECES(crypt)), \
    CIPHER(name, DECRYPT, time, key, iv, iv, by, start, set_cipher_key, IN_PIECES(crypt))
/* A sector is the last part of itself, since the part of a block at its end needs the block before. */
#define XTS(name, key, by) \
    CIPHER(name, ENCRYPT, CONSTANT, key, 16, 16, by, init_whole, set_cipher_key, AT_ONCE(crypt)), \
    CIPHER(name, DECRYPT, CONSTANT, key, 16, 16, by, init_whole, set_cipher_key, AT_ONCE(crypt))
#define AEAD(name, time, key, least, most, by, start, set, ...) \
    CIPHER(name, SEAL, time, key, least, most, by, start, set, .tag_bytes = 16, __VA_ARGS__), \
    CIPHER(name, OPEN, time, key, least, most, by, start, set, .tag_bytes = 16, __VA_ARGS__)
#define PIECES_AEAD(name, time, key, least, most, by, set) \
    AEAD(name, time, key, least, most, by, init_parts, set, IN_PIECES(crypt_aead))
#define WHOLE_AEAD(name, time, key, least, most, by) \
    AEAD(name, time, key, least, most, by, init_whole, set_cipher_key, .process = crypt_aead)
#define KEYSTREAM(name, time, key, nonce, by, set, run) \
    CIPHER(name, CIPHERMARK_KEYSTREAM, time, key, nonce, nonce, by, init_whole, set, IN_PIECES(run))

/* ---- Block ciphers without a mode -------------------------------------------------------------- */

ANSWERS(static int make_block_cipher(object *fresh, const char *name, uint32_t flags UNUSED),
        botan_block_cipher_init(fresh, name))

ANSWERS(INIT(init_block_cipher),
        make_first(self, context, make_block_cipher, botan_block_cipher_destroy))

ANSWERS(SET_KEY(set_block_key),
        botan_block_cipher_set_key(((struct made *)context)->object, key, key_bytes))

#define BLOCKS(run, direction, block_bytes) \
    PIECES(run) \
    { \
        struct made *made = context; \
        EACH_PIECE(m->input_bytes, chunk_bytes, 1, \
                   CALL(botan_block_cipher_##direction##_blocks(made->object, m->input + at, \
                                                                m->output + at, n / block_bytes))); \
        return CIPHERMARK_DONE; \
    }
BLOCKS(encrypt_16, encrypt, 16)
BLOCKS(decrypt_16, decrypt, 16)
BLOCKS(encrypt_8, encrypt, 8)
BLOCKS(decrypt_8, decrypt, 8)

#define BLOCK_ROW(name, what, time, key, by, run) \
    ROW(name, what, struct made, time, KEY(key), .parameters = by, \
        .init = init_block_cipher, .set_key = set_block_key, IN_PIECES(run), .release = release)
#define ECB(name, time, key, block, by) \
    BLOCK_ROW(name "-ecb", ENCRYPT, time, key, by, encrypt_##block), \
    BLOCK_ROW(name "-ecb", DECRYPT, time, key, by, decrypt_##block)
#define BLOCK_CIPHER(name, time, key, by) \
    ECB(name, time, key, 16, by), MODE(name "-cbc", time, key, 16, by "/CBC/NoPadding", init_parts), \
    MODE(name "-ctr", time, key, 16, "CTR-BE(" by ")", init_whole)

/* ---- MACs -------------------------------------------------------------------------------------- */

struct mac {
    struct made made;
    int given_again; /* whether the key serves one message, as Poly1305's should */
    size_t key_bytes;
    uint8_t key[64];
};

/* Gives an object back whose answers have another length than the row's. */
static int check_length(const row *self, struct made *made, int (*length_of)(object, size_t *))
{
    size_t length = 0;
    int status = length_of(made->object, &length);
    if (status == 0 && length == self->tag_bytes)
        return CIPHERMARK_DONE;
    release(self, made);
    return status == 0 ? CIPHERMARK_UNSUPPORTED : status;
}

/* Whether a second message is refused for want of a key. */
static int forgets_key(const row *self, object mac)
{
    static const uint8_t zero[64];
    uint8_t tag[64];
    return self->key_bytes.least > 0 && self->nonce_bytes.least == 0 &&
           botan_mac_set_key(mac, zero, self->key_bytes.least) == 0 &&
           botan_mac_update(mac, zero, 0) == 0 && botan_mac_final(mac, tag) == 0 &&
           (botan_mac_update(mac, zero, 0) == KEY_NOT_SET || botan_mac_final(mac, tag) == KEY_NOT_SET);
}

INIT(init_mac)
{
    struct mac *mac = context;
    if (self->nonce_bytes.least > 0 && botan_mac_set_nonce == NULL)
        return CIPHERMARK_UNSUPPORTED;
    TRY(make_first(self, &mac->made, botan_mac_init, botan_mac_destroy));
    TRY(check_length(self, &mac->made, botan_mac_output_length));
    mac->given_again = forgets_key(self, mac->made.object);
    return CIPHERMARK_DONE;
}

SET_KEY(set_mac_key)
{
    struct mac *mac = context;
    if (mac->given_again) {
        memcpy(mac->key, key, key_bytes);
        mac->key_bytes = key_bytes;
    }
    return botan_mac_set_key(mac->made.object, key, key_bytes);
}

PIECES(mac)
{
    struct mac *mac = context;
    if (mac->given_again)
        CALL(botan_mac_set_key(mac->made.object, mac->key, mac->key_bytes));
    if (m->nonce_bytes > 0)
        CALL(botan_mac_set_nonce(mac->made.object, m->nonce, m->nonce_bytes));
    EACH_INPUT(m, chunk_bytes, 1, CALL(botan_mac_update(mac->made.object, input, n)));
    return called(botan_mac_final(mac->made.object, m->output));
}

#define MAC_ROW(name, time, least, most, nonce, tag, by) \
    ROW(name, CIPHERMARK_MAC, struct mac, time, .key_bytes = {least, most}, \
        NONCE(nonce), .tag_bytes = tag, .takes_repeats = 1, .parameters = by, \
        .init = init_mac, .set_key = set_mac_key, IN_PIECES(mac), .release = release)
#define MAC(name, time, key, nonce, tag, by) MAC_ROW(name, time, key, key, nonce, tag, by)
#define HMAC(name, tag, by) MAC_ROW(name, CONSTANT, 0, SIZE_MAX, 0, tag, "HMAC(" by ")")

/* ---- Hashes ------------------------------------------------------------------------------------ */

INIT(init_hash)
{
    TRY(make_first(self, context, botan_hash_init, botan_hash_destroy));
    return check_length(self, context, botan_hash_output_length);
}

PIECES(digest)
{
    struct made *made = context;
    EACH_INPUT(m, chunk_bytes, 1, CALL(botan_hash_update(made->object, input, n)));
    return called(botan_hash_final(made->object, m->output));
}

#define HASH(name, time, tag, by) \
    ROW(name, CIPHERMARK_DIGEST, struct made, time, .tag_bytes = tag, .takes_repeats = 1, \
        .parameters = by, .init = init_hash, IN_PIECES(digest), .release = release)

/* ---- The table: `%u` stands for the bits of a key, and in CCM for the bytes of a length --------- */

#define HASH_AND_HMAC(name, tag, by) \
    HASH(name, CONSTANT, tag, by), MAC_ROW("hmac-" name, CONSTANT, 0, SIZE_MAX, 0, tag, "HMAC(" by ")")

static const struct ciphermark_function functions[] = {
    BLOCK_CIPHER("aes-{128,192,256}", CONSTANT, 0, "AES-%u"),
    XTS("aes-128-xts", 32, "AES-128/XTS"),
    XTS("aes-256-xts", 64, "AES-256/XTS"),
    BLOCK_CIPHER("camellia-{128,192,256}", UNSTATED, 0, "Camellia-%u"),
    BLOCK_CIPHER("twofish-{128,192,256}", UNSTATED, 0, "Twofish"),
    BLOCK_CIPHER("serpent-{128,192,256}", CONSTANT, 0, "Serpent"),
    BLOCK_CIPHER("sm4", UNSTATED, 16, "SM4"),
    ECB("idea", CONSTANT, 16, 8, "IDEA"),
    MODE("idea-cbc", CONSTANT, 16, 8, "IDEA/CBC/NoPadding", init_parts),
    ECB("kasumi", UNSTATED, 16, 8, "KASUMI"),
    ECB("xtea", UNSTATED, 16, 8, "XTEA"),
    KEYSTREAM("chacha20", CONSTANT, 32, 12, "ChaCha(20)", set_cipher_key, keystream),
    KEYSTREAM("xchacha20", CONSTANT, 32, 24, "ChaCha(20)", set_cipher_key, keystream),
    KEYSTREAM("rc4-128", UNSTATED, 16, 0, "RC4", set_rc4_key, rc4_keystream),

    PIECES_AEAD("aes-{128,192,256}-gcm", CONSTANT, 0, 1, SIZE_MAX, "AES-%u/GCM", set_cipher_key),
    PIECES_AEAD("camellia-{128,256}-gcm", UNSTATED, 0, 1, SIZE_MAX, "Camellia-%u/GCM", set_cipher_key),
    PIECES_AEAD("sm4-gcm", UNSTATED, 16, 1, SIZE_MAX, "SM4/GCM", set_cipher_key),
    WHOLE_AEAD("aes-{128,256}-ccm", CONSTANT, 0, 7, 13, "AES-%u/CCM(16,%u)"),
    PIECES_AEAD("aes-{128,256}-ocb", CONSTANT, 0, 1, 15, "AES-%u/OCB", set_ocb_key),
    WHOLE_AEAD("aes-{128,256}-gcm-siv", CONSTANT, 0, 12, 12, "AES-%u/GCM-SIV"),
    /* With nonces of other lengths they are other functions. */
    PIECES_AEAD("chacha20-poly1305", CONSTANT, 32, 12, 12, "ChaCha20Poly1305", set_cipher_key),
    PIECES_AEAD("xchacha20-poly1305", CONSTANT, 32, 24, 24, "ChaCha20Poly1305", set_cipher_key),
    PIECES_AEAD("ascon-aead128", UNSTATED, 16, 16, 16, "Ascon-AEAD128", set_cipher_key),

    MAC("cmac-aes-{128,192,256}", CONSTANT, 0, 0, 16, "CMAC(AES-%u)"),
    MAC("cmac-camellia-{128,256}", UNSTATED, 0, 0, 16, "CMAC(Camellia-%u)"),
    MAC("cmac-twofish-{128,256}", UNSTATED, 0, 0, 16, "CMAC(Twofish)"),
    MAC("cmac-serpent-{128,256}", CONSTANT, 0, 0, 16, "CMAC(Serpent)"),
    MAC("cmac-sm4", UNSTATED, 16, 0, 16, "CMAC(SM4)"),
    MAC("cbc-mac-aes-{128,256}", CONSTANT, 0, 0, 16, "CBC-MAC(AES-%u)"),
    MAC("cbc-mac-camellia-128", UNSTATED, 16, 0, 16, "CBC-MAC(Camellia-128)"),
    MAC("cbc-mac-serpent-128", CONSTANT, 16, 0, 16, "CBC-MAC(Serpent)"),
    MAC("cbc-mac-twofish-128", UNSTATED, 16, 0, 16, "CBC-MAC(Twofish)"),
    MAC("gmac-aes-{128,256}", CONSTANT, 0, 12, 16, "GMAC(AES-%u)"),
    MAC("poly1305", CONSTANT, 32, 0, 16, "Poly1305"),
    MAC("siphash-2-4-64", UNSTATED, 16, 0, 8, "SipHash(2,4)"),
    MAC("kmac128", UNSTATED, 16, 0, 32, "KMAC-128(256)"),
    MAC("kmac256", UNSTATED, 32, 0, 64, "KMAC-256(512)"),
    MAC("blake2b-mac-512", CONSTANT, 32, 0, 64, "BLAKE2b(512)"),

    HASH_AND_HMAC("md5", 16, "MD5"),
    HASH_AND_HMAC("sha1", 20, "SHA-1"),
    HASH("ripemd160", UNSTATED, 20, "RIPEMD-160"),
    HASH_AND_HMAC("sha224", 28, "SHA-224"),
    HASH_AND_HMAC("sha256", 32, "SHA-256"),
    HASH_AND_HMAC("sha384", 48, "SHA-384"),
    HASH_AND_HMAC("sha512", 64, "SHA-512"),
    HASH("sha512-256", CONSTANT, 32, "SHA-512-256"),
    HASH("sha3-224", CONSTANT, 28, "SHA-3(224)"),
    HASH_AND_HMAC("sha3-256", 32, "SHA-3(256)"),
    HASH("sha3-384", CONSTANT, 48, "SHA-3(384)"),
    HASH_AND_HMAC("sha3-512", 64, "SHA-3(512)"),
    HASH("blake2b-512", CONSTANT, 64, "BLAKE2b(512)"),
    HASH("blake2s-256", CONSTANT, 32, "BLAKE2s(256)"),
    HASH("sm3", UNSTATED, 32, "SM3"),
    HASH("ascon-hash256", UNSTATED, 32, "Ascon-Hash256"),
};

/* ---- What the library is told, and says of itself ---------------------------------------------- */

#define BIT(number) ((uint64_t)1 << (number))

/* Names of Botan 3 with the bits that stand for them in Botan 2.17 to 2.19 (botan/cpuid.h). */
static const struct {
    const char *name;
    uint64_t bits;
} features[] = {
#if defined(__x86_64__)
    {"sse2", BIT(0)},       {"ssse3", BIT(1)},       {"clmul", BIT(17)},
    {"aesni", BIT(16)},     {"bmi2", BIT(51)},       {"adx", BIT(49)},
    {"avx2", BIT(4)},       {"intel_sha", BIT(20)},  {"avx2_clmul", BIT(22)},
    {"avx512_clmul", BIT(22)}, {"avx2_vaes", BIT(21)}, {"avx512_aes", BIT(21)},
    /* The sets F, DQ and BW, and all of those of Ice Lake. */
    {"avx512", BIT(5) | BIT(6) | BIT(7) | BIT(11)},
#elif defined(__aarch64__)
    {"neon", BIT(0)},       {"armv8pmull", BIT(17)}, {"armv8aes", BIT(16)},
    {"armv8sha1", BIT(18)}, {"armv8sha2", BIT(19)},  {"armv8sha2_512", BIT(21)},
    {"armv8sha3", BIT(20)}, {"armv8sm3", BIT(22)},   {"armv8sm4", BIT(23)},
    {"arm_sve", BIT(1)},
#else
    {"", 0},
#endif
};

/*
 * Botan 3 reads the variable. Botan 2 reads none, and its C interface has no such call; its C++ interface has
 * Botan::CPUID::clear_cpuid_bit, which is inlined into callers and clears a bit of a variable in the library.
 * That variable is found by its name and written here. The only other way is a caller in C++, compiled with
 * Botan's headers, which names the same variable by the same symbol.
 *
 * In a build of Botan that does not export the variable, or that has something else where its members are in
 * the versions above, nothing is hidden and the library is refused.
 */
struct cpuid {
    uint64_t features;
    size_t cache_line_bytes;
};

/* Every processor that these builds are for has it. */
#if defined(__x86_64__) || defined(__aarch64__)
#define ALWAYS_THERE BIT(0)
#else
#define ALWAYS_THERE 0
#endif

static int is_cpuid(const struct cpuid *state)
{
    size_t line = state->cache_line_bytes;
    return (state->features & ALWAYS_THERE) == ALWAYS_THERE && line >= 16 && line <= 1024 &&
           (line & (line - 1)) == 0;
}

static int hide(void *library)
{
    const char *list = getenv("BOTAN_CLEAR_CPUID");
    void (*initialize)(void);
    struct cpuid *state;
    uint64_t bits = 0;
    size_t i;
    for (i = 0; i < COUNT_OF(features); i++)
        if (lists(list, features[i].name))
            bits |= features[i].bits;
    if (bits == 0)
        return 1;
    if (botan_version_minor() < 17 || !find(library, "_ZN5Botan5CPUID10initializeEv", &initialize) ||
        !find(library, "_ZZN5Botan5CPUID5stateEvE7g_cpuid", &state))
        return 0;
    initialize();
    if (!is_cpuid(state))
        return 0;
    state->features &= ~bits;
    return 1;
}

static char version[32];

int ciphermark_open(void *library, char *words, size_t bytes)
{
    uint32_t major, minor;
    VERSION_FUNCTIONS(FIND)
    major = botan_version_major();
    minor = botan_version_minor();
    snprintf(version, sizeof version, "%u.%u.%u", (unsigned)major, (unsigned)minor,
             (unsigned)botan_version_patch());
    /* With 2.14 all code paths of AES became independent of secrets. */
    if (major < 2 || (major == 2 && minor < 14)) {
        snprintf(words, bytes, "Botan %s", version);
        return TOO_OLD;
    }
    if (major > 3) {
        snprintf(words, bytes, "is Botan %s, newer than 2 and 3, which ciphermark was tried with",
                 version);
        return UNUSABLE;
    }
    if (major == 2 && !hide(library))
        return say(words, bytes, UNUSABLE, "takes no notice of BOTAN_CLEAR_CPUID, which is set");
    FUNCTIONS(FIND)
    find(library, "botan_mac_set_nonce", &botan_mac_set_nonce);
    return OPENED;
}

TAGS_EQUAL(botan_constant_time_compare(one, other, bytes) == 0)

const struct ciphermark_library *ciphermark_library(void)
{
    static struct ciphermark_library library = LIBRARY(.tags_equal = tags_equal, .renew = renew);
    library.library_version = version;
    library.build = botan_version_string();
    library.inside = (void (*)(void))botan_version_string;
    return &library;
}
