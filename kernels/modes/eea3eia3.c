#include "eea3eia3.h"

#define PART_BYTES (4 * EIA3_PART_WORDS)

int ciphermark_eea3(const row *self, void *context, const message *m)
{
    const struct stream_cipher *cipher = self->parameters;
    struct stream stream;
    uint8_t iv[STREAM_IV_BYTES];
    const int status = eea3_iv(m, iv);
    if (status != CIPHERMARK_DONE)
        return status;
    cipher->start(&stream, context, iv);
    ciphermark_keystream_xor(cipher, &stream, m->output, m->input, m->input_bytes);
    clear_unused_bits(m);
    return CIPHERMARK_DONE;
}

/* Makes the next words of keystream, as many as there is room for or are left. */
static void make_part(const struct stream_cipher *cipher, struct stream *stream, uint8_t *keystream,
                      size_t *left)
{
    const size_t count = *left < EIA3_PART_WORDS ? *left : EIA3_PART_WORDS;
    cipher->generate(stream, keystream, count);
    *left -= count;
}

/* Sections 4.4 and 4.5. What follows a part of the message needs the keystream after it too. */
static uint32_t tag(const struct eia3 *eia3, struct stream *stream, const message *m)
{
    const uint8_t *input = m->input;
    uint8_t keystream[2 * PART_BYTES], end[PART_BYTES] = {0};
    size_t bytes = m->input_bytes, words = (bytes + 3) / 4, left = words + 2;
    uint32_t t = 0;
    make_part(eia3->cipher, stream, keystream, &left);
    make_part(eia3->cipher, stream, keystream + PART_BYTES, &left);
    for (; bytes > PART_BYTES; bytes -= PART_BYTES, input += PART_BYTES) {
        t ^= eia3->sum(input, keystream, EIA3_PART_WORDS);
        memcpy(keystream, keystream + PART_BYTES, PART_BYTES);
        make_part(eia3->cipher, stream, keystream + PART_BYTES, &left);
    }
    words = (bytes + 3) / 4;
    message_end(end, m, bytes);
    t ^= eia3->sum(end, keystream, words);
    t ^= eia3_word(keystream, 8 * bytes - m->unused_bits);
    return t ^ load_be32(keystream + 4 * (words + 1));
}

int ciphermark_eia3(const row *self, void *context, const message *m)
{
    const struct eia3 *eia3 = self->parameters;
    struct stream stream;
    uint8_t iv[STREAM_IV_BYTES];
    const int status = eia3_iv(m, iv);
    if (status != CIPHERMARK_DONE)
        return status;
    eia3->cipher->start(&stream, context, iv);
    store_be32(m->output, tag(eia3, &stream, m));
    return CIPHERMARK_DONE;
}
