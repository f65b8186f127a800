/*
 * Vectors of 512 bits: AVX-512 with BW, DQ, VL, VBMI, VNNI and IFMA, GFNI, VAES and VPCLMULQDQ (Intel
 * since Ice Lake, AMD since Zen 4), for all functions of the file until instructions_end.h.
 *
 * With CIPHERMARK_EMULATED the same in portable C by SIMDe, for tests on other processors.
 */
#ifndef CIPHERMARK_AVX512_H
#define CIPHERMARK_AVX512_H

#if defined(CIPHERMARK_EMULATED)
#include "emulated.h"
#else
#if !defined(__clang__)
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vnni,avx512ifma,gfni,vaes,vpclmulqdq,aes,pclmul,bmi2")
#endif
#include <immintrin.h>
#endif

#include <stdint.h>
#include <string.h>

#include "cpu.h"

#if defined(__clang__) && !defined(CIPHERMARK_EMULATED)
#pragma clang attribute push( \
    __attribute__(( \
        target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vnni,avx512ifma,gfni,vaes,vpclmulqdq,aes,pclmul,bmi2"))), \
    apply_to = function)
#endif

typedef __m512i vector;
#define VECTOR_BYTES 64

#define RUN_HERE ciphermark_has_avx512

static inline vector load_vector(const void *bytes)
{
    return _mm512_loadu_si512(bytes);
}

static inline void store_vector(void *bytes, vector x)
{
    _mm512_storeu_si512(bytes, x);
}

/* The same byte in all lanes. */
static inline vector all8(uint8_t byte)
{
    return _mm512_set1_epi8((char)byte);
}

static inline vector xor2(vector a, vector b)
{
    return _mm512_xor_si512(a, b);
}

static inline vector xor3(vector a, vector b, vector c)
{
    return _mm512_ternarylogic_epi64(a, b, c, 0x96);
}

static inline vector and2(vector a, vector b)
{
    return _mm512_and_si512(a, b);
}

static inline vector or2(vector a, vector b)
{
    return _mm512_or_si512(a, b);
}

static inline vector add8(vector a, vector b)
{
    return _mm512_add_epi8(a, b);
}

static inline vector interleave_low8(vector a, vector b)
{
    return _mm512_unpacklo_epi8(a, b);
}

static inline vector interleave_high8(vector a, vector b)
{
    return _mm512_unpackhi_epi8(a, b);
}

static inline vector interleave_low16(vector a, vector b)
{
    return _mm512_unpacklo_epi16(a, b);
}

static inline vector interleave_high16(vector a, vector b)
{
    return _mm512_unpackhi_epi16(a, b);
}

static inline vector interleave_low32(vector a, vector b)
{
    return _mm512_unpacklo_epi32(a, b);
}

static inline vector interleave_high32(vector a, vector b)
{
    return _mm512_unpackhi_epi32(a, b);
}

static inline vector interleave_low64(vector a, vector b)
{
    return _mm512_unpacklo_epi64(a, b);
}

static inline vector interleave_high64(vector a, vector b)
{
    return _mm512_unpackhi_epi64(a, b);
}

/* A square of words of 128 bits. */
static inline void transpose_octs(vector *a, vector *b, vector *c, vector *d)
{
    const vector ab_low = _mm512_shuffle_i64x2(*a, *b, 0x44);
    const vector ab_high = _mm512_shuffle_i64x2(*a, *b, 0xee);
    const vector cd_low = _mm512_shuffle_i64x2(*c, *d, 0x44);
    const vector cd_high = _mm512_shuffle_i64x2(*c, *d, 0xee);
    *a = _mm512_shuffle_i64x2(ab_low, cd_low, 0x88);
    *b = _mm512_shuffle_i64x2(ab_low, cd_low, 0xdd);
    *c = _mm512_shuffle_i64x2(ab_high, cd_high, 0x88);
    *d = _mm512_shuffle_i64x2(ab_high, cd_high, 0xdd);
}

/* A square of eight words of 64 bits. */
static inline void transpose_quads(vector x[8])
{
    vector even[4], odd[4];
    unsigned i;
    for (i = 0; i < 4; i++) {
        even[i] = interleave_low64(x[2 * i], x[2 * i + 1]);
        odd[i] = interleave_high64(x[2 * i], x[2 * i + 1]);
    }
    transpose_octs(&even[0], &even[1], &even[2], &even[3]);
    transpose_octs(&odd[0], &odd[1], &odd[2], &odd[3]);
    for (i = 0; i < 4; i++) {
        x[2 * i] = even[i];
        x[2 * i + 1] = odd[i];
    }
}

/* Shifts words of 16 bits. */
static inline vector shift_right16(vector x, int bits)
{
    return _mm512_srl_epi16(x, _mm_cvtsi32_si128(bits));
}

/* The bits of a where `mask` has ones, and those of b elsewhere. */
static inline vector select_bits(vector mask, vector a, vector b)
{
    return _mm512_ternarylogic_epi64(mask, a, b, 0xca);
}

/* a << bits | b >> (8 - bits) of each byte. */
static inline vector joined8(vector a, vector b, int bits)
{
    return select_bits(all8((uint8_t)(0xff << bits)), _mm512_sll_epi16(a, _mm_cvtsi32_si128(bits)),
                    _mm512_srl_epi16(b, _mm_cvtsi32_si128(8 - bits)));
}

/* x ^ (high << 1 | low >> 7) of each byte. */
static inline vector xor_doubled8(vector x, vector high, vector low)
{
    const vector top_bit = _mm512_set1_epi64((long long)0x8000000000000000);
    return xor3(x, add8(high, high), _mm512_gf2p8affine_epi64_epi8(low, top_bit, 0));
}

/* (a ^ b) | c */
static inline vector xor_or(vector a, vector b, vector c)
{
    return _mm512_ternarylogic_epi64(a, b, c, 0xbe);
}

/* 16 bytes of each of four places that are so far apart. */
static inline vector load_apart16(const uint8_t *bytes, size_t apart)
{
    vector x = _mm512_castsi128_si512(_mm_loadu_si128((const void *)bytes));
    x = _mm512_mask_broadcast_i32x4(x, 0x00f0, _mm_loadu_si128((const void *)(bytes + apart)));
    x = _mm512_mask_broadcast_i32x4(x, 0x0f00, _mm_loadu_si128((const void *)(bytes + 2 * apart)));
    return _mm512_mask_broadcast_i32x4(x, 0xf000,
                                       _mm_loadu_si128((const void *)(bytes + 3 * apart)));
}

/* 16 bytes each of rows[0], rows[16], rows[32] and rows[48], from byte `at` on. */
static inline vector load_16ths(const uint8_t *const *rows, size_t at)
{
    vector x = _mm512_castsi128_si512(_mm_loadu_si128((const void *)(rows[0] + at)));
    x = _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(rows[16] + at)), 1);
    x = _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(rows[32] + at)), 2);
    return _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(rows[48] + at)), 3);
}

