/*
 * LibTomCrypt 1.18. Linked with -ltomcrypt.
 *
 * The library names its ciphers and hashes by their places in a table, which they are entered into
 * when it is started; a row's parameter is the descriptor, and its context begins with the place.
 *
 * Not all that it offers can keep a key. HMAC, OCB and f8 take it with each message, so that its
 * expansion is timed there and `setup` only stores it. The state of other MACs and streams is spent
 * with the message; it is plain data, so the keyed one is kept and a copy of it is used.
 */
#include <stdio.h>
#include <string.h>

#include <tomcrypt.h>

#include "pieces.h"
#include "shim.h"

#if CRYPT != 0x0118
#error "the headers are not those of LibTomCrypt 1.18"
#endif
#define HEADERS SCRYPT

INIT(init_cipher)
{
    int *place = context;
    *place = register_cipher(self->parameters);
    return *place < 0 ? CRYPT_INVALID_CIPHER : CIPHERMARK_DONE;
}

INIT(init_hash)
{
    int *place = context;
    *place = register_hash(self->parameters);
    return *place < 0 ? CRYPT_INVALID_HASH : CIPHERMARK_DONE;
}

/* The IV that a mode has to be started with; each message sets its own. */
static const unsigned char no_iv[MAXBLOCKSIZE];

/* Defines the context of a mode or MAC with a cipher, in which the library's state of it is kept, and
 * the function that sets a key there. */
