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

/* As malloc gives, which is what the library's structures need. */
#define ALIGNMENT 16

static int init_cipher(const row *self, void *context)
{
    int *place = context;
    *place = register_cipher(self->parameters);
    return *place < 0 ? CRYPT_INVALID_CIPHER : CIPHERMARK_DONE;
}

static int init_hash(const row *self, void *context)
{
    int *place = context;
    *place = register_hash(self->parameters);
    return *place < 0 ? CRYPT_INVALID_HASH : CIPHERMARK_DONE;
}

/* The IV that a mode has to be started with; each message sets its own. */
static const unsigned char no_iv[MAXBLOCKSIZE];

/* ---- Block ciphers ------------------------------------------------------------------------ */

struct ecb {
    int cipher;
    symmetric_ECB mode;
};

static int set_ecb_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    struct ecb *ecb = context;
    (void)self;
    return ecb_start(ecb->cipher, key, (int)key_bytes, 0, &ecb->mode);
}

#define ECB_FUNCTION(run, crypt) \
    static inline int run##_chunks(const row *self, void *context, const message *m, \
                                   size_t chunk_bytes) \
    { \
        struct ecb *ecb = context; \
        (void)self; \
        EACH_PIECE(m->input_bytes, chunk_bytes, 1, \
                   TRY(crypt(m->input + at, m->output + at, n, &ecb->mode))); \
        return CRYPT_OK; \
    } \
    IN_ONE_PIECE(run)
ECB_FUNCTION(encrypt_ecb, ecb_encrypt)
ECB_FUNCTION(decrypt_ecb, ecb_decrypt)

/* CBC or CTR. */
#define IV_MODE_FUNCTION(run, type, set_iv, crypt) \
    static inline int run##_chunks(const row *self, void *context, const message *m, \
                                   size_t chunk_bytes) \
    { \
        type *keyed = context; \
        (void)self; \
        TRY(set_iv(m->nonce, m->nonce_bytes, &keyed->mode)); \
        EACH_PIECE(m->input_bytes, chunk_bytes, 1, \
                   TRY(crypt(m->input + at, m->output + at, n, &keyed->mode))); \
        return CRYPT_OK; \
    } \
    IN_ONE_PIECE(run)

struct cbc {
    int cipher;
    symmetric_CBC mode;
};

static int set_cbc_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    struct cbc *cbc = context;
    (void)self;
    return cbc_start(cbc->cipher, no_iv, key, (int)key_bytes, 0, &cbc->mode);
}

IV_MODE_FUNCTION(encrypt_cbc, struct cbc, cbc_setiv, cbc_encrypt)
IV_MODE_FUNCTION(decrypt_cbc, struct cbc, cbc_setiv, cbc_decrypt)

struct ctr {
    int cipher;
    symmetric_CTR mode;
};

static int set_ctr_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    struct ctr *ctr = context;
    (void)self;
    return ctr_start(ctr->cipher, no_iv, key, (int)key_bytes, 0, CTR_COUNTER_BIG_ENDIAN,
                     &ctr->mode);
}

/* In both directions. */
IV_MODE_FUNCTION(crypt_ctr, struct ctr, ctr_setiv, ctr_encrypt)

#define MODE(name, direction, cipher, type, key, iv, set, run) \
    { \
        .algorithm = name, .operation = direction, .key_bytes = {key, key}, \
        .nonce_bytes = {iv, iv}, .lanes = 1, .context_bytes = sizeof(type), \
        .context_alignment = ALIGNMENT, .parameters = &cipher##_desc, .init = init_cipher, \
        .set_key = set, .process = run, .process_chunks = run##_chunks, \
    }
#define ECB(name, cipher, key) \
    MODE(name "-ecb", ENCRYPT, cipher, struct ecb, key, 0, set_ecb_key, encrypt_ecb), \
    MODE(name "-ecb", DECRYPT, cipher, struct ecb, key, 0, set_ecb_key, decrypt_ecb)
