#include "uea2uia2.h"

/* Sections 3.4 and 4.4: the key's first word is k3, and SNOW 3G takes k0 first. */
int ciphermark_uea2_set_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    uint8_t *words = context;
    size_t i;
    (void)self;
    for (i = 0; i < key_bytes; i += 4)
        memcpy(words + i, key + key_bytes - 4 - i, 4);
    return CIPHERMARK_DONE;
}

int ciphermark_uea2(const row *self, void *context, const message *m)
{
    const struct stream_cipher *cipher = self->parameters;
    struct stream stream;
    uint8_t iv[STREAM_IV_BYTES];
    const int status = uea2_iv(iv, m);
    if (status != CIPHERMARK_DONE)
        return status;
    cipher->start(&stream, context, iv);
    ciphermark_keystream_xor(cipher, &stream, m->output, m->input, m->input_bytes);
    clear_unused_bits(m);
    return CIPHERMARK_DONE;
}

uint64_t ciphermark_uia2_last_block(const message *m, size_t at)
{
    uint8_t end[8] = {0};
    message_end(end, m, m->input_bytes - at);
    return load_be64(end);
}

/* MUL64 (section 4.3.4), from the most significant bit on, in a time that depends on nothing. */
uint64_t ciphermark_uia2_multiply(uint64_t one, uint64_t other)
{
    uint64_t product = 0;
    unsigned i;
    for (i = 0; i < 64; i++) {
        product = product << 1 ^ (X_TO_64 & (0 - (product >> 63)));
        product ^= one & (0 - (other >> 63));
        other <<= 1;
    }
    return product;
}

/* Sections 4.4 and 4.5. */
int ciphermark_uia2(const row *self, void *context, const message *m)
{
    const struct uia2 *uia2 = self->parameters;
    struct stream stream;
    uint8_t iv[STREAM_IV_BYTES], z[5 * 4];
    uint64_t e;
    const int status = uia2_iv(iv, m);
    if (status != CIPHERMARK_DONE)
        return status;
    uia2->cipher->start(&stream, context, iv);
    uia2->cipher->generate(&stream, z, 5);
    e = uia2->evaluate(m, load_be64(z));
    e = uia2->multiply(e ^ message_bits(m), load_be64(z + 8));
    store_be32(m->output, (uint32_t)(e >> 32) ^ load_be32(z + 16));
    return CIPHERMARK_DONE;
}
