#include "chacha20.h"

#include "words.h"

void ciphermark_chacha20_set_key(struct chacha20_stream *stream, const uint8_t *key)
{
    uint32_t *state = stream->state;
    unsigned i;
    /* "expand 32-byte k" */
    state[0] = 0x61707865;
    state[1] = 0x3320646e;
    state[2] = 0x79622d32;
    state[3] = 0x6b206574;
    for (i = 0; i < 8; i++)
        state[4 + i] = load_le32(key + 4 * i);
}

void ciphermark_chacha20_start(struct chacha20_stream *stream, const uint8_t *nonce,
                               uint32_t counter)
{
    unsigned i;
    stream->state[12] = counter;
    for (i = 0; i < 3; i++)
        stream->state[13 + i] = load_le32(nonce + 4 * i);
    stream->held = 0;
}

/* What is held of the block before, then whole blocks, then the beginning of one. */
void ciphermark_chacha20_xor(const struct chacha20 *chacha20, struct chacha20_stream *stream,
                             uint8_t *output, const uint8_t *input, size_t bytes)
{
    const size_t held = bytes < stream->held ? bytes : stream->held;
    const size_t blocks = (bytes - held) / CHACHA20_BLOCK_BYTES;
    const size_t done = held + blocks * CHACHA20_BLOCK_BYTES;
    xor_bytes(output, input, stream->block + CHACHA20_BLOCK_BYTES - stream->held, held);
    stream->held = (uint8_t)(stream->held - held);
    chacha20->xor_blocks(stream->state, output + held, input + held, blocks);
    if (done < bytes) {
        memset(stream->block, 0, CHACHA20_BLOCK_BYTES);
        chacha20->xor_blocks(stream->state, stream->block, stream->block, 1);
        xor_bytes(output + done, input + done, stream->block, bytes - done);
        stream->held = (uint8_t)(CHACHA20_BLOCK_BYTES - (bytes - done));
    }
}

int ciphermark_chacha20_set_row_key(const row *self, void *context, const uint8_t *key,
                                    size_t key_bytes)
{
    (void)self;
    (void)key_bytes;
    ciphermark_chacha20_set_key(context, key);
    return CIPHERMARK_DONE;
}

int ciphermark_chacha20_keystream(const row *self, void *context, const message *m)
{
    return ciphermark_chacha20_keystream_chunks(self, context, m, SIZE_MAX);
}

/* A keystream is what zeros are encrypted to. */
int ciphermark_chacha20_keystream_chunks(const row *self, void *context, const message *m,
                                         size_t chunk_bytes)
{
    size_t at, bytes;
    ciphermark_chacha20_start(context, m->nonce, 0);
    memset(m->output, 0, m->output_bytes);
    for (at = 0; at < m->output_bytes; at += bytes) {
        uint8_t *chunk = m->output + at;
        bytes = m->output_bytes - at < chunk_bytes ? m->output_bytes - at : chunk_bytes;
        ciphermark_chacha20_xor(self->parameters, context, chunk, chunk, bytes);
    }
    return CIPHERMARK_DONE;
}
