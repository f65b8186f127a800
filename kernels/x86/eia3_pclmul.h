/* sum_windows of eea3eia3_lanes.h by PCLMULQDQ. */
#ifndef CIPHERMARK_EIA3_PCLMUL_H
#define CIPHERMARK_EIA3_PCLMUL_H

/* Two threes of words. */
#define SUMMED_WORDS 6

/* Words 0 1 1 2 of three in a half: the first three begin the lower half, and the second ones come
 * after one word of the upper half. */
static inline vector message_pairs(vector m)
{
    return _mm256_shuffle_epi8(
        m, _mm256_set_epi64x(0x0f0e0d0c0b0a0908, 0x0b0a090807060504, 0x0b0a090807060504,
                             0x0706050403020100));
}

/* Words 1 0 3 2 of four in a half. */
static inline vector keystream_pairs(vector k)
{
    return _mm256_shuffle_epi32(k, _MM_SHUFFLE(2, 3, 0, 1));
}

/* Two runs of 16 bytes. */
static inline vector load_both(const void *low, const void *high)
{
    return _mm256_set_m128i(_mm_loadu_si128(high), _mm_loadu_si128(low));
}

/* Sums of products, those of which the second word counts and those of which the third does. */
struct products {
    __m128i second, third;
};

static inline void add_products(struct products *sums, __m128i m, __m128i k)
{
    sums->second = _mm_xor_si128(sums->second, _mm_clmulepi64_si128(k, m, 0x00));
    sums->third = _mm_xor_si128(sums->third, _mm_clmulepi64_si128(k, m, 0x11));
}

static inline uint32_t sum_windows(const uint8_t *m, const uint32_t *k, unsigned words)
{
    struct products sums = {_mm_setzero_si128(), _mm_setzero_si128()};
    unsigned i;
    for (i = 0; i < words; i += SUMMED_WORDS) {
        const vector a = reverse_bits(message_pairs(load_both(m + 4 * i, m + 4 * i + 8)));
        const vector b = keystream_pairs(load_both(k + i, k + i + 3));
        add_products(&sums, _mm256_castsi256_si128(a), _mm256_castsi256_si128(b));
        add_products(&sums, _mm256_extracti128_si256(a, 1), _mm256_extracti128_si256(b, 1));
    }
    return (uint32_t)_mm_extract_epi32(sums.second, 1) ^ (uint32_t)_mm_extract_epi32(sums.third, 2);
}

#endif
