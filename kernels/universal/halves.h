/* Numbers of 128 bits, and primes of nearly 64, for processors with words of 64 bits. */
#ifndef CIPHERMARK_HALVES_H
#define CIPHERMARK_HALVES_H

#include <stdint.h>

struct wide {
    uint64_t high;
    uint64_t low;
};

/* CIPHERMARK_WITHOUT_INT128 forces the way of other compilers, for tests. */
#if defined(__SIZEOF_INT128__) && !defined(CIPHERMARK_WITHOUT_INT128)

__extension__ typedef unsigned __int128 uint128;

static inline struct wide to_wide(uint128 number)
{
    const struct wide wide = {(uint64_t)(number >> 64), (uint64_t)number};
    return wide;
}

static inline struct wide multiply_wide(uint64_t a, uint64_t b)
{
    return to_wide((uint128)a * b);
}

/* Modulo 2^128. */
static inline struct wide add_wide(struct wide a, struct wide b)
{
    return to_wide(((uint128)a.high << 64 | a.low) + ((uint128)b.high << 64 | b.low));
}

#else

static inline struct wide multiply_wide(uint64_t a, uint64_t b)
{
    const uint64_t mask = 0xffffffff;
    const uint64_t low = (a & mask) * (b & mask), high = (a >> 32) * (b >> 32);
    const uint64_t one = (a >> 32) * (b & mask), other = (a & mask) * (b >> 32);
    /* At most three times 2^32 - 1. */
    const uint64_t middle = (low >> 32) + (one & mask) + (other & mask);
    const struct wide product = {high + (one >> 32) + (other >> 32) + (middle >> 32),
                                 (middle << 32) | (low & mask)};
    return product;
}

/* Modulo 2^128. */
static inline struct wide add_wide(struct wide a, struct wide b)
{
    struct wide sum = {a.high + b.high, a.low + b.low};
    sum.high += sum.low < a.low;
    return sum;
}

#endif

static inline struct wide widened(uint64_t number)
{
    const struct wide wide = {0, number};
    return wide;
}

/* x modulo 2^64 - c for c less than 2^9, as some number less than 2^64. */
static inline uint64_t fold64(struct wide x, uint64_t c)
{
    /* 2^64 is c. The high half of the first sum is at most c, so the second goes over but once. */
    const struct wide once = add_wide(multiply_wide(x.high, c), widened(x.low));
    const uint64_t twice = once.low + once.high * c;
    return twice + (twice < once.low ? c : 0);
}

/* x modulo the prime 2^64 - c, of what fold64 gives. */
static inline uint64_t reduce64(uint64_t x, uint64_t c)
{
    return x + c < c ? x + c : x;
}

#endif