#define CBC(name, cipher, key, block) \
    MODE(name "-cbc", ENCRYPT, cipher, struct cbc, key, block, set_cbc_key, encrypt_cbc), \
    MODE(name "-cbc", DECRYPT, cipher, struct cbc, key, block, set_cbc_key, decrypt_cbc)
#define CTR(name, cipher, key, block) \
    MODE(name "-ctr", ENCRYPT, cipher, struct ctr, key, block, set_ctr_key, crypt_ctr), \
    MODE(name "-ctr", DECRYPT, cipher, struct ctr, key, block, set_ctr_key, crypt_ctr)
#define BLOCK_CIPHER(name, cipher, key) \
    ECB(name, cipher, key), CBC(name, cipher, key, 16), CTR(name, cipher, key, 16)

/* ---- Authenticated encryption ----------------------------------------------------------------
 *
 * All tags have 16 bytes. */

#define TAG_BYTES 16

/* Whether the tag that was computed stands after the ciphertext of a sealed message. */
static int compare_tag(const message *m, const unsigned char tag[TAG_BYTES])
{
    return XMEM_NEQ(tag, m->input + m->output_bytes, TAG_BYTES) ? CIPHERMARK_REFUSED
                                                                 : CIPHERMARK_DONE;
}

struct gcm {
    int cipher;
    gcm_state state;
};

static int set_gcm_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    struct gcm *gcm = context;
    (void)self;
    return gcm_init(&gcm->state, gcm->cipher, key, (int)key_bytes);
}

static int start_gcm(gcm_state *state, const message *m)
{
    TRY(gcm_reset(state));
    TRY(gcm_add_iv(state, m->nonce, m->nonce_bytes));
    return gcm_add_aad(state, m->aad, m->aad_bytes);
}

static inline int seal_gcm_chunks(const row *self, void *context, const message *m,
                                  size_t chunk_bytes)
{
    gcm_state *state = &((struct gcm *)context)->state;
    unsigned long tag_bytes = TAG_BYTES;
    (void)self;
    TRY(start_gcm(state, m));
    EACH_PIECE(m->input_bytes, chunk_bytes, 1,
               TRY(gcm_process(state, (unsigned char *)m->input + at, n, m->output + at,
                               GCM_ENCRYPT)));
    return gcm_done(state, m->output + m->input_bytes, &tag_bytes);
}
IN_ONE_PIECE(seal_gcm)

static inline int open_gcm_chunks(const row *self, void *context, const message *m,
                                  size_t chunk_bytes)
{
    gcm_state *state = &((struct gcm *)context)->state;
    unsigned char tag[TAG_BYTES];
    unsigned long tag_bytes = sizeof tag;
    (void)self;
    TRY(start_gcm(state, m));
    EACH_PIECE(m->output_bytes, chunk_bytes, 1,
               TRY(gcm_process(state, m->output + at, n, (unsigned char *)m->input + at,
                               GCM_DECRYPT)));
    TRY(gcm_done(state, tag, &tag_bytes));
    return compare_tag(m, tag);
}
IN_ONE_PIECE(open_gcm)

struct ccm {
    int cipher;
    symmetric_key key;
};

static int set_ccm_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    const struct ltc_cipher_descriptor *cipher = self->parameters;
    struct ccm *ccm = context;
    return cipher->setup(key, (int)key_bytes, 0, &ccm->key);
}

static int seal_ccm(const row *self, void *context, const message *m)
{
    struct ccm *ccm = context;
    unsigned long tag_bytes = TAG_BYTES;
    (void)self;
    return ccm_memory(ccm->cipher, NULL, 0, &ccm->key, m->nonce, m->nonce_bytes, m->aad,
                      m->aad_bytes, (unsigned char *)m->input, m->input_bytes, m->output,
                      m->output + m->input_bytes, &tag_bytes, CCM_ENCRYPT);
}

