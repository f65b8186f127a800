/* Blocks of TEA and XTEA, which are two words each, side by side. */
#ifndef CIPHERMARK_TEA_LANES_H
#define CIPHERMARK_TEA_LANES_H

#include "words.h"

#define BLOCK_BYTES 8
/* Several vectors of 128 bits, so that one does not wait for another. */
#define LANES 16

struct lanes {
    uint32_t y[LANES], z[LANES];
};

static inline void load(struct lanes *lanes, const uint8_t *input)
{
    unsigned i;
    for (i = 0; i < LANES; i++, input += BLOCK_BYTES) {
        lanes->y[i] = load_be32(input);
        lanes->z[i] = load_be32(input + 4);
    }
}

static inline void store(uint8_t *output, const struct lanes *lanes)
{
    unsigned i;
    for (i = 0; i < LANES; i++, output += BLOCK_BYTES) {
        store_be32(output, lanes->y[i]);
        store_be32(output + 4, lanes->z[i]);
    }
}

#endif
