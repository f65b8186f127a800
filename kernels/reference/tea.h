/* TEA (Wheeler, Needham, TEA, a Tiny Encryption Algorithm, 1994), for kernels of several kinds. */
#ifndef CIPHERMARK_TEA_H
#define CIPHERMARK_TEA_H

#include <stdint.h>

#define TEA_CYCLES 32
/* (√5 - 1) · 2^31. */
#define TEA_DELTA 0x9e3779b9

/* What one word is changed by, which is of the other word, the sum and half the key. */
static inline uint32_t tea_mixed(uint32_t word, uint32_t sum, const uint32_t *k)
{
    return ((word << 4) + k[0]) ^ (word + sum) ^ ((word >> 5) + k[1]);
}

#endif
