/* Vectors of 128 bits: NEON, which every processor with 64-bit ARM has. */
#ifndef CIPHERMARK_NEON_H
#define CIPHERMARK_NEON_H

#include <arm_neon.h>
#include <stdint.h>
#include <string.h>

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

/* output = one ^ other, of at most VECTOR_BYTES bytes. */
static inline void xor_part(uint8_t *output, const uint8_t *one, const uint8_t *other, size_t bytes)
{
    xor_bytes(output, one, other, bytes);
}

static inline vector add64(vector a, vector b)
{
    return vreinterpretq_u8_u64(vaddq_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
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

/* The sum of all words of 64 bits. */
static inline uint64_t total64(vector x)
{
    return vaddvq_u64(vreinterpretq_u64_u8(x));
}

/* Less than VECTOR_BYTES bytes, and zeros. */
static inline vector load_bytes(const uint8_t *bytes, size_t count)
{
    const uint64_t low = count < 8 ? load_le64_part(bytes, count) : load_le64(bytes);
    const uint64_t high = count > 8 ? load_le64_part(bytes + 8, count - 8) : 0;
    return vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(low), vcreate_u64(high)));
}

#include "transpose.h"

#endif
