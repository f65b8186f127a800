/* Carry-less multiplication of 512 bits, for lanes/uia2_polynomial.h; after avx512.h. */
#ifndef CIPHERMARK_VPCLMULQDQ_H
#define CIPHERMARK_VPCLMULQDQ_H

typedef __m512i wide;
#define WIDE_BLOCKS 8

static inline wide load_wide(const void *bytes)
{
    return _mm512_loadu_si512(bytes);
}

static inline void store_wide(void *bytes, wide x)
{
    _mm512_storeu_si512(bytes, x);
}

static inline wide all64(uint64_t word)
{
    return _mm512_set1_epi64((long long)word);
}

static inline wide xor_wide(wide a, wide b)
{
    return _mm512_xor_si512(a, b);
}

/* The bytes of each word in the other order. */
static inline wide reverse_blocks(wide x)
{
    const __m128i order = _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    return _mm512_shuffle_epi8(x, _mm512_broadcast_i32x4(order));
}

static inline wide load_blocks(const void *bytes)
{
    return reverse_blocks(load_wide(bytes));
}

static inline wide multiply_even(wide a, wide b)
{
    return _mm512_clmulepi64_epi128(a, b, 0x00);
}

static inline wide multiply_odd(wide a, wide b)
{
    return _mm512_clmulepi64_epi128(a, b, 0x11);
}

static inline wide multiply_odd_even(wide a, wide b)
{
    return _mm512_clmulepi64_epi128(a, b, 0x01);
}

static inline wide even_words(wide a, wide b)
{
    return _mm512_unpacklo_epi64(a, b);
}

static inline wide total(wide x)
{
    const wide half = _mm512_xor_si512(x, _mm512_shuffle_i64x2(x, x, 0x4e));
    return _mm512_xor_si512(half, _mm512_shuffle_i64x2(half, half, 0xb1));
}

static inline uint64_t first_word(wide x)
{
    return (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(x));
}

#endif