/* The same word of 32 bits in all lanes. */
static inline vector all32(uint32_t word)
{
    return _mm512_set1_epi32((int)word);
}

static inline vector add32(vector a, vector b)
{
    return _mm512_add_epi32(a, b);
}

static inline vector subtract32(vector a, vector b)
{
    return _mm512_sub_epi32(a, b);
}

/* The lesser of words without a sign. */
static inline vector lesser32(vector a, vector b)
{
    return _mm512_min_epu32(a, b);
}

/* By a number of bits that is a constant. */
#define shift_left32 _mm512_slli_epi32
#define shift_right32 _mm512_srli_epi32
#define rotate_left_words _mm512_rol_epi32

/* The bytes of each word in the other order. */
static inline vector reverse_bytes32(vector x)
{
    return _mm512_shuffle_epi8(x, _mm512_set4_epi32(0x0c0d0e0f, 0x08090a0b, 0x04050607, 0x00010203));
}

/* Sums and differences of words of 64 bits, and products of the lower halves of such words. */
static inline vector add64(vector a, vector b)
{
    return _mm512_add_epi64(a, b);
}

static inline vector subtract64(vector a, vector b)
{
    return _mm512_sub_epi64(a, b);
}

static inline vector multiply_low32(vector a, vector b)
{
    return _mm512_mul_epu32(a, b);
}

