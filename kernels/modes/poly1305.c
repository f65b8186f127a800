#include "poly1305.h"

#include "words.h"

int ciphermark_poly1305_set_key(const row *self, void *context, const uint8_t *key,
                                size_t key_bytes)
{
    const struct poly1305 *poly1305 = self->parameters;
    struct authenticating *authenticating = context;
    (void)key_bytes;
    poly1305->set_key(authenticating->state, key);
    return CIPHERMARK_DONE;
}

int ciphermark_poly1305_start(const row *self, void *context, const uint8_t *nonce,
                              size_t nonce_bytes)
{
    struct authenticating *authenticating = context;
    (void)self;
    (void)nonce;
    (void)nonce_bytes;
    authenticating->held = 0;
    return CIPHERMARK_DONE;
}

void ciphermark_poly1305_update(const row *self, void *context, const uint8_t *input,
                                size_t bytes)
{
    const struct poly1305 *poly1305 = self->parameters;
    struct authenticating *authenticating = context;
    const size_t room = (size_t)(POLY1305_BLOCK_BYTES - authenticating->held);
    size_t first = 0, whole;
    if (authenticating->held > 0) {
        first = bytes < room ? bytes : room;
        memcpy(authenticating->rest + authenticating->held, input, first);
        authenticating->held = (uint8_t)(authenticating->held + first);
        if (first < room)
            return;
        poly1305->absorb(authenticating->state, authenticating->rest, 1, 1);
    }
    whole = (bytes - first) / POLY1305_BLOCK_BYTES * POLY1305_BLOCK_BYTES;
    poly1305->absorb(authenticating->state, input + first, whole / POLY1305_BLOCK_BYTES, 1);
    authenticating->held = (uint8_t)(bytes - first - whole);
    memcpy(authenticating->rest, input + first + whole, authenticating->held);
}

/* Section 2.5.1: in a last block that is not whole, the one stands after the message. */
void ciphermark_poly1305_finish(const row *self, void *context, uint8_t *tag)
{
    const struct poly1305 *poly1305 = self->parameters;
    struct authenticating *authenticating = context;
    uint8_t *rest = authenticating->rest;
    const size_t held = authenticating->held;
    if (held > 0) {
        rest[held] = 1;
        memset(rest + held + 1, 0, POLY1305_BLOCK_BYTES - held - 1);
        poly1305->absorb(authenticating->state, rest, 1, 0);
    }
    poly1305->finish(authenticating->state, tag);
}
