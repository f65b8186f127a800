/* Vectors of 128 bits: NEON, which every processor with 64-bit ARM has. */
#ifndef CIPHERMARK_NEON_H
#define CIPHERMARK_NEON_H

#include <arm_neon.h>
#include <stdint.h>
#include <string.h>

#include "part.h"
#include "words.h"

typedef uint8x16_t vector;
#define VECTOR_BYTES 16

static inline vector load_vector(const void *bytes)
{
    return vld1q_u8(bytes);
}

static inline void store_vector(void *bytes, vector x)
{
    vst1q_u8(bytes, x);
}

/* The same byte in all lanes. */
static inline vector all8(uint8_t byte)
{
    return vdupq_n_u8(byte);
}

static inline vector xor2(vector a, vector b)
{
    return veorq_u8(a, b);
}

static inline vector xor3(vector a, vector b, vector c)
{
    return xor2(xor2(a, b), c);
}

static inline vector and2(vector a, vector b)
{
    return vandq_u8(a, b);
}

static inline vector or2(vector a, vector b)
{
    return vorrq_u8(a, b);
}

static inline vector add8(vector a, vector b)
{
    return vaddq_u8(a, b);
}

static inline vector interleave_low8(vector a, vector b)
{
    return vzip1q_u8(a, b);
}

static inline vector interleave_high8(vector a, vector b)
{
    return vzip2q_u8(a, b);
}

