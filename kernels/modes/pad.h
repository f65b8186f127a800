/* The pad of a MAC that masks a hash: a nonce, encrypted. */
#ifndef CIPHERMARK_PAD_H
#define CIPHERMARK_PAD_H

#include "block_cipher.h"

#define PAD_BLOCK_BYTES 16

/* The last nonce's block, kept since nonces that choose different parts of one share it. */
struct pad {
    uint8_t input[PAD_BLOCK_BYTES];
    uint8_t block[PAD_BLOCK_BYTES]; /* the input, encrypted */
    uint8_t is_known;
};

/* Makes pad->block that of the input. */
void ciphermark_find_pad(struct pad *pad, const struct block_cipher *cipher, const void *schedule,
                         const uint8_t input[PAD_BLOCK_BYTES]);

#endif
