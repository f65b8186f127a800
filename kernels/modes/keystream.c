#include "keystream.h"

#include "words.h"

#define PART_WORDS 16
#define PART_BYTES (4 * PART_WORDS)

void ciphermark_keystream_xor(const struct stream_cipher *cipher, struct stream *stream,
                              uint8_t *output, const uint8_t *input, size_t bytes)
{
    uint8_t keystream[PART_BYTES];
    for (; bytes > PART_BYTES; bytes -= PART_BYTES, input += PART_BYTES, output += PART_BYTES) {
        cipher->generate(stream, keystream, PART_WORDS);
        xor_bytes(output, input, keystream, PART_BYTES);
    }
    cipher->generate(stream, keystream, (bytes + 3) / 4);
    xor_bytes(output, input, keystream, bytes);
}

int ciphermark_keystream_set_key(const row *self, void *context, const uint8_t *key,
                                 size_t key_bytes)
{
    (void)self;
    memcpy(context, key, key_bytes);
    return CIPHERMARK_DONE;
}

int ciphermark_keystream(const row *self, void *context, const message *m)
{
    const struct stream_cipher *cipher = self->parameters;
    const size_t whole = m->output_bytes / PART_BYTES, rest = m->output_bytes % PART_BYTES;
    struct stream stream;
    uint8_t end[PART_BYTES];
    cipher->start(&stream, context, m->nonce);
    cipher->generate(&stream, m->output, whole * PART_WORDS);
    cipher->generate(&stream, end, (rest + 3) / 4);
    memcpy(m->output + m->output_bytes - rest, end, rest);
    return CIPHERMARK_DONE;
}
