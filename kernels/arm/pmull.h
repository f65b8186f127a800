/*
 * Carry-less multiplication of 128 bits, for lanes/uia2_polynomial.h. Where cpu.h says that the
 * processor has it: compilers are not told, so that nothing else uses it.
 */
#ifndef CIPHERMARK_PMULL_H
#define CIPHERMARK_PMULL_H

#include <arm_neon.h>

#include "uea2uia2.h"

typedef uint64x2_t wide;
#define WIDE_BLOCKS 2

static inline wide load_wide(const void *bytes)
{
    return vreinterpretq_u64_u8(vld1q_u8(bytes));
}

static inline void store_wide(void *bytes, wide x)
{
    vst1q_u8(bytes, vreinterpretq_u8_u64(x));
}

static inline wide all64(uint64_t word)
{
    return vdupq_n_u64(word);
}

static inline wide xor_wide(wide a, wide b)
{
    return veorq_u64(a, b);
}

static inline wide load_blocks(const void *bytes)
{
    return vreinterpretq_u64_u8(vrev64q_u8(vld1q_u8(bytes)));
}

static inline wide multiply_even(wide a, wide b)
{
    wide product;
    __asm__(".arch_extension aes\n\tpmull %0.1q, %1.1d, %2.1d" : "=w"(product) : "w"(a), "w"(b));
    return product;
}

static inline wide multiply_odd(wide a, wide b)
{
    wide product;
    __asm__(".arch_extension aes\n\tpmull2 %0.1q, %1.2d, %2.2d"
            : "=w"(product)
            : "w"(a), "w"(b));
    return product;
}

static inline wide multiply_odd_even(wide a, wide b)
{
    return multiply_even(vextq_u64(a, a, 1), b);
}

static inline uint64_t multiply(uint64_t a, uint64_t b)
{
    const wide rest = all64(X_TO_64);
    const wide product = multiply_even(all64(a), all64(b));
    const wide once = multiply_odd_even(product, rest);
    return vgetq_lane_u64(xor_wide(xor_wide(product, once), multiply_odd_even(once, rest)), 0);
}

static inline wide even_words(wide a, wide b)
{
    return vzip1q_u64(a, b);
}

static inline wide total(wide x)
{
    return x;
}

static inline uint64_t first_word(wide x)
{
    return vgetq_lane_u64(x, 0);
}

#endif
