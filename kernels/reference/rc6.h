/* The rounds of RC6-32/20 (section 2.2, see rc6.c), for kernels of several kinds. */
#ifndef CIPHERMARK_RC6_H
#define CIPHERMARK_RC6_H

#include "words.h"

#define RC6_ROUNDS 20
#define RC6_KEY_WORDS (2 * RC6_ROUNDS + 4)

/* f(x) = x(2x + 1), rotated by lg 32 = 5. */
static inline uint32_t rc6_quadratic(uint32_t x)
{
    return rotate_left32(x * (2 * x + 1), 5);
}

/* With S[2i] and S[2i + 1] as the keys of round i. */
static inline void rc6_round(uint32_t *A, uint32_t *B, uint32_t *C, uint32_t *D, const uint32_t *S)
{
    const uint32_t t = rc6_quadratic(*B), u = rc6_quadratic(*D);
    const uint32_t first = rotate_left32(*A ^ t, (unsigned)(u & 31)) + S[0];
    const uint32_t third = rotate_left32(*C ^ u, (unsigned)(t & 31)) + S[1];
    *A = *B;
    *B = third;
    *C = *D;
    *D = first;
}

static inline void rc6_inverse_round(uint32_t *A, uint32_t *B, uint32_t *C, uint32_t *D,
                                     const uint32_t *S)
{
    const uint32_t t = rc6_quadratic(*A), u = rc6_quadratic(*C);
    const uint32_t first = rotate_right32(*D - S[0], (unsigned)(u & 31)) ^ t;
    const uint32_t third = rotate_right32(*B - S[1], (unsigned)(t & 31)) ^ u;
    *D = *C;
    *C = third;
    *B = *A;
    *A = first;
}

#endif