static int open_ccm(const row *self, void *context, const message *m)
{
    struct ccm *ccm = context;
    unsigned char *sealed = (unsigned char *)m->input;
    unsigned long tag_bytes = TAG_BYTES;
    int error = ccm_memory(ccm->cipher, NULL, 0, &ccm->key, m->nonce, m->nonce_bytes, m->aad,
                           m->aad_bytes, m->output, m->output_bytes, sealed,
                           sealed + m->output_bytes, &tag_bytes, CCM_DECRYPT);
    (void)self;
    return error == CRYPT_ERROR ? CIPHERMARK_REFUSED : error;
}

struct ocb {
    int cipher;
    unsigned char key[32];
    unsigned long key_bytes;
};

static int set_ocb_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    struct ocb *ocb = context;
    (void)self;
    memcpy(ocb->key, key, key_bytes);
    ocb->key_bytes = key_bytes;
    return CIPHERMARK_DONE;
}

static int seal_ocb(const row *self, void *context, const message *m)
{
    struct ocb *ocb = context;
    unsigned long tag_bytes = TAG_BYTES;
    (void)self;
    return ocb3_encrypt_authenticate_memory(ocb->cipher, ocb->key, ocb->key_bytes, m->nonce,
                                            m->nonce_bytes, m->aad, m->aad_bytes, m->input,
                                            m->input_bytes, m->output,
                                            m->output + m->input_bytes, &tag_bytes);
}

static int open_ocb(const row *self, void *context, const message *m)
{
    struct ocb *ocb = context;
    int right = 0;
    (void)self;
    TRY(ocb3_decrypt_verify_memory(ocb->cipher, ocb->key, ocb->key_bytes, m->nonce,
                                   m->nonce_bytes, m->aad, m->aad_bytes, m->input,
                                   m->output_bytes, m->output, m->input + m->output_bytes,
                                   TAG_BYTES, &right));
    return right ? CIPHERMARK_DONE : CIPHERMARK_REFUSED;
}

static int set_chacha20poly1305_key(const row *self, void *context, const uint8_t *key,
                                    size_t key_bytes)
{
    (void)self;
    return chacha20poly1305_init(context, key, key_bytes);
}

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

static inline int seal_chacha20poly1305_chunks(const row *self, void *context, const message *m,
                                               size_t chunk_bytes)
{
    chacha20poly1305_state running = *(const chacha20poly1305_state *)context;
    unsigned long tag_bytes = TAG_BYTES;
    (void)self;
    TRY(start_chacha20poly1305(&running, m, m->input_bytes));
    EACH_PIECE(m->input_bytes, chunk_bytes, 1,
               TRY(chacha20poly1305_encrypt(&running, m->input + at, n, m->output + at)));
    return chacha20poly1305_done(&running, m->output + m->input_bytes, &tag_bytes);
}
IN_ONE_PIECE(seal_chacha20poly1305)

static inline int open_chacha20poly1305_chunks(const row *self, void *context, const message *m,
                                               size_t chunk_bytes)
{
    chacha20poly1305_state running = *(const chacha20poly1305_state *)context;
    unsigned char tag[TAG_BYTES];
    unsigned long tag_bytes = sizeof tag;
    (void)self;
    TRY(start_chacha20poly1305(&running, m, m->output_bytes));
    EACH_PIECE(m->output_bytes, chunk_bytes, 1,
               TRY(chacha20poly1305_decrypt(&running, m->input + at, n, m->output + at)));
    TRY(chacha20poly1305_done(&running, tag, &tag_bytes));
    return compare_tag(m, tag);
}
IN_ONE_PIECE(open_chacha20poly1305)

/* `chunks` is null where a message is one call. */
#define AEAD_ROW(name, direction, least, most, type, with, start, key, set, run, chunks) \
    { \
        .algorithm = name, .operation = direction, .key_bytes = {key, key}, \
        .nonce_bytes = {least, most}, .tag_bytes = TAG_BYTES, .lanes = 1, \
        .context_bytes = sizeof(type), .context_alignment = ALIGNMENT, .parameters = with, \
        .init = start, .set_key = set, .process = run, .process_chunks = chunks, \
    }
