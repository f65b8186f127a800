/* Remainders by primes a little less than 2^64. */
#ifndef CIPHERMARK_PRIME64_H
#define CIPHERMARK_PRIME64_H

#include "wide.h"

/* x modulo 2^64 - c for c less than 2^9, as some number less than 2^64. */
static inline uint64_t fold64(wide x, uint64_t c)
{
    /* 2^64 is c. The high half of the first sum is at most c, so the second goes over but once. */
    const wide once = add_word(multiply64(high64(x), c), low64(x));
    const uint64_t twice = low64(once) + high64(once) * c;
    return twice + (twice < low64(once) ? c : 0);
}

/* x modulo the prime 2^64 - c, of what fold64 gives. */
static inline uint64_t reduce64(uint64_t x, uint64_t c)
{
    return x + c < c ? x + c : x;
}

#endif