/* As many bytes as there are words, each to a word. */
static inline vector widen_bytes(const uint8_t bytes[16])
{
    return _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)bytes));
}

/* The upper halves of the words of a, and the lower ones of b. */
static inline vector upper_lower16(vector a, vector b)
{
    return _mm512_ternarylogic_epi32(_mm512_set1_epi32(0xffff), b, a, 0xca);
}

/* The upper and lower halves of each word exchanged. */
static inline vector exchange16(vector x)
{
    return _mm512_rol_epi32(x, 16);
}

/* The lower halves of words of 64 bits, those of b above those of a; and the upper halves. */
static inline vector lower_halves64(vector a, vector b)
{
    return _mm512_mask_shuffle_epi32(a, 0xaaaa, b, (_MM_PERM_ENUM)0xa0);
}

static inline vector upper_halves64(vector a, vector b)
{
    return _mm512_mask_shuffle_epi32(b, 0x5555, a, (_MM_PERM_ENUM)0xf5);
}

static inline vector odd_words(vector x)
{
    return _mm512_srli_epi64(x, 32);
}

/* output = input ^ x, of at most VECTOR_BYTES bytes. */
static inline void xor_part(uint8_t *output, const uint8_t *input, vector x, size_t bytes)
{
    const __mmask64 part = _bzhi_u64(UINT64_MAX, (unsigned)bytes);
    _mm512_mask_storeu_epi8(output, part, xor2(_mm512_maskz_loadu_epi8(part, input), x));
}

/* Products of the even words of 32 bits. */
static inline vector multiply_even32(vector a, vector b)
{
    return _mm512_mul_epu32(a, b);
}

static inline vector add16(vector a, vector b)
{
    return _mm512_add_epi16(a, b);
}

/* The same in a register, where compilers would load it for each instruction that takes it. */
static inline vector held(vector x)
{
#if !defined(CIPHERMARK_EMULATED)
    __asm__("" : "+v"(x));
#endif
    return x;
}

/* A word before zeros. */
static inline vector first32(uint32_t word)
{
    return _mm512_inserti32x4(_mm512_setzero_si512(), _mm_cvtsi32_si128((int)word), 0);
}

/* sum + a b, of words of 32 bits, two to each sum. */
static inline vector add_products32(vector sum, vector a, vector b)
{
    const vector odd_a = _mm512_shuffle_epi32(a, (_MM_PERM_ENUM)0xf5);
    const vector odd_b = _mm512_shuffle_epi32(b, (_MM_PERM_ENUM)0xf5);
    return add64(sum, add64(multiply_even32(a, b), multiply_even32(odd_a, odd_b)));
}

/* The same of words of 16 bits with a sign; held, or gcc 12 moves the sum to and fro. */
static inline vector add_products16(vector sum, vector a, vector b)
{
    return held(_mm512_dpwssd_epi32(sum, a, b));
}

/* Of all lanes. */
static inline uint64_t sum_of64(vector x)
{
    const __m256i y = _mm256_add_epi64(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
    const __m128i z = _mm_add_epi64(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1));
    return (uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(z, _mm_unpackhi_epi64(z, z)));
}

/*
 * Groups of 32 bytes, as many as a step of NH takes: the first 16 bytes of all, the second ones,
 * and ones in the lanes where there are groups.
 */
struct halves {
    vector first, second, kept;
};

static inline struct halves ordered_halves(vector low, vector high)
{
    const struct halves halves = {_mm512_shuffle_i64x2(low, high, 0x88),
                                  _mm512_shuffle_i64x2(low, high, 0xdd), all32(UINT32_MAX)};
    return halves;
}

static inline struct halves load_halves(const uint8_t *bytes)
{
    return ordered_halves(held(load_vector(bytes)), held(load_vector(bytes + 64)));
}

