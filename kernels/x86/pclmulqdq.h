/* Carry-less multiplication of 128 bits, for lanes/uia2_polynomial.h; after a vector header. */
#ifndef CIPHERMARK_PCLMULQDQ_H
#define CIPHERMARK_PCLMULQDQ_H

typedef __m128i wide;
#define WIDE_BLOCKS 2

static inline wide load_wide(const void *bytes)
{
    return _mm_loadu_si128(bytes);
}

static inline void store_wide(void *bytes, wide x)
{
    _mm_storeu_si128(bytes, x);
}

static inline wide all64(uint64_t word)
{
    return _mm_set1_epi64x((long long)word);
}

static inline wide xor_wide(wide a, wide b)
{
    return _mm_xor_si128(a, b);
}

static inline wide load_blocks(const void *bytes)
{
    const __m128i order = _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    return _mm_shuffle_epi8(load_wide(bytes), order);
}

static inline wide multiply_even(wide a, wide b)
{
    return _mm_clmulepi64_si128(a, b, 0x00);
}

static inline wide multiply_odd(wide a, wide b)
{
    return _mm_clmulepi64_si128(a, b, 0x11);
}

static inline wide multiply_odd_even(wide a, wide b)
{
    return _mm_clmulepi64_si128(a, b, 0x01);
}

static inline wide even_words(wide a, wide b)
{
    return _mm_unpacklo_epi64(a, b);
}

static inline wide total(wide x)
{
    return x;
}

static inline uint64_t first_word(wide x)
{
    return (uint64_t)_mm_cvtsi128_si64(x);
}

#endif
