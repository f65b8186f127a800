/* sum_windows of eea3eia3_lanes.h by VPCLMULQDQ. */
#ifndef CIPHERMARK_EIA3_VPCLMUL_H
#define CIPHERMARK_EIA3_VPCLMUL_H

/* Words of the message, and of the keystream, that are factors of two products each: those of the
 * threes from words 0, 3, 6 and 9 on. */
static const uint32_t PAIRS_M[16] = {0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8, 9, 10, 10, 11};
static const uint32_t PAIRS_K[16] = {1, 0, 3, 2, 4, 3, 6, 5, 7, 6, 9, 8, 10, 9, 12, 11};

/* From words 12 and 15 on; the latter is the last of the message. */
static const uint32_t LAST_PAIRS_M[16] = {12, 13, 13, 14, 15};
#define LAST_WORDS 0x1f

/* The sum of the four parts of 128 bits. */
static inline __m128i folded(vector x)
{
    const __m256i y = _mm256_xor_si256(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
    return _mm_xor_si128(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1));
}

/* Of 64 bytes. */
static inline uint32_t sum_windows(const uint8_t *m, const uint32_t *k)
{
    const vector words = reverse_bits(load_vector(m));
    const vector pairs_m = _mm512_permutexvar_epi32(load_vector(PAIRS_M), words);
    const vector pairs_k = _mm512_permutexvar_epi32(load_vector(PAIRS_K), load_vector(k));
    const vector last_m =
        _mm512_maskz_permutexvar_epi32(LAST_WORDS, load_vector(LAST_PAIRS_M), words);
    const vector last_k = _mm512_permutexvar_epi32(load_vector(PAIRS_K), load_vector(k + 12));
    const __m128i second = folded(xor2(_mm512_clmulepi64_epi128(pairs_k, pairs_m, 0x00),
                                       _mm512_clmulepi64_epi128(last_k, last_m, 0x00)));
    const __m128i third = folded(xor2(_mm512_clmulepi64_epi128(pairs_k, pairs_m, 0x11),
                                      _mm512_clmulepi64_epi128(last_k, last_m, 0x11)));
    return (uint32_t)_mm_extract_epi32(second, 1) ^ (uint32_t)_mm_extract_epi32(third, 2);
}

#endif