#define KEYED(name, type, ...) \
    struct name { \
        int cipher; \
        type state; \
    }; \
    SET_KEY(set_##name##_key) \
    { \
        struct name *keyed = context; \
        return __VA_ARGS__; \
    }

/* ---- Block ciphers ------------------------------------------------------------------------ */

KEYED(ecb, symmetric_ECB, ecb_start(keyed->cipher, key, (int)key_bytes, 0, &keyed->state))
KEYED(cbc, symmetric_CBC, cbc_start(keyed->cipher, no_iv, key, (int)key_bytes, 0, &keyed->state))
KEYED(ctr, symmetric_CTR,
      ctr_start(keyed->cipher, no_iv, key, (int)key_bytes, 0, CTR_COUNTER_BIG_ENDIAN,
                &keyed->state))

/* `start` is what makes the mode ready for a message. */
#define MODE_FUNCTION(run, mode, start, crypt) \
    PIECES(run) \
    { \
        struct mode *keyed = context; \
        start; \
        EACH_PIECE(m->input_bytes, chunk_bytes, 1, \
                   TRY(crypt(m->input + at, m->output + at, n, &keyed->state))); \
        return CRYPT_OK; \
    }
#define IV_MODE_FUNCTION(run, mode, crypt) \
    MODE_FUNCTION(run, mode, TRY(mode##_setiv(m->nonce, m->nonce_bytes, &keyed->state)), crypt)
MODE_FUNCTION(encrypt_ecb, ecb, , ecb_encrypt)
MODE_FUNCTION(decrypt_ecb, ecb, , ecb_decrypt)
IV_MODE_FUNCTION(encrypt_cbc, cbc, cbc_encrypt)
IV_MODE_FUNCTION(decrypt_cbc, cbc, cbc_decrypt)
/* In both directions. */
IV_MODE_FUNCTION(crypt_ctr, ctr, ctr_encrypt)

KEYED(xts, symmetric_xts,
      xts_start(keyed->cipher, key, key + key_bytes / 2, key_bytes / 2, 0, &keyed->state))

/* The library changes the tweak. */
#define XTS_FUNCTION(run) \
    PROCESS(shim_##run) \
    { \
        struct xts *keyed = context; \
        unsigned char tweak[16]; \
        memcpy(tweak, m->nonce, sizeof tweak); \
        return run(m->input, m->input_bytes, m->output, tweak, &keyed->state); \
    }
XTS_FUNCTION(xts_encrypt)
XTS_FUNCTION(xts_decrypt)

/* ---- Authenticated encryption ----------------------------------------------------------------
 *
 * All tags have 16 bytes. */

#define TAG_BYTES 16

TAGS_EQUAL(!XMEM_NEQ(one, other, bytes))

KEYED(gcm, gcm_state, gcm_init(&keyed->state, keyed->cipher, key, (int)key_bytes))

static int start_gcm(gcm_state *state, const message *m)
{
    TRY(gcm_reset(state));
    TRY(gcm_add_iv(state, m->nonce, m->nonce_bytes));
    return gcm_add_aad(state, m->aad, m->aad_bytes);
}

PIECES(seal_gcm)
{
    gcm_state *state = &((struct gcm *)context)->state;
    unsigned long tag_bytes = TAG_BYTES;
    TRY(start_gcm(state, m));
    EACH_PIECE(m->input_bytes, chunk_bytes, 1,
               TRY(gcm_process(state, (unsigned char *)m->input + at, n, m->output + at,
                               GCM_ENCRYPT)));
    return gcm_done(state, m->output + m->input_bytes, &tag_bytes);
}

PIECES(open_gcm)
{
    gcm_state *state = &((struct gcm *)context)->state;
    unsigned char tag[TAG_BYTES];
    unsigned long tag_bytes = sizeof tag;
    TRY(start_gcm(state, m));
    EACH_PIECE(m->output_bytes, chunk_bytes, 1,
               TRY(gcm_process(state, m->output + at, n, (unsigned char *)m->input + at,
                               GCM_DECRYPT)));
    TRY(gcm_done(state, tag, &tag_bytes));
    return check_tag(m, tag, TAG_BYTES);
}

KEYED(ccm, symmetric_key,
      ((const struct ltc_cipher_descriptor *)self->parameters)->setup(key, (int)key_bytes, 0,
                                                                      &keyed->state))

PROCESS(seal_ccm)
{
    struct ccm *ccm = context;
    unsigned long tag_bytes = TAG_BYTES;
    return ccm_memory(ccm->cipher, NULL, 0, &ccm->state, m->nonce, m->nonce_bytes, m->aad,
                      m->aad_bytes, (unsigned char *)m->input, m->input_bytes, m->output,
                      m->output + m->input_bytes, &tag_bytes, CCM_ENCRYPT);
}

PROCESS(open_ccm)
{
    struct ccm *ccm = context;
    unsigned char *sealed = (unsigned char *)m->input;
    unsigned long tag_bytes = TAG_BYTES;
    int error = ccm_memory(ccm->cipher, NULL, 0, &ccm->state, m->nonce, m->nonce_bytes, m->aad,
                           m->aad_bytes, m->output, m->output_bytes, sealed,
                           sealed + m->output_bytes, &tag_bytes, CCM_DECRYPT);
    return opened(error, CRYPT_ERROR);
}

struct ocb {
    int cipher;
    unsigned char key[32];
    unsigned long key_bytes;
};

SET_KEY(set_ocb_key)
{
    struct ocb *ocb = context;
    memcpy(ocb->key, key, key_bytes);
    ocb->key_bytes = key_bytes;
    return CIPHERMARK_DONE;
}

PROCESS(seal_ocb)
{
    struct ocb *ocb = context;
    unsigned long tag_bytes = TAG_BYTES;
    return ocb3_encrypt_authenticate_memory(ocb->cipher, ocb->key, ocb->key_bytes, m->nonce,
                                            m->nonce_bytes, m->aad, m->aad_bytes, m->input,
                                            m->input_bytes, m->output,
                                            m->output + m->input_bytes, &tag_bytes);
}

PROCESS(open_ocb)
{
    struct ocb *ocb = context;
    int right = 0;
    TRY(ocb3_decrypt_verify_memory(ocb->cipher, ocb->key, ocb->key_bytes, m->nonce,
                                   m->nonce_bytes, m->aad, m->aad_bytes, m->input,
                                   m->output_bytes, m->output, m->input + m->output_bytes,
                                   TAG_BYTES, &right));
    return opened_if(right);
}

ANSWERS(SET_KEY(set_chacha20poly1305_key), chacha20poly1305_init(context, key, key_bytes))

static int start_chacha20poly1305(chacha20poly1305_state *state, const message *m,
                                  size_t text_bytes)
{
    static const unsigned char zeros[16];
    TRY(chacha20poly1305_setiv(state, m->nonce, m->nonce_bytes));
    TRY(chacha20poly1305_add_aad(state, m->aad, m->aad_bytes));
    /* Of an empty text 1.18.2 forgets to pad the associated data, and gives a wrong tag. */
    if (text_bytes == 0 && m->aad_bytes % 16 != 0)
        TRY(poly1305_process(&state->poly, zeros, 16 - m->aad_bytes % 16));
    return CRYPT_OK;
}

PIECES(seal_chacha20poly1305)
{
    chacha20poly1305_state running = *(const chacha20poly1305_state *)context;
    unsigned long tag_bytes = TAG_BYTES;
    TRY(start_chacha20poly1305(&running, m, m->input_bytes));
    EACH_PIECE(m->input_bytes, chunk_bytes, 1,
               TRY(chacha20poly1305_encrypt(&running, m->input + at, n, m->output + at)));
    return chacha20poly1305_done(&running, m->output + m->input_bytes, &tag_bytes);
}

PIECES(open_chacha20poly1305)
{
    chacha20poly1305_state running = *(const chacha20poly1305_state *)context;
    unsigned char tag[TAG_BYTES];
    unsigned long tag_bytes = sizeof tag;
    TRY(start_chacha20poly1305(&running, m, m->output_bytes));
    EACH_PIECE(m->output_bytes, chunk_bytes, 1,
               TRY(chacha20poly1305_decrypt(&running, m->input + at, n, m->output + at)));
    TRY(chacha20poly1305_done(&running, tag, &tag_bytes));
    return check_tag(m, tag, TAG_BYTES);
}

/* ---- Hashes ------------------------------------------------------------------------------- */

PIECES(digest)
{
    const struct ltc_hash_descriptor *hash = self->parameters;
    TRY(hash->init(context));
    EACH_INPUT(m, chunk_bytes, 1, TRY(hash->process(context, input, n)));
    return hash->done(context, m->output);
}

/* ---- HMAC --------------------------------------------------------------------------------- */

/* Longer keys are possible; nobody uses them. */
#define MOST_HMAC_KEY_BYTES 1024

struct hmac {
    int hash;
    unsigned long key_bytes;
    unsigned char key[MOST_HMAC_KEY_BYTES];
};

SET_KEY(set_hmac_key)
{
    struct hmac *hmac = context;
    memcpy(hmac->key, key, key_bytes);
    hmac->key_bytes = key_bytes;
    /* The library refuses an empty key. HMAC pads keys with zeros, so one zero is the same key. */
    if (key_bytes == 0)
        hmac->key[hmac->key_bytes++] = 0;
    return CIPHERMARK_DONE;
}

PROCESS(mac_hmac)
{
    struct hmac *hmac = context;
    unsigned long tag_bytes = m->output_bytes;
    return hmac_memory(hmac->hash, hmac->key, hmac->key_bytes, m->input, m->input_bytes, m->output,
                       &tag_bytes);
}

CHUNKS(mac_hmac)
{
    struct hmac *hmac = context;
    unsigned long tag_bytes = m->output_bytes;
    hmac_state state;
    TRY(hmac_init(&state, hmac->hash, hmac->key, hmac->key_bytes));
    EACH_INPUT(m, chunk_bytes, 1, TRY(hmac_process(&state, input, n)));
    return hmac_done(&state, m->output, &tag_bytes);
}

/* ---- CMAC, which the library calls OMAC --------------------------------------------------- */

KEYED(cmac, omac_state, omac_init(&keyed->state, keyed->cipher, key, key_bytes))

PIECES(mac_cmac)
{
    omac_state *state = &((struct cmac *)context)->state;
    unsigned long tag_bytes = m->output_bytes;
    /* A copy of all 4 KiB, most of them the room of other ciphers' keys, would cost more than a
     * short message. */
    state->buflen = 0;
    memset(state->prev, 0, sizeof state->prev);
    memset(state->block, 0, sizeof state->block);
    EACH_INPUT(m, chunk_bytes, 1, TRY(omac_process(state, input, n)));
    return omac_done(state, m->output, &tag_bytes);
}

/* ---- Poly1305 and keyed BLAKE2 ------------------------------------------------------------ */

#define KEPT_STATE_FUNCTIONS(mac, start) \
    ANSWERS(SET_KEY(set_##mac##_key), start) \
    PIECES(mac_##mac) \
    { \
        mac##_state running = *(const mac##_state *)context; \
        unsigned long tag_bytes = m->output_bytes; \
        EACH_INPUT(m, chunk_bytes, 1, TRY(mac##_process(&running, input, n))); \
        return mac##_done(&running, m->output, &tag_bytes); \
    }
KEPT_STATE_FUNCTIONS(poly1305, poly1305_init(context, key, key_bytes))
KEPT_STATE_FUNCTIONS(blake2bmac, blake2bmac_init(context, self->tag_bytes, key, key_bytes))
KEPT_STATE_FUNCTIONS(blake2smac, blake2smac_init(context, self->tag_bytes, key, key_bytes))

/* ---- UEA1 and UIA1: the modes f8 and f9 with KASUMI ------------------------------------------
 *
 * Nonces are laid out as the facts of both functions say: UEA1's COUNT, 4 bytes, BEARER and
 * DIRECTION; UIA1's COUNT and FRESH, 4 bytes each, and DIRECTION. */

struct uea1 {
    int cipher;
    unsigned char key[16];
};

SET_KEY(set_uea1_key)
{
    struct uea1 *uea1 = context;
    memcpy(uea1->key, key, key_bytes);
    return CIPHERMARK_DONE;
}

/*
 * The library's f8 mode with an empty salt, which it then extends by bytes of 0x55: the key
 * modifier of TS 35.201, section 3. It has no call to set another IV under the same key: f8_setiv
 * takes the IV as already masked.
 */
PIECES(crypt_uea1)
{
    struct uea1 *uea1 = context;
    symmetric_F8 mode;
    unsigned char iv[8] = {0};
    memcpy(iv, m->nonce, 4);
    iv[4] = (unsigned char)(m->nonce[4] << 3 | m->nonce[5] << 2);
    TRY(f8_start(uea1->cipher, iv, uea1->key, sizeof uea1->key, no_iv, 0, 0, &mode));
    EACH_PIECE(m->input_bytes, chunk_bytes, 1,
               TRY(f8_encrypt(m->input + at, m->output + at, n, &mode)));
    return CRYPT_OK;
}

struct uia1 {
    int cipher;
    f9_state state;
    struct kasumi_key key;
};

SET_KEY(set_uia1_key)
{
    struct uia1 *uia1 = context;
    TRY(f9_init(&uia1->state, uia1->cipher, key, key_bytes));
    uia1->key = uia1->state.key.kasumi;
    return CIPHERMARK_DONE;
}

PIECES(mac_uia1)
{
    struct uia1 *uia1 = context;
    f9_state *state = &uia1->state;
    /* After the message come DIRECTION, a one, and zeros to the end of the block. */
    const unsigned char end = (unsigned char)(m->nonce[8] << 7 | 0x40);
    unsigned long tag_bytes = m->output_bytes;
    /* The last step has put the modified key in the place of the key. */
    state->key.kasumi = uia1->key;
    memset(state->IV, 0, sizeof state->IV);
    memset(state->ACC, 0, sizeof state->ACC);
    state->buflen = 0;
    TRY(f9_process(state, m->nonce, 8));
    EACH_INPUT(m, chunk_bytes, 1, TRY(f9_process(state, input, n)));
    TRY(f9_process(state, &end, 1));
    return f9_done(state, m->output, &tag_bytes);
}

/* ---- Keystreams ---------------------------------------------------------------------------- */

ANSWERS(SET_KEY(set_rc4_key), rc4_stream_setup(context, key, key_bytes))

/* From the first byte on in each message, so the keyed state is kept and a copy runs. */
PIECES(rc4_keystream)
{
    rc4_state running = *(const rc4_state *)context;
    EACH_PIECE(m->output_bytes, chunk_bytes, 1,
               TRY(rc4_stream_keystream(&running, m->output + at, n)));
    return CRYPT_OK;
}

ANSWERS(SET_KEY(set_chacha_key), chacha_setup(context, key, key_bytes, 20))

PIECES(chacha20_keystream)
{
    TRY(chacha_ivctr32(context, m->nonce, m->nonce_bytes, 0));
    EACH_PIECE(m->output_bytes, chunk_bytes, 1, TRY(chacha_keystream(context, m->output + at, n)));
    return CRYPT_OK;
}

/* ---- The table ---------------------------------------------------------------------------- */

/* Of a cipher, or a mode or MAC with it. */
#define CIPHER(name, what, cipher, mode, ...) \
    ROW(name, what, struct mode, .parameters = &cipher##_desc, .init = init_cipher, \
        .set_key = set_##mode##_key, __VA_ARGS__)
#define ECB(name, cipher, ...) \
    CIPHER(name "-ecb", ENCRYPT, cipher, ecb, IN_PIECES(encrypt_ecb), __VA_ARGS__), \
    CIPHER(name "-ecb", DECRYPT, cipher, ecb, IN_PIECES(decrypt_ecb), __VA_ARGS__)
#define CBC(name, cipher, iv, ...) \
    CIPHER(name "-cbc", ENCRYPT, cipher, cbc, NONCE(iv), IN_PIECES(encrypt_cbc), __VA_ARGS__), \
    CIPHER(name "-cbc", DECRYPT, cipher, cbc, NONCE(iv), IN_PIECES(decrypt_cbc), __VA_ARGS__)
#define CTR(name, cipher, ...) \
    CIPHER(name "-ctr", ENCRYPT, cipher, ctr, NONCE(16), IN_PIECES(crypt_ctr), __VA_ARGS__), \
    CIPHER(name "-ctr", DECRYPT, cipher, ctr, NONCE(16), IN_PIECES(crypt_ctr), __VA_ARGS__)
#define XTS(name, cipher, key) \
    CIPHER(name, ENCRYPT, cipher, xts, KEY(key), NONCE(16), .process = shim_xts_encrypt), \
    CIPHER(name, DECRYPT, cipher, xts, KEY(key), NONCE(16), .process = shim_xts_decrypt)
#define BLOCK_CIPHER(name, cipher, key) \
    ECB(name, cipher, key), CBC(name, cipher, 16, key), CTR(name, cipher, key)
/* `how` is IN_PIECES or AT_ONCE. */
#define AEAD(name, cipher, mode, how, ...) \
    CIPHER(name, SEAL, cipher, mode, .tag_bytes = TAG_BYTES, how(seal_##mode), __VA_ARGS__), \
    CIPHER(name, OPEN, cipher, mode, .tag_bytes = TAG_BYTES, how(open_##mode), __VA_ARGS__)
#define CHACHA20POLY1305(what, run) \
    ROW("chacha20-poly1305", what, chacha20poly1305_state, KEY(32), NONCE(12), \
        .tag_bytes = TAG_BYTES, .set_key = set_chacha20poly1305_key, IN_PIECES(run))
#define CMAC(name, cipher) \
    CIPHER(name, CIPHERMARK_MAC, cipher, cmac, IN_PIECES(mac_cmac), .tag_bytes = 16, \
           .takes_repeats = 1)
#define HMAC(name, hash, bytes) \
    ROW(name, CIPHERMARK_MAC, struct hmac, .key_bytes = {0, MOST_HMAC_KEY_BYTES}, \
        .parameters = &hash##_desc, .init = init_hash, .set_key = set_hmac_key, \
        IN_PIECES(mac_hmac), .tag_bytes = bytes, .takes_repeats = 1)
#define KEPT_STATE_MAC(name, mac, bytes) \
    ROW(name, CIPHERMARK_MAC, mac##_state, KEY(32), .set_key = set_##mac##_key, \
        IN_PIECES(mac_##mac), .tag_bytes = bytes, .takes_repeats = 1)
#define HASH(name, hash, bytes) \
    ROW(name, CIPHERMARK_DIGEST, hash_state, .parameters = &hash##_desc, IN_PIECES(digest), \
        .takes_repeats = 1, .tag_bytes = bytes)
#define KEYSTREAM(name, type, set, run, ...) \
    ROW(name, CIPHERMARK_KEYSTREAM, type, .set_key = set, IN_PIECES(run), __VA_ARGS__)

#define HASH_AND_HMAC(name, hash, bytes) \
    HASH(name, hash, bytes), HMAC("hmac-" name, hash, bytes)

static const struct ciphermark_function functions[] = {
    BLOCK_CIPHER("aes-{128,192,256}", aes, KEY(0)),
    XTS("aes-128-xts", aes, 32),
    XTS("aes-256-xts", aes, 64),
    BLOCK_CIPHER("camellia-{128,192,256}", camellia, KEY(0)),
    BLOCK_CIPHER("rc6-32-20-16", rc6, KEY(16)),
    BLOCK_CIPHER("rc6-32-20-24", rc6, KEY(24)),
    BLOCK_CIPHER("rc6-32-20-32", rc6, KEY(32)),
    BLOCK_CIPHER("twofish-{128,192,256}", twofish, KEY(0)),
    ECB("kasumi", kasumi, KEY(16)),
    ECB("rc5-32-12-8", rc5, KEY(8)),
    CBC("rc5-32-12-8", rc5, 8, KEY(8)),
    ECB("rc5-32-12-16", rc5, KEY(16)),
    CBC("rc5-32-12-16", rc5, 8, KEY(16)),
    ECB("xtea", xtea, KEY(16)),
    CIPHER("uea1", ENCRYPT, kasumi, uea1, KEY(16), NONCE(6), IN_PIECES(crypt_uea1)),
    CIPHER("uea1", DECRYPT, kasumi, uea1, KEY(16), NONCE(6), IN_PIECES(crypt_uea1)),

    AEAD("aes-{128,192,256}-gcm", aes, gcm, IN_PIECES, NONCES(1, ULONG_MAX)),
    AEAD("camellia-{128,256}-gcm", camellia, gcm, IN_PIECES, NONCES(1, ULONG_MAX)),
    /* The calls of these for a message in pieces begin with the expansion of the key. */
    AEAD("aes-{128,256}-ccm", aes, ccm, AT_ONCE, NONCES(7, 13)),
    AEAD("aes-{128,256}-ocb", aes, ocb, AT_ONCE, NONCES(1, 15)),
    CHACHA20POLY1305(SEAL, seal_chacha20poly1305),
    CHACHA20POLY1305(OPEN, open_chacha20poly1305),

    CMAC("cmac-aes-{128,192,256}", aes),
    CMAC("cmac-camellia-{128,256}", camellia),
    CMAC("cmac-rc6-{128,256}", rc6),
    CMAC("cmac-twofish-{128,256}", twofish),
    KEPT_STATE_MAC("blake2b-mac-512", blake2bmac, 64),
    KEPT_STATE_MAC("blake2s-mac-256", blake2smac, 32),
    KEPT_STATE_MAC("poly1305", poly1305, 16),
    CIPHER("uia1", CIPHERMARK_MAC, kasumi, uia1, KEY(16), NONCE(9), IN_PIECES(mac_uia1),
           .tag_bytes = 4, .takes_repeats = 1),

    HASH("blake2b-512", blake2b_512, 64),
    HASH("blake2s-256", blake2s_256, 32),
    HASH_AND_HMAC("md5", md5, 16),
    HASH("ripemd160", rmd160, 20),
    HASH_AND_HMAC("sha1", sha1, 20),
    HASH_AND_HMAC("sha224", sha224, 28),
    HASH_AND_HMAC("sha256", sha256, 32),
    HASH_AND_HMAC("sha384", sha384, 48),
    HASH_AND_HMAC("sha512", sha512, 64),
    HASH("sha512-256", sha512_256, 32),
    HASH("sha3-224", sha3_224, 28),
    HASH_AND_HMAC("sha3-256", sha3_256, 32),
    HASH("sha3-384", sha3_384, 48),
    HASH_AND_HMAC("sha3-512", sha3_512, 64),

    KEYSTREAM("chacha20", chacha_state, set_chacha_key, chacha20_keystream, KEY(32), NONCE(12)),
    KEYSTREAM("rc4-128", rc4_state, set_rc4_key, rc4_keystream, KEY(16)),
};

/* Enters all ciphers and hashes into the library's tables, which no lock guards: afterwards a row's
 * init only reads them. */
static void start(void)
{
    size_t i;
    for (i = 0; i < COUNT_OF(functions); i++) {
        int place;
        if (functions[i].init != NULL)
            functions[i].init(&functions[i], &place);
    }
}

const struct ciphermark_library *ciphermark_library(void)
{
    static char version[16] = "unknown";
    static struct ciphermark_library library =
        LIBRARY(.header_version = HEADERS, .library_version = version,
                .inside = (void (*)(void))register_cipher, .tags_equal = tags_equal);
    start();
    /* Before it all algorithms are listed. */
    library.build = strstr(crypt_build_settings, "Compiler:");
    sscanf(crypt_build_settings, "LibTomCrypt %15s", version);
    return &library;
}
