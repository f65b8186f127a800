/*
 * Vectors of 256 bits: AVX2, with AES-NI and PCLMULQDQ, for all functions of the file until
 * instructions_end.h. A file that defines WITH_GFNI first has GFNI too, and one that defines WITH_AVX512
 * AVX-512 with BW, VL and VBMI (and all else that avx512.h has, where it runs).
 *
 * With CIPHERMARK_EMULATED the same in portable C by SIMDe, for tests on other processors.
 */
#ifndef CIPHERMARK_AVX2_H
#define CIPHERMARK_AVX2_H

#if defined(CIPHERMARK_EMULATED)
#include "emulated.h"
#else
#if !defined(__clang__) && defined(WITH_AVX512)
#pragma GCC target("avx2,aes,pclmul,bmi2,avx512f,avx512bw,avx512vl,avx512vbmi")
#elif !defined(__clang__) && defined(WITH_GFNI)
#pragma GCC target("avx2,aes,pclmul,bmi2,gfni")
#elif !defined(__clang__)
#pragma GCC target("avx2,aes,pclmul,bmi2")
#endif
#include <immintrin.h>
#endif

#include <stdint.h>
#include <string.h>

#include "cpu.h"
#include "part.h"
#include "words.h"

#if defined(__clang__) && !defined(CIPHERMARK_EMULATED)
#if defined(WITH_AVX512)
#pragma clang attribute push( \
    __attribute__((target("avx2,aes,pclmul,bmi2,avx512f,avx512bw,avx512vl,avx512vbmi"))), \
    apply_to = function)
#elif defined(WITH_GFNI)
#pragma clang attribute push(__attribute__((target("avx2,aes,pclmul,bmi2,gfni"))), \
                             apply_to = function)
#else
#pragma clang attribute push(__attribute__((target("avx2,aes,pclmul,bmi2"))), apply_to = function)
#endif
#endif

typedef __m256i vector;
#define VECTOR_BYTES 32

#if defined(WITH_AVX512)
#define RUN_HERE ciphermark_has_avx512
#elif defined(WITH_GFNI)
#define RUN_HERE ciphermark_has_gfni_avx2
#else
#define RUN_HERE ciphermark_has_avx2
#endif

static inline vector load_vector(const void *bytes)
{
    return _mm256_loadu_si256(bytes);
}

static inline void store_vector(void *bytes, vector x)
{
    _mm256_storeu_si256(bytes, x);
}

/* The same byte in all lanes. */
static inline vector all8(uint8_t byte)
{
    return _mm256_set1_epi8((char)byte);
}

static inline vector xor2(vector a, vector b)
{
    return _mm256_xor_si256(a, b);
}

static inline vector xor3(vector a, vector b, vector c)
{
    return xor2(xor2(a, b), c);
}

static inline vector and2(vector a, vector b)
{
    return _mm256_and_si256(a, b);
}

static inline vector or2(vector a, vector b)
{
    return _mm256_or_si256(a, b);
}

/* ~a & b */
static inline vector not_and2(vector a, vector b)
{
    return _mm256_andnot_si256(a, b);
}

static inline vector add8(vector a, vector b)
{
    return _mm256_add_epi8(a, b);
}

static inline vector interleave_low8(vector a, vector b)
{
    return _mm256_unpacklo_epi8(a, b);
}

static inline vector interleave_high8(vector a, vector b)
{
    return _mm256_unpackhi_epi8(a, b);
}

static inline vector interleave_low16(vector a, vector b)
{
    return _mm256_unpacklo_epi16(a, b);
}

static inline vector interleave_high16(vector a, vector b)
{
    return _mm256_unpackhi_epi16(a, b);
}

static inline vector interleave_low32(vector a, vector b)
{
    return _mm256_unpacklo_epi32(a, b);
}

static inline vector interleave_high32(vector a, vector b)
{
    return _mm256_unpackhi_epi32(a, b);
}

static inline vector interleave_low64(vector a, vector b)
{
    return _mm256_unpacklo_epi64(a, b);
}

static inline vector interleave_high64(vector a, vector b)
{
    return _mm256_unpackhi_epi64(a, b);
}

/* A square of four words of 64 bits. */
static inline void transpose_quads(vector x[4])
{
    const vector even_low = interleave_low64(x[0], x[1]);
    const vector odd_low = interleave_high64(x[0], x[1]);
    const vector even_high = interleave_low64(x[2], x[3]);
    const vector odd_high = interleave_high64(x[2], x[3]);
    x[0] = _mm256_permute2x128_si256(even_low, even_high, 0x20);
    x[1] = _mm256_permute2x128_si256(odd_low, odd_high, 0x20);
    x[2] = _mm256_permute2x128_si256(even_low, even_high, 0x31);
    x[3] = _mm256_permute2x128_si256(odd_low, odd_high, 0x31);
}

