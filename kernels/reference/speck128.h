/* The rounds of Speck128/128 (see speck128.c), for kernels of several kinds. */
#ifndef CIPHERMARK_SPECK128_H
#define CIPHERMARK_SPECK128_H

#include "words.h"

#define SPECK128_ROUNDS 32
/* The rotations of section 4.1. */
#define SPECK128_ALPHA 8
#define SPECK128_BETA 3

/* The round function R of section 4.1. */
static inline void speck128_mix(uint64_t *x, uint64_t *y, uint64_t k)
{
    *x = (rotate_right64(*x, SPECK128_ALPHA) + *y) ^ k;
    *y = rotate_left64(*y, SPECK128_BETA) ^ *x;
}

static inline void speck128_unmix(uint64_t *x, uint64_t *y, uint64_t k)
{
    *y = rotate_right64(*y ^ *x, SPECK128_BETA);
    *x = rotate_left64((*x ^ k) - *y, SPECK128_ALPHA);
}

#endif
