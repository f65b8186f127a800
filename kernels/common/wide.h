/*
 * Numbers of 128 bits, for products of 64-bit words: the compiler's own where it has them, else two
 * words. CIPHERMARK_NO_INT128 asks for the two words everywhere, to test them.
 */
#ifndef CIPHERMARK_WIDE_H
#define CIPHERMARK_WIDE_H

#include <stdint.h>

#if defined(__SIZEOF_INT128__) && !defined(CIPHERMARK_NO_INT128)

__extension__ typedef unsigned __int128 wide;

static inline wide wide_of(uint64_t high, uint64_t low)
{
    return (wide)high << 64 | low;
}

static inline wide multiply64(uint64_t a, uint64_t b)
{
    return (wide)a * b;
}

static inline wide add_wide(wide a, wide b)
{
    return a + b;
}

static inline wide add_word(wide a, uint64_t b)
{
    return a + b;
}

static inline uint64_t low64(wide a)
{
    return (uint64_t)a;
}

static inline uint64_t high64(wide a)
{
    return (uint64_t)(a >> 64);
}

#else

typedef struct {
    uint64_t low, high;
} wide;

static inline wide wide_of(uint64_t high, uint64_t low)
{
    wide number;
    number.low = low;
    number.high = high;
    return number;
}

/* By halves: neither sum goes over, as (2^32 - 1)^2 + 2 (2^32 - 1) is 2^64 - 1. */
static inline wide multiply64(uint64_t a, uint64_t b)
{
    const uint64_t a0 = a & 0xffffffff, a1 = a >> 32;
    const uint64_t b0 = b & 0xffffffff, b1 = b >> 32;
    const uint64_t low = a0 * b0;
    const uint64_t middle = a1 * b0 + (low >> 32);
    const uint64_t other = a0 * b1 + (middle & 0xffffffff);
    wide product;
    product.low = other << 32 | (low & 0xffffffff);
    product.high = a1 * b1 + (middle >> 32) + (other >> 32);
    return product;
}

static inline wide add_wide(wide a, wide b)
{
    wide sum;
    sum.low = a.low + b.low;
    sum.high = a.high + b.high + (sum.low < a.low);
    return sum;
}

static inline wide add_word(wide a, uint64_t b)
{
    a.low += b;
    a.high += a.low < b;
    return a;
}

static inline uint64_t low64(wide a)
{
    return a.low;
}

static inline uint64_t high64(wide a)
{
    return a.high;
}

#endif

#endif