/* Shifts of each byte. */
static inline vector shift_left8(vector x, int bits)
{
    return and2(_mm256_sll_epi16(x, _mm_cvtsi32_si128(bits)), all8((uint8_t)(0xff << bits)));
}

static inline vector shift_right8(vector x, int bits)
{
    return and2(_mm256_srl_epi16(x, _mm_cvtsi32_si128(bits)), all8((uint8_t)(0xff >> bits)));
}

/* a << bits | b >> (8 - bits) of each byte. */
static inline vector joined8(vector a, vector b, int bits)
{
    return or2(shift_left8(a, bits), shift_right8(b, 8 - bits));
}

/* Shifts words of 16 bits. */
static inline vector shift_right16(vector x, int bits)
{
    return _mm256_srl_epi16(x, _mm_cvtsi32_si128(bits));
}

/* The bits of a where `mask` has ones, and those of b elsewhere. */
static inline vector select_bits(vector mask, vector a, vector b)
{
    return or2(and2(mask, a), _mm256_andnot_si256(mask, b));
}

/* Shifts of words of 64 bits. */
static inline vector shift_left64(vector x, int bits)
{
    return _mm256_slli_epi64(x, bits);
}

static inline vector shift_right64(vector x, int bits)
{
    return _mm256_srli_epi64(x, bits);
}

/* x ^ (high << 1 | low >> 7) of each byte. */
static inline vector xor_doubled8(vector x, vector high, vector low)
{
    const vector minus_top_bit = _mm256_cmpgt_epi8(_mm256_setzero_si256(), low);
    return xor2(x, _mm256_sub_epi8(add8(high, high), minus_top_bit));
}

/* (a ^ b) | c */
static inline vector xor_or(vector a, vector b, vector c)
{
    return or2(xor2(a, b), c);
}

/* 16 bytes of each of two places that are so far apart. */
static inline vector load_apart16(const uint8_t *bytes, size_t apart)
{
    const __m128i low = _mm_loadu_si128((const void *)bytes);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low),
                                   _mm_loadu_si128((const void *)(bytes + apart)), 1);
}

/* 16 bytes each of rows[0] and rows[16], from byte `at` on. */
static inline vector load_16ths(const uint8_t *const *rows, size_t at)
{
    const __m128i low = _mm_loadu_si128((const void *)(rows[0] + at));
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low),
                                   _mm_loadu_si128((const void *)(rows[16] + at)), 1);
}

/* Words of 64 bits, the lower first, in both halves. */
static inline vector in_both(uint64_t low, uint64_t high)
{
    return _mm256_set_epi64x((long long)high, (long long)low, (long long)high, (long long)low);
}

/* The same word of 32 bits in all lanes. */
static inline vector all32(uint32_t word)
{
    return _mm256_set1_epi32((int)word);
}

static inline vector add32(vector a, vector b)
{
    return _mm256_add_epi32(a, b);
}

static inline vector subtract32(vector a, vector b)
{
    return _mm256_sub_epi32(a, b);
}

/* The lesser of words without a sign. */
static inline vector lesser32(vector a, vector b)
{
    return _mm256_min_epu32(a, b);
}

/* By a number of bits that is a constant. */
#define shift_left32 _mm256_slli_epi32
#define shift_right32 _mm256_srli_epi32
#define rotate_left_words(x, bits) or2(shift_left32(x, bits), shift_right32(x, 32 - (bits)))

/* The bytes of each word in the other order. */
static inline vector reverse_bytes32(vector x)
{
    return _mm256_shuffle_epi8(x, in_both(0x0405060700010203, 0x0c0d0e0f08090a0b));
}

/* Sums of words of 64 bits, and products of the lower halves of such words. */
static inline vector add64(vector a, vector b)
{
    return _mm256_add_epi64(a, b);
}

static inline vector multiply_low32(vector a, vector b)
{
    return _mm256_mul_epu32(a, b);
}

/* As many bytes as there are words, each to a word. */
static inline vector widen_bytes(const uint8_t bytes[8])
{
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)bytes));
}

/* The upper halves of the words of a, and the lower ones of b. */
static inline vector upper_lower16(vector a, vector b)
{
    return _mm256_blend_epi16(b, a, 0xaa);
}

