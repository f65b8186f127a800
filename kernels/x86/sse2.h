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

/* The same word of 64 bits in all lanes. */
static inline vector same64(uint64_t word)
{
    return _mm_set1_epi64x((long long)word);
}

/* By a number of bits that is a constant. */
#define shift_right64 _mm_srli_epi64

static inline vector lower_halves64(vector a, vector b)
{
    return _mm_or_si128(_mm_and_si128(a, same64(UINT32_MAX)), _mm_slli_epi64(b, 32));
}

/* The sum of all words of 64 bits. */
static inline uint64_t total64(vector x)
{
    return (uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(x, _mm_unpackhi_epi64(x, x)));
}

/* Less than VECTOR_BYTES bytes, and zeros. */
static inline vector load_bytes(const uint8_t *bytes, size_t count)
{
    if (count < 8)
        return _mm_set_epi64x(0, (long long)load_le64_part(bytes, count));
    return _mm_set_epi64x((long long)load_le64_part(bytes + 8, count - 8),
                          (long long)load_le64(bytes));
}

#endif
