/*
 * libsodium 1.0.12 and later. Names and types are those of the headers of 1.0.12, which later versions
 * keep. Its functions take plain memory, and states whose sizes it tells.
 */
#include "opened.h"

typedef unsigned long long length;
typedef int seal_function(uint8_t *output, length *written, const uint8_t *text, length text_bytes,
                          const uint8_t *aad, length aad_bytes, const uint8_t *none,
                          const uint8_t *nonce, const void *key);
typedef int open_function(uint8_t *output, length *written, uint8_t *none, const uint8_t *sealed,
                          length sealed_bytes, const uint8_t *aad, length aad_bytes,
                          const uint8_t *nonce, const void *key);

#define STATE(F, name, INIT) \
    F(size_t, name##_statebytes, (void)) \
    F(int, name##_init, INIT) \
    F(int, name##_update, (void *, const uint8_t *, length))
#define HASHED(F, name) \
    F(int, name, (uint8_t *, const uint8_t *, length)) \
    STATE(F, name, (void *)) \
    F(int, name##_final, (void *, uint8_t *))
#define HMACED(F, name) \
    STATE(F, name, (void *, const uint8_t *, size_t)) \
    F(int, name##_final, (void *, uint8_t *))
#define FUNCTIONS(F) \
    F(const char *, sodium_version_string, (void)) \
    F(int, sodium_memcmp, (const void *, const void *, size_t)) \
    F(int, sodium_runtime_has_neon, (void)) \
    F(int, sodium_runtime_has_sse2, (void)) \
    F(int, sodium_runtime_has_ssse3, (void)) \
    F(int, sodium_runtime_has_sse41, (void)) \
    F(int, sodium_runtime_has_avx, (void)) \
    F(int, sodium_runtime_has_avx2, (void)) \
    F(int, sodium_runtime_has_avx512f, (void)) \
    F(int, sodium_runtime_has_pclmul, (void)) \
    F(int, sodium_runtime_has_aesni, (void)) \
    F(int, crypto_aead_aes256gcm_is_available, (void)) \
    F(size_t, crypto_aead_aes256gcm_statebytes, (void)) \
    F(int, crypto_aead_aes256gcm_beforenm, (void *, const uint8_t *)) \
    F(int, crypto_stream_chacha20_ietf, (uint8_t *, length, const uint8_t *, const uint8_t *)) \
    F(int, crypto_stream_xchacha20, (uint8_t *, length, const uint8_t *, const uint8_t *)) \
    F(int, crypto_onetimeauth, (uint8_t *, const uint8_t *, length, const uint8_t *)) \
    STATE(F, crypto_onetimeauth, (void *, const uint8_t *)) \
    F(int, crypto_onetimeauth_final, (void *, uint8_t *)) \
    F(int, crypto_shorthash, (uint8_t *, const uint8_t *, length, const uint8_t *)) \
    F(int, crypto_shorthash_siphashx24, (uint8_t *, const uint8_t *, length, const uint8_t *)) \
    HMACED(F, crypto_auth_hmacsha256) \
    HMACED(F, crypto_auth_hmacsha512) \
    F(int, crypto_generichash, (uint8_t *, size_t, const uint8_t *, length, const uint8_t *, size_t)) \
    STATE(F, crypto_generichash, (void *, const uint8_t *, size_t, size_t)) \
    F(int, crypto_generichash_final, (void *, uint8_t *, size_t)) \
    HASHED(F, crypto_hash_sha256) \
    HASHED(F, crypto_hash_sha512)
FUNCTIONS(DECLARE)

static seal_function *crypto_aead_aes256gcm_encrypt_afternm,
    *crypto_aead_chacha20poly1305_ietf_encrypt, *crypto_aead_xchacha20poly1305_ietf_encrypt;
static open_function *crypto_aead_aes256gcm_decrypt_afternm,
    *crypto_aead_chacha20poly1305_ietf_decrypt, *crypto_aead_xchacha20poly1305_ietf_decrypt;

/* Room for any state: the largest, of AES-256-GCM, has 512 bytes, and that of BLAKE2b is aligned to
 * 64. */
struct state {
    uint8_t bytes[512];
};
#define STATE_OF(name, what, type, ...) \
    ROW_OF(name, what, sizeof(type), 64, .lanes = 1, __VA_ARGS__)

/* ---- AEADs: the context is the key, or what was made of it ------------------------------------ */

ANSWERS(INIT(init_aes256gcm),
        crypto_aead_aes256gcm_is_available() == 1 ? CIPHERMARK_DONE : CIPHERMARK_UNSUPPORTED)

ANSWERS(SET_KEY(set_aes256gcm_key), crypto_aead_aes256gcm_beforenm(context, key))

/* With lengths that are right there is no other reason than the tag for `decrypt` to fail. */
#define AEAD_FUNCTIONS(name, encrypt, decrypt) \
    ANSWERS(PROCESS(seal_##name), \
            encrypt(m->output, NULL, m->input, m->input_bytes, m->aad, m->aad_bytes, NULL, \
                    m->nonce, context)) \
    ANSWERS(PROCESS(open_##name), \
            opened_if(decrypt(m->output, NULL, NULL, m->input, m->input_bytes, m->aad, \
                              m->aad_bytes, m->nonce, context) == 0))
AEAD_FUNCTIONS(aes256gcm, crypto_aead_aes256gcm_encrypt_afternm,
               crypto_aead_aes256gcm_decrypt_afternm)
AEAD_FUNCTIONS(chacha20poly1305, crypto_aead_chacha20poly1305_ietf_encrypt,
               crypto_aead_chacha20poly1305_ietf_decrypt)
AEAD_FUNCTIONS(xchacha20poly1305, crypto_aead_xchacha20poly1305_ietf_encrypt,
               crypto_aead_xchacha20poly1305_ietf_decrypt)

#define AEAD_ROW(name, what, nonce, run, start, set) \
    STATE_OF(name, what, struct state, KEY(32), NONCE(nonce), .tag_bytes = 16, \
             .init = start, .set_key = set, .process = run)
#define AEAD(name, nonce, function, start, set) \
    AEAD_ROW(name, SEAL, nonce, seal_##function, start, set), \
    AEAD_ROW(name, OPEN, nonce, open_##function, start, set)

/* ---- Functions of one call: keystreams, Poly1305, SipHash, hashes ----------------------------- */

#define KEYSTREAM_FUNCTION(name) \
    ANSWERS(PROCESS(run_##name), name(m->output, m->output_bytes, m->nonce, context))
KEYSTREAM_FUNCTION(crypto_stream_chacha20_ietf)
KEYSTREAM_FUNCTION(crypto_stream_xchacha20)
#define KEYSTREAM(name, nonce, function) \
    ROW(name, CIPHERMARK_KEYSTREAM, uint8_t[32], KEY(32), NONCE(nonce), \
        .set_key = copy_key, .process = run_##function)

#define MAC_FUNCTION(name) \
    ANSWERS(PROCESS(mac_##name), name(m->output, m->input, m->input_bytes, context))
MAC_FUNCTION(crypto_shorthash)
MAC_FUNCTION(crypto_shorthash_siphashx24)

/* A message in parts, after `start` of a state; `head` is CHUNKS or PIECES. */
#define IN_PARTS(head, name, start, finish) \
    head \
    { \
        struct keyed *keyed = context; \
        void *state = keyed->working.bytes; \
        start; \
        EACH_INPUT(m, chunk_bytes, 1, TRY(name##_update(state, input, n))); \
        return finish; \
    }

/* A MAC's state after the key, or the key itself, and a state that a message is taken into. */
struct keyed {
    struct state working, key;
    size_t state_bytes;
};

ANSWERS(PROCESS(mac_crypto_onetimeauth),
        crypto_onetimeauth(m->output, m->input, m->input_bytes,
                           ((const struct keyed *)context)->key.bytes))

ANSWERS(SET_KEY(set_onetimeauth_key),
        copy_key(self, ((struct keyed *)context)->key.bytes, key, key_bytes))

IN_PARTS(CHUNKS(mac_crypto_onetimeauth), crypto_onetimeauth,
         TRY(crypto_onetimeauth_init(state, keyed->key.bytes)),
         crypto_onetimeauth_final(state, m->output))

#define HASH_FUNCTIONS(name) \
    ANSWERS(PROCESS(digest_##name), name(m->output, m->input, m->input_bytes)) \
    IN_PARTS(CHUNKS(digest_##name), name, TRY(name##_init(state)), name##_final(state, m->output))
HASH_FUNCTIONS(crypto_hash_sha256)
HASH_FUNCTIONS(crypto_hash_sha512)

#define BLAKE2B_BYTES 64
ANSWERS(PROCESS(digest_blake2b),
        crypto_generichash(m->output, BLAKE2B_BYTES, m->input, m->input_bytes, NULL, 0))
IN_PARTS(CHUNKS(digest_blake2b), crypto_generichash,
         TRY(crypto_generichash_init(state, NULL, 0, BLAKE2B_BYTES)),
         crypto_generichash_final(state, m->output, BLAKE2B_BYTES))

#define HASH(name, tag, run) \
    STATE_OF(name, CIPHERMARK_DIGEST, struct keyed, .tag_bytes = tag, IN_PIECES(run), \
             .takes_repeats = 1)

/* ---- MACs whose state after the key is kept --------------------------------------------------- */

#define KEPT(run, name, key_and_sizes, finish) \
    SET_KEY(set_##run##_key) \
    { \
        struct keyed *keyed = context; \
        void *state = keyed->key.bytes; \
        keyed->state_bytes = name##_statebytes(); \
        return name##_init key_and_sizes; \
    } \
    IN_PARTS(PIECES(run), name, memcpy(state, keyed->key.bytes, keyed->state_bytes), finish)
KEPT(mac_hmac_sha256, crypto_auth_hmacsha256, (state, key, key_bytes),
     crypto_auth_hmacsha256_final(state, m->output))
KEPT(mac_hmac_sha512, crypto_auth_hmacsha512, (state, key, key_bytes),
     crypto_auth_hmacsha512_final(state, m->output))
KEPT(mac_blake2b, crypto_generichash, (state, key, key_bytes, BLAKE2B_BYTES),
     crypto_generichash_final(state, m->output, BLAKE2B_BYTES))

#define MAC(name, tag, run, set, ...) \
    STATE_OF(name, CIPHERMARK_MAC, struct keyed, .tag_bytes = tag, .set_key = set, IN_PIECES(run), \
             .takes_repeats = 1, __VA_ARGS__)

/* ---- The table -------------------------------------------------------------------------------- */

static const struct ciphermark_function functions[] = {
    AEAD("aes-256-gcm", 12, aes256gcm, init_aes256gcm, set_aes256gcm_key),
    AEAD("chacha20-poly1305", 12, chacha20poly1305, NULL, copy_key),
    AEAD("xchacha20-poly1305", 24, xchacha20poly1305, NULL, copy_key),
    KEYSTREAM("chacha20", 12, crypto_stream_chacha20_ietf),
    KEYSTREAM("xchacha20", 24, crypto_stream_xchacha20),
    MAC("poly1305", 16, mac_crypto_onetimeauth, set_onetimeauth_key, KEY(32)),
    ROW("siphash-2-4-64", CIPHERMARK_MAC, uint8_t[16], KEY(16), .tag_bytes = 8,
        .set_key = copy_key, .process = mac_crypto_shorthash),
    ROW("siphash-2-4-128", CIPHERMARK_MAC, uint8_t[16], KEY(16), .tag_bytes = 16,
        .set_key = copy_key, .process = mac_crypto_shorthash_siphashx24),
    MAC("blake2b-mac-512", 64, mac_blake2b, set_mac_blake2b_key, KEY(32)),
    MAC("hmac-sha256", 32, mac_hmac_sha256, set_mac_hmac_sha256_key, ANY_KEY),
    MAC("hmac-sha512", 64, mac_hmac_sha512, set_mac_hmac_sha512_key, ANY_KEY),
    HASH("blake2b-512", BLAKE2B_BYTES, digest_blake2b),
    HASH("sha256", 32, digest_crypto_hash_sha256),
    HASH("sha512", 64, digest_crypto_hash_sha512),
};

/* ---- What the library says of itself ---------------------------------------------------------- */

int ciphermark_open(void *library, char *words, size_t bytes)
{
    size_t (*const *of_states[])(void) = {
        &crypto_aead_aes256gcm_statebytes, &crypto_onetimeauth_statebytes,
        &crypto_auth_hmacsha256_statebytes, &crypto_auth_hmacsha512_statebytes,
        &crypto_generichash_statebytes, &crypto_hash_sha256_statebytes,
        &crypto_hash_sha512_statebytes,
    };
    int (*sodium_init)(void);
    size_t i;
    FIND(int, sodium_init, (void))
    if (sodium_init() < 0)
        return say(words, bytes, UNUSABLE, "cannot be initialised (sodium_init fails)");
    FUNCTIONS(FIND)
    FIND(, crypto_aead_aes256gcm_encrypt_afternm, )
    FIND(, crypto_aead_aes256gcm_decrypt_afternm, )
    FIND(, crypto_aead_chacha20poly1305_ietf_encrypt, )
    FIND(, crypto_aead_chacha20poly1305_ietf_decrypt, )
    FIND(, crypto_aead_xchacha20poly1305_ietf_encrypt, )
    FIND(, crypto_aead_xchacha20poly1305_ietf_decrypt, )
    for (i = 0; i < COUNT_OF(of_states); i++)
        if ((*of_states[i])() > sizeof(struct state))
            return say(words, bytes, UNUSABLE, "has larger states than the engine knows");
    return OPENED;
}

/* "CPU features: sse2, ssse3, …" */
static const char *features(void)
{
    static char text[128];
    const struct {
        const char *name;
        int (*is_there)(void);
    } all[] = {
        {"neon", sodium_runtime_has_neon},     {"sse2", sodium_runtime_has_sse2},
        {"ssse3", sodium_runtime_has_ssse3},   {"sse4.1", sodium_runtime_has_sse41},
        {"avx", sodium_runtime_has_avx},       {"avx2", sodium_runtime_has_avx2},
        {"avx512f", sodium_runtime_has_avx512f}, {"pclmul", sodium_runtime_has_pclmul},
        {"aesni", sodium_runtime_has_aesni},
    };
    const char *before = "CPU features: ";
    size_t i;
    text[0] = '\0';
    for (i = 0; i < COUNT_OF(all); i++) {
        if (all[i].is_there()) {
            size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "%s%s", before, all[i].name);
            before = ", ";
        }
    }
    return text;
}

TAGS_EQUAL(sodium_memcmp(one, other, bytes) == 0)

const struct ciphermark_library *ciphermark_library(void)
{
    static struct ciphermark_library library = LIBRARY(.tags_equal = tags_equal);
    library.library_version = sodium_version_string();
    library.build = features();
    library.inside = (void (*)(void))sodium_version_string;
    return &library;
}