/* Of less, or no bytes: zeros are behind them in the last group, and there is at least one. */
static inline struct halves load_last_halves(const uint8_t *bytes, size_t count)
{
    const size_t low = count < 64 ? count : 64;
    const unsigned groups = count == 0 ? 1 : (unsigned)(count + 31) / 32;
    struct halves halves = ordered_halves(
        _mm512_maskz_loadu_epi8(_bzhi_u64(UINT64_MAX, (unsigned)low), bytes),
        _mm512_maskz_loadu_epi8(_bzhi_u64(UINT64_MAX, (unsigned)(count - low)), bytes + low));
    halves.kept = _mm512_maskz_set1_epi32((__mmask16)_bzhi_u32(UINT16_MAX, 4 * groups), -1);
    return halves;
}

#include "words64.h"

/* Sums a, b, c and d of vectors that have a and b, and c and d, in turn; and of one with all. */
static inline void store_sums64(uint64_t *sums, vector ab, vector cd)
{
    const vector pairs =
        add64(_mm512_shuffle_i64x2(ab, cd, 0x88), _mm512_shuffle_i64x2(ab, cd, 0xdd));
    const __m256i low = _mm512_castsi512_si256(pairs), high = _mm512_extracti64x4_epi64(pairs, 1);
    store_words64(sums, _mm256_add_epi64(_mm256_permute2x128_si256(low, high, 0x20),
                                         _mm256_permute2x128_si256(low, high, 0x31)));
}

static inline void store_sums32(uint64_t *sums, vector abcd)
{
    const __m256i half =
        _mm256_add_epi32(_mm512_castsi512_si256(abcd), _mm512_extracti64x4_epi64(abcd, 1));
    const __m128i high = _mm256_extracti128_si256(half, 1);
    store_words64(sums, _mm256_cvtepu32_epi64(_mm_add_epi32(_mm256_castsi256_si128(half), high)));
}

/* The same of words with signs. */
static inline vector multiply_even_signed32(vector a, vector b)
{
    return _mm512_mul_epi32(a, b);
}

/* The same word of 64 bits in all lanes. */
static inline vector same64(uint64_t word)
{
    return _mm512_set1_epi64((long long)word);
}

/* By a number of bits that is a constant. */
#define shift_left64 _mm512_slli_epi64
#define shift_right64 _mm512_srli_epi64

/* Less than VECTOR_BYTES bytes, and zeros. */
static inline vector load_bytes(const uint8_t *bytes, size_t count)
{
    return _mm512_maskz_loadu_epi8(_bzhi_u64(UINT64_MAX, (unsigned)count), bytes);
}

/* At most 32 bytes, and zeros behind them. */
static inline void copy_part32(uint8_t to[32], const uint8_t *from, size_t count)
{
    _mm256_storeu_si256((void *)to, _mm512_castsi512_si256(load_bytes(from, count)));
}

/* sum + the lower or the upper half of the product, of 104 bits, of the lower 52 bits of words. */
static inline vector add_lower52(vector sum, vector a, vector b)
{
    return _mm512_madd52lo_epu64(sum, a, b);
}

static inline vector add_upper52(vector sum, vector a, vector b)
{
    return _mm512_madd52hi_epu64(sum, a, b);
}

/* Of eight places that are so far apart, the two words of 64 bits. */
struct pairs64 {
    vector even, odd;
};

static inline struct pairs64 load_pairs64(const uint8_t *bytes, size_t apart)
{
    const vector one = load_apart16(bytes, 2 * apart);
    const vector other = load_apart16(bytes + apart, 2 * apart);
    const struct pairs64 words = {interleave_low64(one, other), interleave_high64(one, other)};
    return words;
}

/*
 * After the last vector of a function that goes on without: instructions of SSE wait for the upper
 * halves of registers, and gcc forgets to clear them in functions that call others.
 */
static inline void leave_vectors(void)
{
    _mm256_zeroupper();
}

#include "transpose.h"

#endif
