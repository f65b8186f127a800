/*
 * Layer 3 of UHASH (RFC 4418, section 5.4): an inner product of words of 16 bits with keys, modulo
 * 2^36 - 5, or 2^19 - 1 in the form with words of 2 bytes.
 */
#ifndef CIPHERMARK_UHASH_PRODUCT_H
#define CIPHERMARK_UHASH_PRODUCT_H

#include <stdint.h>

/* x mod 2^36 - 5. */
static inline uint64_t reduce36(uint64_t x)
{
    const uint64_t mask = ((uint64_t)1 << 36) - 1;
    /* The first sum is less than twice the prime. */
    const uint64_t sum = (x & mask) + (x >> 36) * 5;
    return (sum + ((sum + 5) >> 36) * 5) & mask;
}

/* x mod 2^19 - 1, of one less than 2^38. */
static inline uint64_t reduce19(uint64_t x)
{
    const uint64_t mask = ((uint64_t)1 << 19) - 1;
    /* Less than 2^20, then at most 2^19. */
    uint64_t sum = (x & mask) + (x >> 19);
    sum = (sum & mask) + (sum >> 19);
    return (sum + ((sum + 1) >> 19)) & mask;
}

static inline uint64_t reduce_product(uint64_t x, unsigned word_bytes)
{
    return word_bytes == 4 ? reduce36(x) : reduce19(x);
}

/* The sum of four products, at most 2^54. The most significant word has the first key. */
static inline uint64_t inner_product(const uint64_t key[4], uint64_t words)
{
    return (words >> 48) * key[0] + (words >> 32 & 0xffff) * key[1] +
           (words >> 16 & 0xffff) * key[2] + (words & 0xffff) * key[3];
}

#endif
