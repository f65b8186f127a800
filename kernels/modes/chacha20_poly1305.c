#include "chacha20_poly1305.h"

#include "words.h"

int ciphermark_chacha20_poly1305_set_key(const row *self, void *context, const uint8_t *key,
                                         size_t key_bytes)
{
    struct chacha20_poly1305_context *keyed = context;
    (void)self;
    (void)key_bytes;
    ciphermark_chacha20_set_key(&keyed->stream, key);
    return CIPHERMARK_DONE;
}

/* Section 2.6: the keystream's first block gives the one-time key, and the next ones encrypt. */
static void start(const struct chacha20_poly1305 *functions,
                  struct chacha20_poly1305_context *context, const uint8_t *nonce)
{
    uint8_t one_time_key[CHACHA20_BLOCK_BYTES] = {0};
    ciphermark_chacha20_start(&context->stream, nonce, 0);
    functions->chacha20->xor_blocks(context->stream.state, one_time_key, one_time_key, 1);
    functions->poly1305->set_key(context->authenticator, one_time_key);
}

/* Zeros make the last block whole. */
static void absorb_padded(const struct poly1305 *poly1305, void *authenticator,
                          const uint8_t *input, size_t bytes)
{
    const size_t blocks = bytes / POLY1305_BLOCK_BYTES;
    const size_t rest = bytes % POLY1305_BLOCK_BYTES;
    uint8_t block[POLY1305_BLOCK_BYTES] = {0};
    poly1305->absorb(authenticator, input, blocks, 1);
    memcpy(block, input + bytes - rest, rest);
    if (rest > 0)
        poly1305->absorb(authenticator, block, 1, 1);
}

static void make_tag(const struct poly1305 *poly1305, void *authenticator, const message *m,
                     const uint8_t *ciphertext, size_t bytes, uint8_t *tag)
{
    uint8_t lengths[POLY1305_BLOCK_BYTES];
    absorb_padded(poly1305, authenticator, m->aad, m->aad_bytes);
    absorb_padded(poly1305, authenticator, ciphertext, bytes);
    store_le64(lengths, m->aad_bytes);
    store_le64(lengths + 8, bytes);
    poly1305->absorb(authenticator, lengths, 1, 1);
    poly1305->finish(authenticator, tag);
}

int ciphermark_chacha20_poly1305_seal(const row *self, void *context, const message *m)
{
    const struct chacha20_poly1305 *functions = self->parameters;
    struct chacha20_poly1305_context *keyed = context;
    start(functions, keyed, m->nonce);
    ciphermark_chacha20_xor(functions->chacha20, &keyed->stream, m->output, m->input,
                            m->input_bytes);
    make_tag(functions->poly1305, keyed->authenticator, m, m->output, m->input_bytes,
             m->output + m->input_bytes);
    return CIPHERMARK_DONE;
}

int ciphermark_chacha20_poly1305_open(const row *self, void *context, const message *m)
{
    const struct chacha20_poly1305 *functions = self->parameters;
    struct chacha20_poly1305_context *keyed = context;
    uint8_t tag[POLY1305_TAG_BYTES];
    start(functions, keyed, m->nonce);
    make_tag(functions->poly1305, keyed->authenticator, m, m->input, m->output_bytes, tag);
    if (!equal_bytes(tag, m->input + m->output_bytes, sizeof tag)) {
        memset(m->output, 0, m->output_bytes);
        return CIPHERMARK_REFUSED;
    }
    ciphermark_chacha20_xor(functions->chacha20, &keyed->stream, m->output, m->input,
                            m->output_bytes);
    return CIPHERMARK_DONE;
}
