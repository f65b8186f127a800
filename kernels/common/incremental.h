/* MACs and hashes that take a message piece by piece, and the functions of their rows. */
#ifndef CIPHERMARK_INCREMENTAL_H
#define CIPHERMARK_INCREMENTAL_H

#include "rows.h"

/* What the parameters of a row begin with. */
struct incremental {
    /* Begins a message. CIPHERMARK_BAD_NONCE for a nonce that only the function knows to be bad. */
    int (*start)(const row *self, void *context, const uint8_t *nonce, size_t nonce_bytes);
    void (*update)(const row *self, void *context, const uint8_t *input, size_t input_bytes);
    void (*finish)(const row *self, void *context, uint8_t *tag);
};

int ciphermark_incremental(const row *self, void *context, const message *m);
int ciphermark_incremental_chunks(const row *self, void *context, const message *m,
                                  size_t chunk_bytes);

#endif
