/* Poly1305 (RFC 8439) of messages of any length, of kernels that take whole blocks. */
#ifndef CIPHERMARK_POLY1305_H
#define CIPHERMARK_POLY1305_H

#include "incremental.h"

#define POLY1305_BLOCK_BYTES 16
#define POLY1305_KEY_BYTES 32
#define POLY1305_TAG_BYTES 16
#define MOST_POLY1305_STATE_BYTES 56

/*
 * The parameters of a row. Names are those of section 2.5: r and s are the halves of the key, and a
 * is the accumulator.
 */
struct poly1305 {
    struct incremental calls;
    /* Begins with a = 0. */
    void (*set_key)(void *state, const uint8_t *key);
    /* a = (a + block + 2^128 top) r for each of the blocks. */
    void (*absorb)(void *state, const uint8_t *blocks, size_t count, uint32_t top);
    /* The tag of a + s; then a is 0 for another message. */
    void (*finish)(void *state, uint8_t *tag);
};

/* A message as far as it has come. */
struct authenticating {
    uint64_t state[MOST_POLY1305_STATE_BYTES / 8];
    uint8_t rest[POLY1305_BLOCK_BYTES]; /* its bytes after the last whole block */
    uint8_t held;                       /* how many */
};

/* The functions of rows; the context is a `struct authenticating`. */
int ciphermark_poly1305_set_key(const row *self, void *context, const uint8_t *key,
                                size_t key_bytes);
int ciphermark_poly1305_start(const row *self, void *context, const uint8_t *nonce,
                              size_t nonce_bytes);
void ciphermark_poly1305_update(const row *self, void *context, const uint8_t *input,
                                size_t bytes);
void ciphermark_poly1305_finish(const row *self, void *context, uint8_t *tag);

#define POLY1305_CALLS \
    {ciphermark_poly1305_start, ciphermark_poly1305_update, ciphermark_poly1305_finish}

#define POLY1305_ROW(poly1305, backend_) \
    {.algorithm = "poly1305", .operation = MAC, .timing = CIPHERMARK_CONSTANT_TIME, \
     .key_bytes = {POLY1305_KEY_BYTES, POLY1305_KEY_BYTES}, .tag_bytes = POLY1305_TAG_BYTES, \
     .lanes = 1, .context_bytes = sizeof(struct authenticating), \
     .context_alignment = CONTEXT_ALIGNMENT, .parameters = &(poly1305), \
     .set_key = ciphermark_poly1305_set_key, .process = ciphermark_incremental, \
     .backend = backend_, .process_chunks = ciphermark_incremental_chunks, \
     .input_bytes = {0, SIZE_MAX}, .block_bytes = 1, .takes_repeats = 1}

extern const struct poly1305 ciphermark_poly1305_reference;
extern const struct poly1305 ciphermark_poly1305_portable;

#endif
