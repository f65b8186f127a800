/* ChaCha20-Poly1305 (RFC 8439, section 2.8). */
#ifndef CIPHERMARK_CHACHA20_POLY1305_H
#define CIPHERMARK_CHACHA20_POLY1305_H

#include "chacha20.h"
#include "poly1305.h"

/* Parameters of its rows. */
struct chacha20_poly1305 {
    const struct chacha20 *chacha20;
    const struct poly1305 *poly1305;
};

struct chacha20_poly1305_context {
    struct chacha20_stream stream;
    uint64_t authenticator[MOST_POLY1305_STATE_BYTES / 8];
};

int ciphermark_chacha20_poly1305_set_key(const row *self, void *context, const uint8_t *key,
                                         size_t key_bytes);
int ciphermark_chacha20_poly1305_seal(const row *self, void *context, const message *m);
int ciphermark_chacha20_poly1305_open(const row *self, void *context, const message *m);

#define CHACHA20_POLY1305_ROW(does, process_, parameters_, backend_) \
    {.algorithm = "chacha20-poly1305", .operation = does, .timing = CIPHERMARK_CONSTANT_TIME, \
     .key_bytes = {CHACHA20_KEY_BYTES, CHACHA20_KEY_BYTES}, \
     .nonce_bytes = {CHACHA20_NONCE_BYTES, CHACHA20_NONCE_BYTES}, \
     .tag_bytes = POLY1305_TAG_BYTES, .lanes = 1, \
     .context_bytes = sizeof(struct chacha20_poly1305_context), \
     .context_alignment = CONTEXT_ALIGNMENT, .parameters = &(parameters_), \
     .set_key = ciphermark_chacha20_poly1305_set_key, .process = process_, .backend = backend_, \
     .input_bytes = {0, SIZE_MAX}, .block_bytes = 1}

#define CHACHA20_POLY1305_ROWS(parameters_, backend_) \
    CHACHA20_POLY1305_ROW(SEAL, ciphermark_chacha20_poly1305_seal, parameters_, backend_), \
    CHACHA20_POLY1305_ROW(OPEN, ciphermark_chacha20_poly1305_open, parameters_, backend_)

#endif
