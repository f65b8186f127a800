/* Stream ciphers that make words of 32 bits from a key and an IV of 16 bytes each: SNOW 3G, ZUC. */
#ifndef CIPHERMARK_KEYSTREAM_H
#define CIPHERMARK_KEYSTREAM_H

#include "rows.h"

#define STREAM_KEY_BYTES 16
#define STREAM_IV_BYTES 16

/* The shift register, s0 first, and the registers R1 to R3. */
struct stream {
    uint32_t s[16];
    uint32_t r[3];
};

struct stream_cipher {
    /* Loads and initialises. */
    void (*start)(struct stream *stream, const uint8_t *key, const uint8_t *iv);
    /* Writes the next words, big-endian. */
    void (*generate)(struct stream *stream, uint8_t *output, size_t words);
};

/* output = input ^ keystream; output may be input. */
void ciphermark_keystream_xor(const struct stream_cipher *cipher, struct stream *stream,
                              uint8_t *output, const uint8_t *input, size_t bytes);

/* The functions of a row whose parameters are a `struct stream_cipher`; the context is the key. */
int ciphermark_keystream_set_key(const row *self, void *context, const uint8_t *key,
                                 size_t key_bytes);
int ciphermark_keystream(const row *self, void *context, const message *m);

#define KEYSTREAM_ROW(name, cipher, timing_, backend_) \
    {.algorithm = name, .operation = KEYSTREAM, .timing = timing_, \
     .key_bytes = {STREAM_KEY_BYTES, STREAM_KEY_BYTES}, \
     .nonce_bytes = {STREAM_IV_BYTES, STREAM_IV_BYTES}, .lanes = 1, \
     .context_bytes = STREAM_KEY_BYTES, .context_alignment = CONTEXT_ALIGNMENT, \
     .parameters = &(cipher), .set_key = ciphermark_keystream_set_key, \
     .process = ciphermark_keystream, .backend = backend_, .input_bytes = {1, SIZE_MAX}, \
     .block_bytes = 1}

#endif