static inline vector interleave_low16(vector a, vector b)
{
    return vreinterpretq_u8_u16(vzip1q_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
}

static inline vector interleave_high16(vector a, vector b)
{
    return vreinterpretq_u8_u16(vzip2q_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
}

static inline vector interleave_low32(vector a, vector b)
{
    return vreinterpretq_u8_u32(vzip1q_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
}

static inline vector interleave_high32(vector a, vector b)
{
    return vreinterpretq_u8_u32(vzip2q_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
}

static inline vector interleave_low64(vector a, vector b)
{
    return vreinterpretq_u8_u64(vzip1q_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
}

static inline vector interleave_high64(vector a, vector b)
{
    return vreinterpretq_u8_u64(vzip2q_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
}

/* A square of two words of 64 bits. */
static inline void transpose_quads(vector x[2])
{
    const vector a = x[0], b = x[1];
    x[0] = interleave_low64(a, b);
    x[1] = interleave_high64(a, b);
}

/* Shifts of each byte. */
static inline vector shift_left8(vector x, int bits)
{
    return vshlq_u8(x, vdupq_n_s8((int8_t)bits));
}

static inline vector shift_right8(vector x, int bits)
{
    return vshlq_u8(x, vdupq_n_s8((int8_t)-bits));
}

/* a << bits | b >> (8 - bits) of each byte. */
static inline vector joined8(vector a, vector b, int bits)
{
    return or2(shift_left8(a, bits), shift_right8(b, 8 - bits));
}

/* x ^ (high << 1 | low >> 7) of each byte. */
static inline vector xor_doubled8(vector x, vector high, vector low)
{
    return xor2(x, vsriq_n_u8(add8(high, high), low, 7));
}

/* (a ^ b) | c */
static inline vector xor_or(vector a, vector b, vector c)
{
    return or2(xor2(a, b), c);
}

/* 16 bytes; there is no other place of them. */
static inline vector load_apart16(const uint8_t *bytes, size_t apart)
{
    (void)apart;
    return load_vector(bytes);
}

/* 16 bytes of rows[0], from byte `at` on. */
static inline vector load_16ths(const uint8_t *const *rows, size_t at)
{
    return load_vector(rows[0] + at);
}

/* The same word of 32 bits in all lanes. */
static inline vector all32(uint32_t word)
{
    return vreinterpretq_u8_u32(vdupq_n_u32(word));
}

static inline vector add32(vector a, vector b)
{
    return vreinterpretq_u8_u32(vaddq_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
}

static inline vector subtract32(vector a, vector b)
{
    return vreinterpretq_u8_u32(vsubq_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
}

/* The lesser of words without a sign. */
static inline vector lesser32(vector a, vector b)
{
    return vreinterpretq_u8_u32(vminq_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
}

/* By a number of bits that is a constant. */
#define shift_left32(x, bits) vreinterpretq_u8_u32(vshlq_n_u32(vreinterpretq_u32_u8(x), bits))
#define shift_right32(x, bits) vreinterpretq_u8_u32(vshrq_n_u32(vreinterpretq_u32_u8(x), bits))
#define rotate_left_words(x, bits) \
    vreinterpretq_u8_u32(vsriq_n_u32(vshlq_n_u32(vreinterpretq_u32_u8(x), bits), \
                                     vreinterpretq_u32_u8(x), 32 - (bits)))

/* The bytes of each word in the other order. */
static inline vector reverse_bytes32(vector x)
{
    return vrev32q_u8(x);
}

/* As many bytes as there are words, each to a word. */
static inline vector widen_bytes(const uint8_t bytes[4])
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    const uint16x8_t halves = vmovl_u8(vcreate_u8(word));
    return vreinterpretq_u8_u32(vmovl_u16(vget_low_u16(halves)));
}

/* The upper halves of the words of a, and the lower ones of b. */
static inline vector upper_lower16(vector a, vector b)
{
    return vbslq_u8(all32(0xffff0000), a, b);
}

/* The upper and lower halves of each word exchanged. */
static inline vector exchange16(vector x)
{
    return vreinterpretq_u8_u16(vrev32q_u16(vreinterpretq_u16_u8(x)));
}

/* Bytes by their places, zero where a place is 128. */
static inline vector shuffled(vector x, const uint8_t places[16])
{
    return vqtbl1q_u8(x, vld1q_u8(places));
}

/* Bytes of a table by indices less than 16. */
static inline vector look_up(const uint8_t table[16], vector indices)
{
    return vqtbl1q_u8(vld1q_u8(table), indices);
}

/* The same of 256, by any: a look-up gives zeros, or what was there, where one is too large. */
static inline vector look_up256(const uint8_t table[256], vector x)
{
    vector y = vqtbl4q_u8(vld1q_u8_x4(table), x);
    y = vqtbx4q_u8(y, vld1q_u8_x4(table + 64), xor2(x, all8(0x40)));
    y = vqtbx4q_u8(y, vld1q_u8_x4(table + 128), xor2(x, all8(0x80)));
    return vqtbx4q_u8(y, vld1q_u8_x4(table + 192), xor2(x, all8(0xc0)));
}

/* output = input ^ x, of at most VECTOR_BYTES bytes. Inlined for each row of a square it would be
 * more code than all else, and slower. */
static __attribute__((noinline, unused)) void xor_part(uint8_t *output, const uint8_t *input,
                                                       vector x, size_t bytes)
{
    uint8_t row[VECTOR_BYTES];
    store_vector(row, x);
    xor_bytes(output, input, row, bytes);
}

static inline vector add64(vector a, vector b)
{
    return vreinterpretq_u8_u64(vaddq_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
}

static inline vector add16(vector a, vector b)
{
    return vreinterpretq_u8_u16(vaddq_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
}

/* The same in a register, where compilers would load it for each instruction that takes it. */
static inline vector held(vector x)
{
    __asm__("" : "+w"(x));
    return x;
}

/* A word before zeros. */
static inline vector first32(uint32_t word)
{
    return vreinterpretq_u8_u32(vsetq_lane_u32(word, vdupq_n_u32(0), 0));
}

/* sum + a b, of words of 32 bits, two to each sum. */
static inline vector add_products32(vector sum, vector a, vector b)
{
    const uint32x4_t x = vreinterpretq_u32_u8(a), y = vreinterpretq_u32_u8(b);
    const uint64x2_t low =
        vmlal_u32(vreinterpretq_u64_u8(sum), vget_low_u32(x), vget_low_u32(y));
    return vreinterpretq_u8_u64(vmlal_high_u32(low, x, y));
}

/* The same of words of 16 bits with a sign. */
static inline vector add_products16(vector sum, vector a, vector b)
{
    const int16x8_t x = vreinterpretq_s16_u8(a), y = vreinterpretq_s16_u8(b);
    const int32x4_t low =
        vmlal_s16(vreinterpretq_s32_u8(sum), vget_low_s16(x), vget_low_s16(y));
    return vreinterpretq_u8_s32(vmlal_high_s16(low, x, y));
}

/* Of all lanes. */
static inline uint64_t sum_of64(vector x)
{
    return vaddvq_u64(vreinterpretq_u64_u8(x));
}

/* At most 16 bytes, and zeros behind them. */
static inline vector load_part(const uint8_t *bytes, size_t count)
{
    const struct part part = load_part16(bytes, count);
    return vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(part.low), vcreate_u64(part.high)));
}

/* Words of 64 bits, as x86/words64.h has more of them. */
typedef uint64x2_t words64;
#define WORDS64 2

static inline words64 load_words64(const uint64_t *words)
{
    return vld1q_u64(words);
}

static inline void store_words64(uint64_t *words, words64 x)
{
    vst1q_u64(words, x);
}

static inline words64 all_words64(uint64_t word)
{
    return vdupq_n_u64(word);
}

static inline words64 add_words64(words64 a, words64 b)
{
    return vaddq_u64(a, b);
}

static inline words64 subtract_words64(words64 a, words64 b)
{
    return vsubq_u64(a, b);
}

static inline words64 and_words64(words64 a, words64 b)
{
    return vandq_u64(a, b);
}

static inline words64 xor_words64(words64 a, words64 b)
{
    return veorq_u64(a, b);
}

static inline words64 multiply_words64(words64 a, words64 b)
{
    return vmull_u32(vmovn_u64(a), vmovn_u64(b));
}

#define shift_left_words64 vshlq_n_u64
#define shift_right_words64 vshrq_n_u64

/* Sums a, b, c and d of vectors that have a and b, and c and d, in turn; and of one with all. */
static inline void store_sums64(uint64_t *sums, vector ab, vector cd)
{
    vst1q_u64(sums, vreinterpretq_u64_u8(ab));
    vst1q_u64(sums + 2, vreinterpretq_u64_u8(cd));
}

static inline void store_sums32(uint64_t *sums, vector abcd)
{
    const uint32x4_t words = vreinterpretq_u32_u8(abcd);
    vst1q_u64(sums, vmovl_u32(vget_low_u32(words)));
    vst1q_u64(sums + 2, vmovl_high_u32(words));
}

static inline vector odd_words(vector x)
{
    return vreinterpretq_u8_u64(vshrq_n_u64(vreinterpretq_u64_u8(x), 32));
}

/* Products of the even words of 32 bits, which have signs. */
static inline vector multiply_even_signed32(vector a, vector b)
{
    return vreinterpretq_u8_s64(vmull_s32(vmovn_s64(vreinterpretq_s64_u8(a)),
                                          vmovn_s64(vreinterpretq_s64_u8(b))));
}

/* The same word of 64 bits in all lanes. */
static inline vector same64(uint64_t word)
{
    return vreinterpretq_u8_u64(vdupq_n_u64(word));
}

/* By a number of bits that is a constant. */
#define shift_right64(x, bits) vreinterpretq_u8_u64(vshrq_n_u64(vreinterpretq_u64_u8(x), bits))

/* The lower halves of words of 64 bits, those of b above those of a. */
static inline vector lower_halves64(vector a, vector b)
{
    return vreinterpretq_u8_u64(
        vsliq_n_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b), 32));
}

#define load_bytes load_part

static inline vector subtract64(vector a, vector b)
{
    return vreinterpretq_u8_u64(vsubq_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
}

/* The same to the left. */
#define shift_left64(x, bits) vreinterpretq_u8_u64(vshlq_n_u64(vreinterpretq_u64_u8(x), bits))

/* Averages of words of 16 bits, rounded up. */
static inline vector average16(vector a, vector b)
{
    return vreinterpretq_u8_u16(vrhaddq_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
}

/* Stops compilers from adding up other things first, for which there are not enough registers. */
#define SUMS_IN_ORDER(a, b, c) __asm__("" : "+w"(a), "+w"(b), "+w"(c))

/* Halves of words of 64 bits, and their products. */
typedef uint32x2_t halves64;

static inline halves64 low_halves64(vector x)
{
    return vmovn_u64(vreinterpretq_u64_u8(x));
}

static inline halves64 high_halves64(vector x)
{
    return vshrn_n_u64(vreinterpretq_u64_u8(x), 32);
}

static inline vector multiply_halves64(halves64 a, halves64 b)
{
    return vreinterpretq_u8_u64(vmull_u32(a, b));
}

/* Of two places that are so far apart, the two words of 64 bits. */
struct pairs64 {
    vector even, odd;
};

/* At most 32 bytes, and zeros behind them. */
static inline void copy_part32(uint8_t to[32], const uint8_t *from, size_t count)
{
    memset(to, 0, 32);
    memcpy(to, from, count);
}

#include "transpose.h"
#include "vectors16.h"

#endif
