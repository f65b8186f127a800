/* sum_windows of eea3eia3_lanes.h by VPCLMULQDQ. */
#ifndef CIPHERMARK_EIA3_VPCLMUL_H
#define CIPHERMARK_EIA3_VPCLMUL_H

/* Four threes of words. */
#define SUMMED_WORDS 12

/* Of each three, the words of the message and the four of keystream that are factors. */
static const uint32_t MESSAGE_PAIRS[16] = {0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8, 9, 10, 10, 11};
static const uint32_t KEYSTREAM_PAIRS[16] = {1, 0, 3, 2, 4, 3, 6, 5, 7, 6, 9, 8, 10, 9, 12, 11};

/* What is read of 64 bytes: 12 words of the message, and 13 of keystream. */
#define MESSAGE_BYTES 0x0000ffffffffffff
#define KEYSTREAM_BYTES 0x000fffffffffffff

/* The sum of the four parts of 128 bits. */
static inline __m128i folded(vector x)
{
    const __m256i y = _mm256_xor_si256(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
    return _mm_xor_si128(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1));
}

static inline uint32_t sum_windows(const uint8_t *m, const uint32_t *k, unsigned words)
{
    vector second = all32(0), third = all32(0);
    unsigned i;
    for (i = 0; i < words; i += SUMMED_WORDS) {
        const vector a = _mm512_permutexvar_epi32(
            load_vector(MESSAGE_PAIRS),
            reverse_bits(_mm512_maskz_loadu_epi8(MESSAGE_BYTES, m + 4 * i)));
        const vector b = _mm512_permutexvar_epi32(
            load_vector(KEYSTREAM_PAIRS), _mm512_maskz_loadu_epi8(KEYSTREAM_BYTES, k + i));
        second = xor2(second, _mm512_clmulepi64_epi128(b, a, 0x00));
        third = xor2(third, _mm512_clmulepi64_epi128(b, a, 0x11));
    }
    return (uint32_t)_mm_extract_epi32(folded(second), 1) ^
           (uint32_t)_mm_extract_epi32(folded(third), 2);
}

#endif