/* The upper and lower halves of each word exchanged. */
static inline vector exchange16(vector x)
{
    return _mm256_shuffle_epi8(x, in_both(0x0504070601000302, 0x0d0c0f0e09080b0a));
}

/* The lower halves of words of 64 bits, those of b above those of a; and the upper halves. */
static inline vector lower_halves64(vector a, vector b)
{
    return _mm256_blend_epi32(a, _mm256_slli_epi64(b, 32), 0xaa);
}

static inline vector upper_halves64(vector a, vector b)
{
    return _mm256_blend_epi32(_mm256_srli_epi64(a, 32), b, 0xaa);
}

static inline vector odd_words(vector x)
{
    return _mm256_srli_epi64(x, 32);
}

/* A table of 16 bytes in both halves. */
static inline vector table16(const uint8_t bytes[16])
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)bytes));
}

/* Bytes of each half by their places there, zero where a place is 128. */
static inline vector shuffled(vector x, const uint8_t places[16])
{
    return _mm256_shuffle_epi8(x, table16(places));
}

/* Bytes of a table by indices less than 16. */
static inline vector look_up(const uint8_t table[16], vector indices)
{
    return _mm256_shuffle_epi8(table16(table), indices);
}

/* The order of bytes that a round of AES undoes when it shifts rows. */
static inline vector rows_shifted_back(vector x)
{
    static const uint8_t ORDER[16] = {0, 13, 10, 7, 4, 1, 14, 11, 8, 5, 2, 15, 12, 9, 6, 3};
    return shuffled(x, ORDER);
}

typedef __m128i half_map(__m128i x);

