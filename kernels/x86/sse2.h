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

/* The same in a register, where compilers would load it for each instruction that takes it. */
static inline vector held(vector x)
{
    __asm__("" : "+x"(x));
    return x;
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

/* At most 16 bytes, and zeros behind them. */
static inline vector load_part(const uint8_t *bytes, size_t count)
{
    const struct part part = load_part16(bytes, count);
    if (count == 16)
        return load_vector(bytes);
    return _mm_set_epi64x((long long)part.high, (long long)part.low);
}

/* The same word of 64 bits in all lanes. */
static inline vector same64(uint64_t word)
{
    return _mm_set1_epi64x((long long)word);
}

static inline vector interleave_low32(vector a, vector b)
{
    return _mm_unpacklo_epi32(a, b);
}

static inline vector interleave_high32(vector a, vector b)
{
    return _mm_unpackhi_epi32(a, b);
}

static inline vector interleave_low64(vector a, vector b)
{
    return _mm_unpacklo_epi64(a, b);
}

static inline vector interleave_high64(vector a, vector b)
{
    return _mm_unpackhi_epi64(a, b);
}

/* Words of 64 bits, as x86/words64.h has more of them. */
typedef vector words64;
#define WORDS64 2

static inline words64 load_words64(const uint64_t *words)
{
    return load_vector(words);
}

static inline void store_words64(uint64_t *words, words64 x)
{
    store_vector(words, x);
}

#define all_words64 same64

static inline words64 add_words64(words64 a, words64 b)
{
    return add64(a, b);
}

static inline words64 subtract_words64(words64 a, words64 b)
{
    return _mm_sub_epi64(a, b);
}

static inline words64 and_words64(words64 a, words64 b)
{
    return and2(a, b);
}

static inline words64 xor_words64(words64 a, words64 b)
{
    return xor2(a, b);
}

static inline words64 multiply_words64(words64 a, words64 b)
{
    return multiply_even32(a, b);
}

#define shift_left_words64 _mm_slli_epi64
#define shift_right_words64 _mm_srli_epi64

/* Sums a, b, c and d of vectors that have a and b, and c and d, in turn; and of one with all. */
static inline void store_sums64(uint64_t *sums, vector ab, vector cd)
{
    store_vector(sums, ab);
    store_vector(sums + 2, cd);
}

static inline void store_sums32(uint64_t *sums, vector abcd)
{
    store_vector(sums, interleave_low32(abcd, _mm_setzero_si128()));
    store_vector(sums + 2, interleave_high32(abcd, _mm_setzero_si128()));
}

/* By a number of bits that is a constant. */
#define shift_left64 _mm_slli_epi64
#define shift_right64 _mm_srli_epi64

static inline vector lower_halves64(vector a, vector b)
{
    return _mm_or_si128(_mm_and_si128(a, same64(UINT32_MAX)), _mm_slli_epi64(b, 32));
}

#define load_bytes load_part

static inline vector subtract64(vector a, vector b)
{
    return _mm_sub_epi64(a, b);
}

/* Averages of words of 16 bits, rounded up. */
static inline vector average16(vector a, vector b)
{
    return _mm_avg_epu16(a, b);
}

#include "halves64.h"
#include "vectors16.h"

#endif
