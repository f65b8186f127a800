/* ChaCha20 (RFC 8439) as a stream cipher, of kernels that make whole blocks. */
#ifndef CIPHERMARK_CHACHA20_H
#define CIPHERMARK_CHACHA20_H

#include "rows.h"

#define CHACHA20_BLOCK_BYTES 64
#define CHACHA20_KEY_BYTES 32
#define CHACHA20_NONCE_BYTES 12

struct chacha20 {
    /*
     * output = input xor as many blocks of keystream, of which the counter, state[12], is the
     * first; it is moved on. The output may be where the input is.
     */
    void (*xor_blocks)(uint32_t state[16], uint8_t *output, const uint8_t *input, size_t blocks);
};

/* A keystream as far as it has come. */
struct chacha20_stream {
    uint32_t state[16]; /* section 2.3, of the next block */
    uint8_t block[CHACHA20_BLOCK_BYTES];
    uint8_t held; /* last bytes of the block that are not used yet */
};

void ciphermark_chacha20_set_key(struct chacha20_stream *stream, const uint8_t *key);
/* The keystream of a nonce, from the block of that number on. */
void ciphermark_chacha20_start(struct chacha20_stream *stream, const uint8_t *nonce,
                               uint32_t counter);
/* output = input xor keystream; the output may be where the input is. */
void ciphermark_chacha20_xor(const struct chacha20 *chacha20, struct chacha20_stream *stream,
                             uint8_t *output, const uint8_t *input, size_t bytes);

/* The functions of rows whose parameters are a `struct chacha20`. */
int ciphermark_chacha20_set_row_key(const row *self, void *context, const uint8_t *key,
                                    size_t key_bytes);
int ciphermark_chacha20_keystream(const row *self, void *context, const message *m);
int ciphermark_chacha20_keystream_chunks(const row *self, void *context, const message *m,
                                         size_t chunk_bytes);

#define CHACHA20_ROW(chacha20, backend_) \
    {.algorithm = "chacha20", .operation = KEYSTREAM, .timing = CIPHERMARK_CONSTANT_TIME, \
     .key_bytes = {CHACHA20_KEY_BYTES, CHACHA20_KEY_BYTES}, \
     .nonce_bytes = {CHACHA20_NONCE_BYTES, CHACHA20_NONCE_BYTES}, .lanes = 1, \
     .context_bytes = sizeof(struct chacha20_stream), .context_alignment = CONTEXT_ALIGNMENT, \
     .parameters = &(chacha20), .set_key = ciphermark_chacha20_set_row_key, \
     .process = ciphermark_chacha20_keystream, .backend = backend_, \
     .process_chunks = ciphermark_chacha20_keystream_chunks, .input_bytes = {1, SIZE_MAX}, \
     .block_bytes = 1}

extern const struct chacha20 ciphermark_chacha20_reference;
extern const struct chacha20 ciphermark_chacha20_portable;
extern const struct chacha20 ciphermark_chacha12_reference;

#endif