static inline vector in_halves(vector x, half_map *map)
{
    const __m128i low = map(_mm256_castsi256_si128(x)), high = map(_mm256_extracti128_si256(x, 1));
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

static inline __m128i round_without_key(__m128i x)
{
    return _mm_aesenc_si128(x, _mm_setzero_si128());
}

static inline __m128i last_round_without_key(__m128i x)
{
    return _mm_aesenclast_si128(x, _mm_setzero_si128());
}

/* Substitutes bytes and mixes columns. */
static inline vector aes_round(vector x)
{
    return in_halves(rows_shifted_back(x), round_without_key);
}

/* The S-box of AES, as its last round has it. */
static inline vector aes_sbox(vector x)
{
    return in_halves(rows_shifted_back(x), last_round_without_key);
}

/* Inlined for each row of a square it would be more code than all else, and slower. */
static __attribute__((noinline, unused)) void xor_row(uint8_t *output, const uint8_t *input,
                                                      const uint8_t *row, size_t bytes)
{
    xor_bytes(output, input, row, bytes);
}

/* output = input ^ x, of at most VECTOR_BYTES bytes. No function has a vector as a parameter and is called:
 * GCC forgets VZEROUPPER after that. */
static inline void xor_part(uint8_t *output, const uint8_t *input, vector x, size_t bytes)
{
    uint8_t row[VECTOR_BYTES];
    store_vector(row, x);
    xor_row(output, input, row, bytes);
}

/* Products of the even words of 32 bits. */
static inline vector multiply_even32(vector a, vector b)
{
    return _mm256_mul_epu32(a, b);
}

static inline vector add16(vector a, vector b)
{
    return _mm256_add_epi16(a, b);
}

/* The same in a register, where compilers would load it for each instruction that takes it. */
static inline vector held(vector x)
{
    __asm__("" : "+x"(x));
    return x;
}

/* A word before zeros. */
static inline vector first32(uint32_t word)
{
    return _mm256_zextsi128_si256(_mm_cvtsi32_si128((int)word));
}

/* sum + a b, of words of 32 bits, two to each sum. */
static inline vector add_products32(vector sum, vector a, vector b)
{
    const vector odd_a = _mm256_shuffle_epi32(a, 0xf5), odd_b = _mm256_shuffle_epi32(b, 0xf5);
    return add64(sum, add64(multiply_even32(a, b), multiply_even32(odd_a, odd_b)));
}

/* The same of words of 16 bits with a sign. */
static inline vector add_products16(vector sum, vector a, vector b)
{
    return add32(sum, _mm256_madd_epi16(a, b));
}

/* Of all lanes. */
static inline uint64_t sum_of64(vector x)
{
    const __m128i y = _mm_add_epi64(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    return (uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(y, _mm_unpackhi_epi64(y, y)));
}

/* At most 16 bytes, and zeros behind them. */
static inline __m128i load_part(const uint8_t *bytes, size_t count)
{
    const struct part part = load_part16(bytes, count);
    if (count == 16)
        return _mm_loadu_si128((const void *)bytes);
    return _mm_set_epi64x((long long)part.high, (long long)part.low);
}

/*
 * Groups of 32 bytes, as many as a step of NH takes: the first 16 bytes of all, the second ones,
 * and ones in the lanes where there are groups.
 */
struct halves {
    vector first, second, kept;
};

static inline struct halves load_halves(const uint8_t *bytes)
{
    const vector low = held(load_vector(bytes)), high = held(load_vector(bytes + 32));
    const struct halves halves = {_mm256_inserti128_si256(low, _mm256_castsi256_si128(high), 1),
                                  _mm256_permute2x128_si256(low, high, 0x31), all32(UINT32_MAX)};
    return halves;
}

/* Of less, or no bytes: zeros are behind them in the last group, and there is at least one. */
static inline struct halves load_last_halves(const uint8_t *bytes, size_t count)
{
    const size_t whole = count > 32 ? 32 : 0, rest = count - whole, first = rest < 16 ? rest : 16;
    const __m128i one = load_part(bytes + whole, first);
    const __m128i other = load_part(bytes + whole + first, rest - first);
    struct halves halves;
    if (whole > 0) {
        const vector group = load_vector(bytes);
        halves.first = _mm256_inserti128_si256(group, one, 1);
        halves.second = _mm256_permute2x128_si256(group, _mm256_castsi128_si256(other), 0x21);
        halves.kept = all32(UINT32_MAX);
    } else {
        halves.first = _mm256_zextsi128_si256(one);
        halves.second = _mm256_zextsi128_si256(other);
        halves.kept = _mm256_zextsi128_si256(_mm_set1_epi32(-1));
    }
    return halves;
}

#include "words64.h"

/* Sums a, b, c and d of vectors that have a and b, and c and d, in turn; and of one with all. */
static inline void store_sums64(uint64_t *sums, vector ab, vector cd)
{
    store_words64(sums, add64(_mm256_permute2x128_si256(ab, cd, 0x20),
                              _mm256_permute2x128_si256(ab, cd, 0x31)));
}

static inline void store_sums32(uint64_t *sums, vector abcd)
{
    const __m128i high = _mm256_extracti128_si256(abcd, 1);
    store_words64(sums, _mm256_cvtepu32_epi64(_mm_add_epi32(_mm256_castsi256_si128(abcd), high)));
}

/* The same of words with signs. */
static inline vector multiply_even_signed32(vector a, vector b)
{
    return _mm256_mul_epi32(a, b);
}

/* The same word of 64 bits in all lanes. */
static inline vector same64(uint64_t word)
{
    return _mm256_set1_epi64x((long long)word);
}

/* Less than VECTOR_BYTES bytes, and zeros. */
static inline vector load_bytes(const uint8_t *bytes, size_t count)
{
    const vector places = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    const vector whole = all32((uint32_t)(count / 4));
    const vector x = _mm256_maskload_epi32((const void *)bytes, _mm256_cmpgt_epi32(whole, places));
    vector part;
    if (count % 4 == 0)
        return x;
    part = all32((uint32_t)load_part8(bytes + count / 4 * 4, count % 4));
    return or2(x, and2(part, _mm256_cmpeq_epi32(whole, places)));
}

static inline vector subtract64(vector a, vector b)
{
    return _mm256_sub_epi64(a, b);
}

/* Averages of words of 16 bits, rounded up. */
static inline vector average16(vector a, vector b)
{
    return _mm256_avg_epu16(a, b);
}

#include "halves64.h"

/* Of four places that are so far apart, the two words of 64 bits. */
static inline struct pairs64 load_pairs64(const uint8_t *bytes, size_t apart)
{
    const __m128i *const places[4] = {(const void *)bytes, (const void *)(bytes + apart),
                                      (const void *)(bytes + 2 * apart),
                                      (const void *)(bytes + 3 * apart)};
    const vector zeroth = _mm256_castsi128_si256(_mm_loadu_si128(places[0]));
    const vector first = _mm256_castsi128_si256(_mm_loadu_si128(places[1]));
    const vector one = _mm256_inserti128_si256(zeroth, _mm_loadu_si128(places[2]), 1);
    const vector other = _mm256_inserti128_si256(first, _mm_loadu_si128(places[3]), 1);
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

/* At most 32 bytes, and zeros behind them. */
static inline void copy_part32(uint8_t to[32], const uint8_t *from, size_t count)
{
    memset(to, 0, 32);
    memcpy(to, from, count);
}

#include "transpose.h"

#endif
