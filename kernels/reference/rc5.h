/* A round of RC5-32 (see rc5_cipher.h), for kernels of several kinds. */
#ifndef CIPHERMARK_RC5_H
#define CIPHERMARK_RC5_H

#include "words.h"

/* With S[2i] and S[2i + 1] as the keys of round i. */
static inline void rc5_round(uint32_t *A, uint32_t *B, const uint32_t *S)
{
    *A = rotate_left32(*A ^ *B, (unsigned)(*B & 31)) + S[0];
    *B = rotate_left32(*B ^ *A, (unsigned)(*A & 31)) + S[1];
}

static inline void rc5_inverse_round(uint32_t *A, uint32_t *B, const uint32_t *S)
{
    *B = rotate_right32(*B - S[1], (unsigned)(*A & 31)) ^ *A;
    *A = rotate_right32(*A - S[0], (unsigned)(*B & 31)) ^ *B;
}

#endif
