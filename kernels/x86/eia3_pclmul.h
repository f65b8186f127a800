/* sum_windows of eea3eia3_lanes.h by PCLMULQDQ. */
#ifndef CIPHERMARK_EIA3_PCLMUL_H
#define CIPHERMARK_EIA3_PCLMUL_H

#include "words.h"

/* Two runs of 16 bytes. */
static inline vector load_both(const void *low, const void *high)
{
    return _mm256_set_m128i(_mm_loadu_si128(high), _mm_loadu_si128(low));
}

/* Sums of products, those of which the second word counts and those of which the third does. */
struct products {
    __m128i second, third;
};

/* Three words of a message in 16 bytes, and four of keystream. */
static inline void add_products(struct products *sums, __m128i m, __m128i k)
{
    sums->second = _mm_xor_si128(sums->second, _mm_clmulepi64_si128(k, m, 0x00));
    sums->third = _mm_xor_si128(sums->third, _mm_clmulepi64_si128(k, m, 0x11));
}

/* Six words of a message, in two threes, and the keystream from each three on. */
static inline void add_six_words(struct products *sums, vector m, const uint32_t *k)
{
    const vector pairs_m = _mm256_shuffle_epi32(reverse_bits(m), _MM_SHUFFLE(2, 1, 1, 0));
    const vector pairs_k = _mm256_shuffle_epi32(load_both(k, k + 3), _MM_SHUFFLE(2, 3, 0, 1));
    add_products(sums, _mm256_castsi256_si128(pairs_m), _mm256_castsi256_si128(pairs_k));
    add_products(sums, _mm256_extracti128_si256(pairs_m, 1), _mm256_extracti128_si256(pairs_k, 1));
}

/* Of 64 bytes: five threes of words and one word. */
static inline uint32_t sum_windows(const uint8_t *m, const uint32_t *k)
{
    struct products sums = {_mm_setzero_si128(), _mm_setzero_si128()};
    const __m128i last = _mm_cvtsi32_si128((int)load_le32(m + 60));
    add_six_words(&sums, load_both(m, m + 12), k);
    add_six_words(&sums, load_both(m + 24, m + 36), k + 6);
    add_six_words(&sums, _mm256_set_m128i(last, _mm_loadu_si128((const void *)(m + 48))), k + 12);
    return (uint32_t)_mm_extract_epi32(sums.second, 1) ^ (uint32_t)_mm_extract_epi32(sums.third, 2);
}

#endif
