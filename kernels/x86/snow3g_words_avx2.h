/* Words of eight packets by AVX2, for lanes/snow3g_words.h. */
#ifndef CIPHERMARK_SNOW3G_WORDS_AVX2_H
#define CIPHERMARK_SNOW3G_WORDS_AVX2_H

#define s1 aes_round

static inline vector rotate24(vector x)
{
    return _mm256_shuffle_epi8(x, in_both(0x0407060500030201, 0x0c0f0e0d080b0a09));
}

static inline vector load_fourths(const uint8_t *row)
{
    const __m128i low = _mm_loadu_si128((const void *)row);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low),
                                   _mm_loadu_si128((const void *)(row + 4 * 16)), 1);
}

#endif
