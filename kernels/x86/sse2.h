/* Vectors of 128 bits: SSE2, which every x86-64 processor has. */
#ifndef CIPHERMARK_SSE2_H
#define CIPHERMARK_SSE2_H

#include <emmintrin.h>
#include <stdint.h>
#include <string.h>

#include "part.h"
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

static inline vector add16(vector a, vector b)
{
    return _mm_add_epi16(a, b);
}

/* A word before zeros. */
static inline vector first32(uint32_t word)
{
    return _mm_cvtsi32_si128((int)word);
}

/* sum + a b, of words of 32 bits, two to each sum. */
static inline vector add_products32(vector sum, vector a, vector b)
{
    const vector even = _mm_mul_epu32(a, b);
    const vector odd = _mm_mul_epu32(_mm_shuffle_epi32(a, 0xf5), _mm_shuffle_epi32(b, 0xf5));
    return add64(sum, add64(even, odd));
}

/* The same of words of 16 bits with a sign. */
static inline vector add_products16(vector sum, vector a, vector b)
{
    return add32(sum, _mm_madd_epi16(a, b));
}

/* Of all lanes. */
static inline uint64_t sum_of64(vector x)
{
    return (uint64_t)_mm_cvtsi128_si64(add64(x, _mm_unpackhi_epi64(x, x)));
}

static inline uint32_t sum_of32(vector x)
{
    x = add32(x, _mm_shuffle_epi32(x, 0x4e));
    return (uint32_t)_mm_cvtsi128_si32(add32(x, _mm_shuffle_epi32(x, 0xb1)));
}

/* At most 16 bytes, and zeros behind them. */
static inline vector load_part(const uint8_t *bytes, size_t count)
{
    const struct part part = load_part16(bytes, count);
    if (count == 16)
        return load_vector(bytes);
    return _mm_set_epi64x((long long)part.high, (long long)part.low);
}

/*
 * Groups of 32 bytes, as many as a step of NH takes: the first 16 bytes of all, the second ones, and
 * ones in the lanes where there are groups.
 */
struct halves {
    vector first, second, kept;
};

static inline struct halves load_halves(const uint8_t *bytes)
{
    const struct halves halves = {load_vector(bytes), load_vector(bytes + 16), all32(UINT32_MAX)};
    return halves;
}

/* Of less, or no bytes: zeros are behind them in the last group, of which there is at least one. */
static inline struct halves load_last_halves(const uint8_t *bytes, size_t count)
{
    const size_t first = count < 16 ? count : 16;
    const struct halves halves = {load_part(bytes, first), load_part(bytes + first, count - first),
                                  all32(UINT32_MAX)};
    return halves;
}

/* Shifts of words of 64 bits. */
static inline vector shift_left64(vector x, int bits)
{
    return _mm_slli_epi64(x, bits);
}

static inline vector shift_right64(vector x, int bits)
{
    return _mm_srli_epi64(x, bits);
}

/* The same word of 64 bits in all lanes. */
static inline vector each64(uint64_t word)
{
    return _mm_set1_epi64x((long long)word);
}

static inline vector subtract64(vector a, vector b)
{
    return _mm_sub_epi64(a, b);
}

/* Averages of words of 16 bits, rounded up. */
static inline vector average16(vector a, vector b)
{
    return _mm_avg_epu16(a, b);
}

/* Stops compilers from adding up other things first, for which there are not enough registers. */
#define SUMS_IN_ORDER(a, b, c) __asm__("" : "+x"(a), "+x"(b), "+x"(c))

/* Halves of words of 64 bits, and their products. */
typedef vector halves64;

static inline halves64 low_halves64(vector x)
{
    return x;
}

static inline halves64 high_halves64(vector x)
{
    return odd_words(x);
}

static inline vector multiply_halves64(halves64 a, halves64 b)
{
    return multiply_even32(a, b);
}

/* Of two places that are so far apart, the two words of 64 bits. */
struct words64 {
    vector even, odd;
};

static inline struct words64 load_words64(const uint8_t *bytes, size_t apart)
{
    const vector one = load_vector(bytes), other = load_vector(bytes + apart);
    const struct words64 words = {_mm_unpacklo_epi64(one, other), _mm_unpackhi_epi64(one, other)};
    return words;
}

/* The lower halves of words of 64 bits, those of b above those of a. */
static inline vector lower_halves64(vector a, vector b)
{
    return _mm_or_si128(_mm_and_si128(a, each64(UINT32_MAX)), _mm_slli_epi64(b, 32));
}

/* Less than VECTOR_BYTES bytes, and zeros. */
#define load_bytes load_part

#endif
