/*
 * AVX-512 and GFNI in portable C, by SIMDe: for tests on processors that lack them, which compile
 * with CIPHERMARK_EMULATED and with the flags of what avx2.h switches on.
 */
#ifndef CIPHERMARK_EMULATED_H
#define CIPHERMARK_EMULATED_H

#include <immintrin.h>

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx2.h>
#include <simde/x86/avx512.h>
#include <simde/x86/clmul.h>
#include <simde/x86/gfni.h>
#include <string.h>

/* SIMDe has no _mm512_shuffle_i64x2; quarters of 128 bits by two bits of imm8 each. */
static inline __m512i ciphermark_shuffle_i64x2(__m512i a, __m512i b, unsigned imm8)
{
    __m128i from[8], to[4];
    memcpy(from, &a, sizeof a);
    memcpy(from + 4, &b, sizeof b);
    to[0] = from[imm8 & 3];
    to[1] = from[imm8 >> 2 & 3];
    to[2] = from[4 + (imm8 >> 4 & 3)];
    to[3] = from[4 + (imm8 >> 6 & 3)];
    memcpy(&a, to, sizeof a);
    return a;
}
#undef _mm512_shuffle_i64x2
#define _mm512_shuffle_i64x2(a, b, imm8) ciphermark_shuffle_i64x2(a, b, imm8)

/*
 * SIMDe's masks of these comparisons have a branch for each byte, and checks of constant time would
 * take it for the kernels' own.
 */
static inline uint64_t ciphermark_movepi8_mask(__m512i x)
{
    __m256i half[2];
    memcpy(half, &x, sizeof x);
    return (uint32_t)_mm256_movemask_epi8(half[0]) |
           (uint64_t)(uint32_t)_mm256_movemask_epi8(half[1]) << 32;
}
#undef _mm512_movepi8_mask
#define _mm512_movepi8_mask(x) ciphermark_movepi8_mask(x)

static inline uint64_t ciphermark_cmplt_epu8_mask(__m512i a, __m512i b)
{
    return ~_mm512_cmpeq_epi8_mask(_mm512_max_epu8(a, b), a);
}
#undef _mm512_cmplt_epu8_mask
#define _mm512_cmplt_epu8_mask(a, b) ciphermark_cmplt_epu8_mask(a, b)

/* Nor _mm512_cvtepu8_epi32. */
static inline __m512i ciphermark_cvtepu8_epi32(__m128i a)
{
    const __m256i low = _mm256_cvtepu8_epi32(a), high = _mm256_cvtepu8_epi32(_mm_srli_si128(a, 8));
    __m512i words;
    memcpy(&words, &low, sizeof low);
    memcpy((char *)&words + sizeof low, &high, sizeof high);
    return words;
}
#undef _mm512_cvtepu8_epi32
#define _mm512_cvtepu8_epi32(a) ciphermark_cvtepu8_epi32(a)

/* Nor _mm512_mask_shuffle_epi32 and _mm512_shuffle_epi32; of each 128 bits, words by two bits of
 * imm8 each. */
static inline __m512i ciphermark_mask_shuffle_epi32(__m512i source, unsigned mask, __m512i a,
                                                    unsigned imm8)
{
    uint32_t from[16], to[16];
    unsigned i;
    memcpy(from, &a, sizeof a);
    memcpy(to, &source, sizeof source);
    for (i = 0; i < 16; i++) {
        if (mask >> i & 1)
            to[i] = from[i / 4 * 4 + (imm8 >> 2 * (i % 4) & 3)];
    }
    memcpy(&a, to, sizeof a);
    return a;
}
#undef _mm512_mask_shuffle_epi32
#define _mm512_mask_shuffle_epi32(source, mask, a, imm8) \
    ciphermark_mask_shuffle_epi32(source, mask, a, imm8)

#undef _mm512_shuffle_epi32
#define _mm512_shuffle_epi32(a, imm8) ciphermark_mask_shuffle_epi32(a, 0xffff, a, imm8)

/* Nor bytes under a mask, in memory. */
static inline __m512i ciphermark_maskz_loadu_epi8(uint64_t mask, const void *bytes)
{
    uint8_t to[64] = {0};
    __m512i x;
    unsigned i;
    for (i = 0; i < 64; i++) {
        if (mask >> i & 1)
            to[i] = ((const uint8_t *)bytes)[i];
    }
    memcpy(&x, to, sizeof x);
    return x;
}
#undef _mm512_maskz_loadu_epi8
#define _mm512_maskz_loadu_epi8(mask, bytes) ciphermark_maskz_loadu_epi8(mask, bytes)

static inline void ciphermark_mask_storeu_epi8(void *bytes, uint64_t mask, __m512i x)
{
    uint8_t from[64];
    unsigned i;
    memcpy(from, &x, sizeof x);
    for (i = 0; i < 64; i++) {
        if (mask >> i & 1)
            ((uint8_t *)bytes)[i] = from[i];
    }
}
#undef _mm512_mask_storeu_epi8
#define _mm512_mask_storeu_epi8(bytes, mask, x) ciphermark_mask_storeu_epi8(bytes, mask, x)

/* Nor rounds of AES on four blocks. */
static inline __m512i ciphermark_aesenc_epi128(__m512i x, __m512i keys)
{
    __m128i blocks[4], of_blocks[4];
    unsigned i;
    memcpy(blocks, &x, sizeof x);
    memcpy(of_blocks, &keys, sizeof keys);
    for (i = 0; i < 4; i++)
        blocks[i] = _mm_aesenc_si128(blocks[i], of_blocks[i]);
    memcpy(&x, blocks, sizeof x);
    return x;
}
#undef _mm512_aesenc_epi128
#define _mm512_aesenc_epi128(x, keys) ciphermark_aesenc_epi128(x, keys)

/* Nor the products of words of 52 bits. */
static inline __m512i ciphermark_madd52(__m512i sum, __m512i a, __m512i b, unsigned shift)
{
    const uint64_t mask = ((uint64_t)1 << 52) - 1;
    uint64_t x[8], y[8], z[8];
    unsigned i;
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    memcpy(z, &sum, sizeof z);
    for (i = 0; i < 8; i++)
        z[i] += (uint64_t)((__extension__(unsigned __int128)(x[i] & mask)) * (y[i] & mask) >>
                           shift) & mask;
    memcpy(&sum, z, sizeof z);
    return sum;
}
#undef _mm512_madd52lo_epu64
#define _mm512_madd52lo_epu64(sum, a, b) ciphermark_madd52(sum, a, b, 0)
#undef _mm512_madd52hi_epu64
#define _mm512_madd52hi_epu64(sum, a, b) ciphermark_madd52(sum, a, b, 52)

#endif
