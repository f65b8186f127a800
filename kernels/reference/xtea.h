/* XTEA (Needham, Wheeler, Tea Extensions, 1997), for kernels of several kinds. */
#ifndef CIPHERMARK_XTEA_H
#define CIPHERMARK_XTEA_H

#include <stdint.h>

#define XTEA_CYCLES 32
/* (√5 - 1) · 2^31, as in TEA. */
#define XTEA_DELTA 0x9e3779b9

/* What a word is changed by. Two bits of the sum, which is no secret, choose a word of the key. */
static inline uint32_t xtea_mixed(uint32_t word, uint32_t sum, const uint32_t *k, unsigned shift)
{
    return (((word << 4) ^ (word >> 5)) + word) ^ (sum + k[(sum >> shift) & 3]);
}

#endif