#define AEAD(name, least, most, mode, cipher, key, seal_chunks, open_chunks) \
    AEAD_ROW(name, SEAL, least, most, struct mode, &cipher##_desc, init_cipher, key, \
             set_##mode##_key, seal_##mode, seal_chunks), \
    AEAD_ROW(name, OPEN, least, most, struct mode, &cipher##_desc, init_cipher, key, \
             set_##mode##_key, open_##mode, open_chunks)
#define GCM(name, cipher, key) \
    AEAD(name, 1, ULONG_MAX, gcm, cipher, key, seal_gcm_chunks, open_gcm_chunks)
/* The calls of these for a message in pieces begin with the expansion of the key. */
#define CCM(name, cipher, key) AEAD(name, 7, 13, ccm, cipher, key, NULL, NULL)
#define OCB(name, cipher, key) AEAD(name, 1, 15, ocb, cipher, key, NULL, NULL)

/* ---- Hashes ------------------------------------------------------------------------------- */

static inline int digest_chunks(const row *self, void *context, const message *m,
                                size_t chunk_bytes)
{
    const struct ltc_hash_descriptor *hash = self->parameters;
    TRY(hash->init(context));
    EACH_INPUT(m, chunk_bytes, 1, TRY(hash->process(context, input, n)));
    return hash->done(context, m->output);
}
IN_ONE_PIECE(digest)

#define HASH(name, hash, bytes) \
    { \
        .algorithm = name, .operation = CIPHERMARK_DIGEST, .tag_bytes = bytes, .lanes = 1, \
        .context_bytes = sizeof(hash_state), .context_alignment = ALIGNMENT, \
        .parameters = &hash##_desc, .process = digest, .process_chunks = digest_chunks, \
        .takes_repeats = 1, \
    }

/* ---- HMAC --------------------------------------------------------------------------------- */

/* Longer keys are possible; nobody uses them. */
#define MOST_HMAC_KEY_BYTES 1024

struct hmac {
    int hash;
    unsigned long key_bytes;
    unsigned char key[MOST_HMAC_KEY_BYTES];
};

static int set_hmac_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    struct hmac *hmac = context;
    (void)self;
    memcpy(hmac->key, key, key_bytes);
    hmac->key_bytes = key_bytes;
    /* The library refuses an empty key. HMAC pads keys with zeros, so one zero is the same key. */
    if (key_bytes == 0)
        hmac->key[hmac->key_bytes++] = 0;
    return CIPHERMARK_DONE;
}

static int mac_hmac(const row *self, void *context, const message *m)
{
    struct hmac *hmac = context;
    unsigned long tag_bytes = m->output_bytes;
    (void)self;
    return hmac_memory(hmac->hash, hmac->key, hmac->key_bytes, m->input, m->input_bytes, m->output,
                       &tag_bytes);
}

static int mac_hmac_chunks(const row *self, void *context, const message *m, size_t chunk_bytes)
{
    struct hmac *hmac = context;
    unsigned long tag_bytes = m->output_bytes;
    hmac_state state;
    (void)self;
    TRY(hmac_init(&state, hmac->hash, hmac->key, hmac->key_bytes));
    EACH_INPUT(m, chunk_bytes, 1, TRY(hmac_process(&state, input, n)));
    return hmac_done(&state, m->output, &tag_bytes);
}

#define MAC_ROW(name, least_key, most_key, nonce, tag, type, with, start, set, run) \
    { \
        .algorithm = name, .operation = CIPHERMARK_MAC, .key_bytes = {least_key, most_key}, \
        .nonce_bytes = {nonce, nonce}, .tag_bytes = tag, .lanes = 1, \
        .context_bytes = sizeof(type), .context_alignment = ALIGNMENT, .parameters = with, \
        .init = start, .set_key = set, .process = run, .process_chunks = run##_chunks, \
        .takes_repeats = 1, \
    }
#define HMAC(name, hash, bytes) \
    MAC_ROW(name, 0, MOST_HMAC_KEY_BYTES, 0, bytes, struct hmac, &hash##_desc, init_hash, \
            set_hmac_key, mac_hmac)

/* ---- CMAC, which the library calls OMAC --------------------------------------------------- */

struct cmac {
    int cipher;
    omac_state state;
};

static int set_cmac_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    struct cmac *cmac = context;
    (void)self;
    return omac_init(&cmac->state, cmac->cipher, key, key_bytes);
}

