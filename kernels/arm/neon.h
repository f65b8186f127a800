/* Vectors of 128 bits: NEON, which every processor with 64-bit ARM has. */
#ifndef CIPHERMARK_NEON_H
#define CIPHERMARK_NEON_H

#include <arm_neon.h>
#include <stdint.h>
#include <string.h>

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

/* A square of two words of 64 bits. */
static inline void transpose_quads(vector x[2])
{
    const uint64x2_t a = vreinterpretq_u64_u8(x[0]), b = vreinterpretq_u64_u8(x[1]);
    x[0] = vreinterpretq_u8_u64(vzip1q_u64(a, b));
    x[1] = vreinterpretq_u8_u64(vzip2q_u64(a, b));
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

/* 16 bytes from rows[0]. */
static inline vector load_16ths(const uint8_t *const *rows)
{
    return load_vector(rows[0]);
}

#include "transpose.h"

#endif
