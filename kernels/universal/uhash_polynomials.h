/*
 * POLY, layer 2 of UHASH, for processors with products of 64-bit words: polynomials modulo
 * 2^32 - 5, 2^64 - 59 and 2^128 - 159 (RFC 4418, section 5.3).
 *
 * A word m that may be no less than the prime p stands for two, p - 1 and then m - c. Since p - 1
 * is -1, both steps y -> (y k - 1) k + m - c are one with other numbers, k^2 and m - c - k, which
 * are selected without a branch. The words that do so are large enough for the differences.
 */
#ifndef CIPHERMARK_UHASH_POLYNOMIALS_H
#define CIPHERMARK_UHASH_POLYNOMIALS_H

#include "halves.h"

/* Primes are so much less than a power of two. */
enum { C32 = 5, C64 = 59, C128 = 159 };

/* ---- 2^32 - 5: numbers less than 2^32 -------------------------------------------------------- */

/* x modulo the prime, as some number less than 2^32. */
static inline uint64_t fold32(uint64_t x)
{
    /* Less than 6 * 2^32, then at most 2^32 + 24; and what is no less than 2^32 is little more. */
    x = (x & 0xffffffff) + (x >> 32) * C32;
    x = (x & 0xffffffff) + (x >> 32) * C32;
    return (x & 0xffffffff) + (x >> 32) * C32;
}

/* y k + m, or two steps where m is at least 2^32 - 6. */
static inline uint64_t step32(uint64_t y, uint64_t k, uint64_t k_squared, uint64_t m)
{
    const uint64_t is_two = 0 - ((m + 6) >> 32);
    const uint64_t factor = k ^ ((k ^ k_squared) & is_two);
    return fold32(y * factor + (m - ((k + C32) & is_two)));
}

static inline uint64_t reduce32(uint64_t x)
{
    return (x + ((x + C32) >> 32) * C32) & 0xffffffff;
}

/* ---- 2^64 - 59: numbers less than 2^64 ------------------------------------------------------- */

/* y k + m, or two steps where m is at least 2^64 - 2^32. */
static inline uint64_t step64(uint64_t y, uint64_t k, uint64_t k_squared, uint64_t m)
{
    const uint64_t is_two = 0 - (((m >> 32) + 1) >> 32);
    const uint64_t factor = k ^ ((k ^ k_squared) & is_two);
    const uint64_t addend = m - ((k + C64) & is_two);
    return fold64(add_wide(multiply_wide(y, factor), widened(addend)), C64);
}

/* ---- 2^128 - 159: numbers less than 2^128 ---------------------------------------------------- */

/* x + n, and 159 more where that goes over 2^128; x is not that large, or n is 0. */
static inline struct wide add_folded(struct wide x, uint64_t n)
{
    const struct wide sum = add_wide(x, widened(n));
    const uint64_t is_over = (uint64_t)(sum.high < x.high);
    const struct wide folded = {sum.high, sum.low + is_over * C128};
    return folded;
}

/* high 2^128 + low + m modulo the prime, as some number less than 2^128. */
static inline struct wide fold128(struct wide high, struct wide low, struct wide m)
{
    /* Columns of 64 bits; the third is at most 161. */
    const struct wide one = multiply_wide(high.low, C128), other = multiply_wide(high.high, C128);
    const struct wide first =
        add_wide(add_wide(widened(low.low), widened(m.low)), widened(one.low));
    const struct wide second =
        add_wide(add_wide(widened(low.high), widened(m.high)),
                 add_wide(add_wide(widened(one.high), widened(other.low)), widened(first.high)));
    const struct wide sum = {second.low, first.low};
    return add_folded(sum, (second.high + other.high) * C128);
}

static inline struct wide multiply_add128(struct wide y, struct wide k, struct wide m)
{
    const struct wide low = multiply_wide(y.low, k.low), high = multiply_wide(y.high, k.high);
    const struct wide one = add_wide(multiply_wide(y.low, k.high), widened(low.high));
    const struct wide other = add_wide(multiply_wide(y.high, k.low), widened(one.low));
    const struct wide lower = {other.low, low.low};
    const struct wide upper = add_wide(high, add_wide(widened(one.high), widened(other.high)));
    return fold128(upper, lower, m);
}

static inline struct wide selected(struct wide a, struct wide b, uint64_t is_b)
{
    const struct wide wide = {a.high ^ ((a.high ^ b.high) & is_b), a.low ^ ((a.low ^ b.low) & is_b)};
    return wide;
}

/* a - b modulo 2^128. */
static inline struct wide subtract_wide(struct wide a, struct wide b)
{
    const struct wide complement = {~b.high, ~b.low};
    return add_wide(add_wide(a, complement), widened(1));
}

/* y k + m, or two steps where m is at least 2^128 - 2^96. */
static inline struct wide step128(struct wide y, struct wide k, struct wide k_squared,
                                  struct wide m)
{
    const uint64_t is_two = 0 - (((m.high >> 32) + 1) >> 32);
    const struct wide less = subtract_wide(m, add_wide(k, widened(C128)));
    return multiply_add128(y, selected(k, k_squared, is_two), selected(m, less, is_two));
}

static inline struct wide reduce128(struct wide x)
{
    const struct wide more = add_wide(x, widened(C128));
    return selected(x, more, 0 - (uint64_t)(more.high < x.high));
}

#endif