static inline int mac_cmac_chunks(const row *self, void *context, const message *m,
                                  size_t chunk_bytes)
{
    omac_state *state = &((struct cmac *)context)->state;
    unsigned long tag_bytes = m->output_bytes;
    (void)self;
    /* A copy of all 4 KiB, most of them the room of other ciphers' keys, would cost more than a
     * short message. */
    state->buflen = 0;
    memset(state->prev, 0, sizeof state->prev);
    memset(state->block, 0, sizeof state->block);
    EACH_INPUT(m, chunk_bytes, 1, TRY(omac_process(state, input, n)));
    return omac_done(state, m->output, &tag_bytes);
}
IN_ONE_PIECE(mac_cmac)

#define CMAC(name, cipher, key) \
    MAC_ROW(name, key, key, 0, 16, struct cmac, &cipher##_desc, init_cipher, set_cmac_key, \
            mac_cmac)

/* ---- Poly1305 and keyed BLAKE2 ------------------------------------------------------------ */

static int set_poly1305_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    (void)self;
    return poly1305_init(context, key, key_bytes);
}

static inline int mac_poly1305_chunks(const row *self, void *context, const message *m,
                                      size_t chunk_bytes)
{
    poly1305_state running = *(const poly1305_state *)context;
    unsigned long tag_bytes = m->output_bytes;
    (void)self;
    EACH_INPUT(m, chunk_bytes, 1, TRY(poly1305_process(&running, input, n)));
    return poly1305_done(&running, m->output, &tag_bytes);
}
IN_ONE_PIECE(mac_poly1305)

