/* Four words of 64 bits, for avx2.h and avx512.h: what is for a few streams needs no more. */
#ifndef CIPHERMARK_WORDS64_H
#define CIPHERMARK_WORDS64_H

typedef __m256i words64;
#define WORDS64 4

static inline words64 load_words64(const uint64_t *words)
{
    return _mm256_loadu_si256((const void *)words);
}

static inline void store_words64(uint64_t *words, words64 x)
{
    _mm256_storeu_si256((void *)words, x);
}

/* The same word in all lanes. */
static inline words64 all_words64(uint64_t word)
{
    return _mm256_set1_epi64x((long long)word);
}

static inline words64 add_words64(words64 a, words64 b)
{
    return _mm256_add_epi64(a, b);
}

static inline words64 subtract_words64(words64 a, words64 b)
{
    return _mm256_sub_epi64(a, b);
}

static inline words64 and_words64(words64 a, words64 b)
{
    return _mm256_and_si256(a, b);
}

static inline words64 xor_words64(words64 a, words64 b)
{
    return _mm256_xor_si256(a, b);
}

/* Of the lower halves. */
static inline words64 multiply_words64(words64 a, words64 b)
{
    return _mm256_mul_epu32(a, b);
}

/* By a number of bits that is a constant. */
#define shift_left_words64 _mm256_slli_epi64
#define shift_right_words64 _mm256_srli_epi64

#endif
