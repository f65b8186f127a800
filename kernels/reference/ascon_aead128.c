/* Ascon-AEAD128 (NIST SP 800-232, section 4). */
#include "ascon.h"
#include "words.h"

#define RATE_BYTES 16
#define KEY_BYTES 16
#define NONCE_BYTES 16
#define TAG_BYTES 16

struct context {
    uint64_t key[2];
    uint64_t s[ASCON_WORDS];
};

static int set_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    struct context *keyed = context;
    (void)self;
    (void)key_bytes;
    keyed->key[0] = load_le64(key);
    keyed->key[1] = load_le64(key + 8);
    return CIPHERMARK_DONE;
}

/* Initialization (section 4.1.1). */
static void initialize(struct context *context, const uint8_t *nonce)
{
    uint64_t *s = context->s;
    s[0] = 0x00001000808c0001;
    s[1] = context->key[0];
    s[2] = context->key[1];
    s[3] = load_le64(nonce);
    s[4] = load_le64(nonce + 8);
    ciphermark_ascon_permute(s, 12);
    s[3] ^= context->key[0];
    s[4] ^= context->key[1];
}

static void absorb_block(uint64_t *s, const uint8_t *block)
{
    s[0] ^= load_le64(block);
    s[1] ^= load_le64(block + 8);
}

/* A block of fewer bytes than the rate, a one after them, and zeros. */
static void absorb_last_block(uint64_t *s, const uint8_t *rest, size_t bytes)
{
    uint8_t block[RATE_BYTES] = {0};
    memcpy(block, rest, bytes);
    block[bytes] = 1;
    absorb_block(s, block);
}

/* The rate of the state as bytes. */
static void squeeze_block(const uint64_t *s, uint8_t *block)
{
    store_le64(block, s[0]);
    store_le64(block + 8, s[1]);
}

/* Associated data, which are followed by a bit that tells them from the text. */
static void absorb_aad(uint64_t *s, const uint8_t *aad, size_t bytes)
{
    if (bytes > 0) {
        for (; bytes >= RATE_BYTES; bytes -= RATE_BYTES, aad += RATE_BYTES) {
            absorb_block(s, aad);
            ciphermark_ascon_permute(s, 8);
        }
        absorb_last_block(s, aad, bytes);
        ciphermark_ascon_permute(s, 8);
    }
    s[4] ^= (uint64_t)1 << 63;
}

static void encrypt(uint64_t *s, uint8_t *output, const uint8_t *input, size_t bytes)
{
    uint8_t last[RATE_BYTES];
    for (; bytes >= RATE_BYTES; bytes -= RATE_BYTES) {
        absorb_block(s, input);
        squeeze_block(s, output);
        ciphermark_ascon_permute(s, 8);
        input += RATE_BYTES;
        output += RATE_BYTES;
    }
    absorb_last_block(s, input, bytes);
    squeeze_block(s, last);
    memcpy(output, last, bytes);
}

/* Each block of plaintext is absorbed, which leaves that of ciphertext in the state. */
static void decrypt(uint64_t *s, uint8_t *output, const uint8_t *input, size_t bytes)
{
    uint8_t keystream[RATE_BYTES];
    for (; bytes >= RATE_BYTES; bytes -= RATE_BYTES) {
        squeeze_block(s, keystream);
        xor_bytes(output, keystream, input, RATE_BYTES);
        absorb_block(s, output);
        ciphermark_ascon_permute(s, 8);
        input += RATE_BYTES;
        output += RATE_BYTES;
    }
    squeeze_block(s, keystream);
    xor_bytes(output, keystream, input, bytes);
    absorb_last_block(s, output, bytes);
}

/* Finalization (section 4.1.1). */
static void finalize(struct context *context, uint8_t tag[TAG_BYTES])
{
    uint64_t *s = context->s;
    s[2] ^= context->key[0];
    s[3] ^= context->key[1];
    ciphermark_ascon_permute(s, 12);
    store_le64(tag, s[3] ^ context->key[0]);
    store_le64(tag + 8, s[4] ^ context->key[1]);
}

static int seal(const row *self, void *context, const message *m)
{
    struct context *keyed = context;
    (void)self;
    initialize(keyed, m->nonce);
    absorb_aad(keyed->s, m->aad, m->aad_bytes);
    encrypt(keyed->s, m->output, m->input, m->input_bytes);
    finalize(keyed, m->output + m->input_bytes);
    return CIPHERMARK_DONE;
}

static int open(const row *self, void *context, const message *m)
{
    struct context *keyed = context;
    uint8_t tag[TAG_BYTES];
    (void)self;
    initialize(keyed, m->nonce);
    absorb_aad(keyed->s, m->aad, m->aad_bytes);
    decrypt(keyed->s, m->output, m->input, m->output_bytes);
    finalize(keyed, tag);
    if (equal_bytes(tag, m->input + m->output_bytes, TAG_BYTES))
        return CIPHERMARK_DONE;
    memset(m->output, 0, m->output_bytes);
    return CIPHERMARK_REFUSED;
}

#define ROW(does, process_) \
    {.algorithm = "ascon-aead128", .operation = does, .timing = CIPHERMARK_CONSTANT_TIME, \
     .key_bytes = {KEY_BYTES, KEY_BYTES}, .nonce_bytes = {NONCE_BYTES, NONCE_BYTES}, \
     .tag_bytes = TAG_BYTES, .lanes = 1, .context_bytes = sizeof(struct context), \
     .context_alignment = CONTEXT_ALIGNMENT, .set_key = set_key, .process = process_, \
     .backend = "reference", .input_bytes = {0, SIZE_MAX}, .block_bytes = 1}

static const row rows[] = {ROW(SEAL, seal), ROW(OPEN, open)};

KERNELS(ciphermark_ascon_aead128_reference_rows, rows);
