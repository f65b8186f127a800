/* Vectors of 128 bits: SSE2, which every x86-64 processor has. */
#ifndef CIPHERMARK_SSE2_H
#define CIPHERMARK_SSE2_H

#include <emmintrin.h>
#include <stdint.h>
#include <string.h>

#include "words.h"

typedef __m128i vector;
#define VECTOR_BYTES 16

/* Every processor of this architecture. */
#define RUN_HERE NULL

static inline vector load_vector(const void *bytes)
{
    return _mm_loadu_si128(bytes);
}

static inline void store_vector(void *bytes, vector x)
{
    _mm_storeu_si128(bytes, x);
}

static inline vector xor2(vector a, vector b)
{
    return _mm_xor_si128(a, b);
}

static inline vector and2(vector a, vector b)
{
    return _mm_and_si128(a, b);
}

/* The same word in all lanes. */
static inline vector all32(uint32_t word)
{
    return _mm_set1_epi32((int)word);
}

static inline vector add32(vector a, vector b)
{
    return _mm_add_epi32(a, b);
}

static inline vector add64(vector a, vector b)
{
    return _mm_add_epi64(a, b);
}

/* The odd words of 32 bits, in the places of the even ones. */
static inline vector odd_words(vector x)
{
    return _mm_srli_epi64(x, 32);
}

/* Products of the even words of 32 bits. */
static inline vector multiply_even32(vector a, vector b)
{
    return _mm_mul_epu32(a, b);
}

#endif
