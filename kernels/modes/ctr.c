#include "ctr.h"

#include "batch.h"
#include "words.h"

/* A message as far as it has come. */
struct stream {
    uint8_t counter[MOST_CIPHER_BLOCK_BYTES]; /* the next one */
    uint8_t keystream[BATCH_BYTES];
    size_t used, made; /* bytes of the keystream */
};

/* The standard incrementing function on all bits of the block (SP 800-38A, B.1). */
static void increment(uint8_t *counter, size_t bytes)
{
    do {
        bytes--;
        counter[bytes] = (uint8_t)(counter[bytes] + 1);
    } while (counter[bytes] == 0 && bytes > 0);
}

/* Makes keystream for so many bytes, or as much as there is room for. */
static void refill(const struct block_cipher *cipher, const void *schedule, struct stream *stream,
                   size_t bytes)
{
    const size_t block_bytes = cipher->block_bytes;
    const size_t wanted = bytes < BATCH_BYTES ? bytes : BATCH_BYTES;
    stream->used = 0;
    for (stream->made = 0; stream->made < wanted; stream->made += block_bytes) {
        memcpy(stream->keystream + stream->made, stream->counter, block_bytes);
        increment(stream->counter, block_bytes);
    }
    cipher->encrypt(schedule, stream->keystream, stream->keystream, stream->made / block_bytes);
}

static void crypt(const struct block_cipher *cipher, const void *schedule, struct stream *stream,
                  uint8_t *output, const uint8_t *input, size_t bytes)
{
    size_t now;
    for (; bytes > 0; bytes -= now, input += now, output += now) {
        if (stream->used == stream->made)
            refill(cipher, schedule, stream, bytes);
        now = stream->made - stream->used;
        if (now > bytes)
            now = bytes;
        xor_bytes(output, input, stream->keystream + stream->used, now);
        stream->used += now;
    }
}

int ciphermark_ctr(const row *self, void *context, const message *m)
{
    return ciphermark_ctr_chunks(self, context, m, SIZE_MAX);
}

int ciphermark_ctr_chunks(const row *self, void *context, const message *m, size_t chunk_bytes)
{
    struct stream stream;
    size_t at, bytes;
    stream.used = stream.made = 0;
    memcpy(stream.counter, m->nonce, m->nonce_bytes);
    for (at = 0; at < m->input_bytes; at += bytes) {
        bytes = m->input_bytes - at < chunk_bytes ? m->input_bytes - at : chunk_bytes;
        crypt(self->parameters, context, &stream, m->output + at, m->input + at, bytes);
    }
    return CIPHERMARK_DONE;
}