#define BLAKE2_MAC_FUNCTIONS(mac) \
    static int set_##mac##_key(const row *self, void *context, const uint8_t *key, \
                               size_t key_bytes) \
    { \
        return mac##_init(context, self->tag_bytes, key, key_bytes); \
    } \
    static inline int mac_##mac##_chunks(const row *self, void *context, const message *m, \
                                         size_t chunk_bytes) \
    { \
        mac##_state running = *(const mac##_state *)context; \
        unsigned long tag_bytes = m->output_bytes; \
        (void)self; \
        EACH_INPUT(m, chunk_bytes, 1, \
                   TRY(mac##_process(&running, input, n))); \
        return mac##_done(&running, m->output, &tag_bytes); \
    } \
    IN_ONE_PIECE(mac_##mac)
BLAKE2_MAC_FUNCTIONS(blake2bmac)
BLAKE2_MAC_FUNCTIONS(blake2smac)

#define KEPT_STATE_MAC(name, mac, tag) \
    MAC_ROW(name, 32, 32, 0, tag, mac##_state, NULL, NULL, set_##mac##_key, mac_##mac)

/* ---- UEA1 and UIA1: the modes f8 and f9 with KASUMI ------------------------------------------
 *
 * Nonces are laid out as the facts of both functions say: UEA1's COUNT, 4 bytes, BEARER and
 * DIRECTION; UIA1's COUNT and FRESH, 4 bytes each, and DIRECTION. */

struct uea1 {
    int cipher;
    unsigned char key[16];
};

static int set_uea1_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    struct uea1 *uea1 = context;
    (void)self;
    memcpy(uea1->key, key, key_bytes);
    return CIPHERMARK_DONE;
}

/*
 * The library's f8 mode with an empty salt, which it then extends by bytes of 0x55: the key
 * modifier of TS 35.201, section 3. It has no call to set another IV under the same key: f8_setiv
 * takes the IV as already masked.
 */
static inline int crypt_uea1_chunks(const row *self, void *context, const message *m,
                                    size_t chunk_bytes)
{
    struct uea1 *uea1 = context;
    symmetric_F8 mode;
    unsigned char iv[8] = {0};
    (void)self;
    memcpy(iv, m->nonce, 4);
    iv[4] = (unsigned char)(m->nonce[4] << 3 | m->nonce[5] << 2);
    TRY(f8_start(uea1->cipher, iv, uea1->key, sizeof uea1->key, no_iv, 0, 0, &mode));
    EACH_PIECE(m->input_bytes, chunk_bytes, 1,
               TRY(f8_encrypt(m->input + at, m->output + at, n, &mode)));
    return CRYPT_OK;
}
IN_ONE_PIECE(crypt_uea1)

struct uia1 {
    int cipher;
    f9_state state;
    struct kasumi_key key;
};

static int set_uia1_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    struct uia1 *uia1 = context;
    (void)self;
    TRY(f9_init(&uia1->state, uia1->cipher, key, key_bytes));
    uia1->key = uia1->state.key.kasumi;
    return CIPHERMARK_DONE;
}

static inline int mac_uia1_chunks(const row *self, void *context, const message *m,
                                  size_t chunk_bytes)
{
    struct uia1 *uia1 = context;
    f9_state *state = &uia1->state;
    /* After the message come DIRECTION, a one, and zeros to the end of the block. */
    const unsigned char end = (unsigned char)(m->nonce[8] << 7 | 0x40);
    unsigned long tag_bytes = m->output_bytes;
    (void)self;
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
IN_ONE_PIECE(mac_uia1)

/* ---- Keystreams ---------------------------------------------------------------------------- */

static int set_rc4_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    (void)self;
    return rc4_stream_setup(context, key, key_bytes);
}

/* From the first byte on in each message, so the keyed state is kept and a copy runs. */
static inline int rc4_keystream_chunks(const row *self, void *context, const message *m,
                                       size_t chunk_bytes)
{
    rc4_state running = *(const rc4_state *)context;
    (void)self;
    EACH_PIECE(m->output_bytes, chunk_bytes, 1,
               TRY(rc4_stream_keystream(&running, m->output + at, n)));
    return CRYPT_OK;
}
IN_ONE_PIECE(rc4_keystream)

static int set_chacha_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    (void)self;
    return chacha_setup(context, key, key_bytes, 20);
}

static inline int chacha20_keystream_chunks(const row *self, void *context, const message *m,
                                            size_t chunk_bytes)
{
    (void)self;
    TRY(chacha_ivctr32(context, m->nonce, m->nonce_bytes, 0));
    EACH_PIECE(m->output_bytes, chunk_bytes, 1,
               TRY(chacha_keystream(context, m->output + at, n)));
    return CRYPT_OK;
}
IN_ONE_PIECE(chacha20_keystream)

#define KEYSTREAM(name, key, nonce, type, set, run) \
    { \
        .algorithm = name, .operation = CIPHERMARK_KEYSTREAM, .key_bytes = {key, key}, \
        .nonce_bytes = {nonce, nonce}, .lanes = 1, .context_bytes = sizeof(type), \
        .context_alignment = ALIGNMENT, .set_key = set, .process = run, \
        .process_chunks = run##_chunks, \
    }

/* ---- The table ---------------------------------------------------------------------------- */

static const struct ciphermark_function functions[] = {
    BLOCK_CIPHER("aes-{128,192,256}", aes, 0),
    BLOCK_CIPHER("camellia-{128,192,256}", camellia, 0),
    BLOCK_CIPHER("rc6-32-20-16", rc6, 16),
    BLOCK_CIPHER("rc6-32-20-24", rc6, 24),
    BLOCK_CIPHER("rc6-32-20-32", rc6, 32),
    BLOCK_CIPHER("twofish-{128,192,256}", twofish, 0),
    ECB("kasumi", kasumi, 16),
    ECB("rc5-32-12-8", rc5, 8),
    CBC("rc5-32-12-8", rc5, 8, 8),
    ECB("rc5-32-12-16", rc5, 16),
    CBC("rc5-32-12-16", rc5, 16, 8),
    ECB("xtea", xtea, 16),
    MODE("uea1", ENCRYPT, kasumi, struct uea1, 16, 6, set_uea1_key, crypt_uea1),
    MODE("uea1", DECRYPT, kasumi, struct uea1, 16, 6, set_uea1_key, crypt_uea1),

    GCM("aes-{128,192,256}-gcm", aes, 0),
    GCM("camellia-{128,256}-gcm", camellia, 0),
    CCM("aes-{128,256}-ccm", aes, 0),
    OCB("aes-{128,256}-ocb", aes, 0),
    AEAD_ROW("chacha20-poly1305", SEAL, 12, 12, chacha20poly1305_state, NULL, NULL, 32,
             set_chacha20poly1305_key, seal_chacha20poly1305, seal_chacha20poly1305_chunks),
    AEAD_ROW("chacha20-poly1305", OPEN, 12, 12, chacha20poly1305_state, NULL, NULL, 32,
             set_chacha20poly1305_key, open_chacha20poly1305, open_chacha20poly1305_chunks),

    CMAC("cmac-aes-{128,192,256}", aes, 0),
    CMAC("cmac-camellia-{128,256}", camellia, 0),
    CMAC("cmac-rc6-{128,256}", rc6, 0),
    CMAC("cmac-twofish-{128,256}", twofish, 0),
    HMAC("hmac-md5", md5, 16),
    HMAC("hmac-sha1", sha1, 20),
    HMAC("hmac-sha224", sha224, 28),
    HMAC("hmac-sha256", sha256, 32),
    HMAC("hmac-sha384", sha384, 48),
    HMAC("hmac-sha512", sha512, 64),
    HMAC("hmac-sha3-256", sha3_256, 32),
    HMAC("hmac-sha3-512", sha3_512, 64),
    KEPT_STATE_MAC("blake2b-mac-512", blake2bmac, 64),
    KEPT_STATE_MAC("blake2s-mac-256", blake2smac, 32),
    KEPT_STATE_MAC("poly1305", poly1305, 16),
    MAC_ROW("uia1", 16, 16, 9, 4, struct uia1, &kasumi_desc, init_cipher, set_uia1_key, mac_uia1),

    HASH("blake2b-512", blake2b_512, 64),
    HASH("blake2s-256", blake2s_256, 32),
    HASH("md5", md5, 16),
    HASH("ripemd160", rmd160, 20),
    HASH("sha1", sha1, 20),
    HASH("sha224", sha224, 28),
    HASH("sha256", sha256, 32),
    HASH("sha384", sha384, 48),
    HASH("sha512", sha512, 64),
    HASH("sha512-256", sha512_256, 32),
    HASH("sha3-224", sha3_224, 28),
    HASH("sha3-256", sha3_256, 32),
    HASH("sha3-384", sha3_384, 48),
    HASH("sha3-512", sha3_512, 64),

    KEYSTREAM("chacha20", 32, 12, chacha_state, set_chacha_key, chacha20_keystream),
    KEYSTREAM("rc4-128", 16, 0, rc4_state, set_rc4_key, rc4_keystream),
};

static int tags_equal(const void *one, const void *other, size_t bytes)
{
    return !XMEM_NEQ(one, other, bytes);
}

/* Enters all ciphers and hashes into the library's tables, which no lock guards: afterwards a row's
 * init only reads them. */
static void start(void)
{
    size_t i;
    for (i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        int place;
        if (functions[i].init != NULL)
            functions[i].init(&functions[i], &place);
    }
}

const struct ciphermark_library *ciphermark_library(void)
{
    static char version[16] = "unknown";
    static struct ciphermark_library library = {
        .abi = CIPHERMARK_ABI,
        .function_bytes = sizeof(struct ciphermark_function),
        .header_version = SCRYPT,
        .library_version = version,
        .inside = (void (*)(void))register_cipher,
        .tags_equal = tags_equal,
        .function_count = sizeof functions / sizeof functions[0],
        .functions = functions,
    };
    start();
    /* Before it all algorithms are listed. */
    library.build = strstr(crypt_build_settings, "Compiler:");
    sscanf(crypt_build_settings, "LibTomCrypt %15s", version);
    return &library;
}
