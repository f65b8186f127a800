/*
 * Arithmetic modulo 2^(32 n) - c for small c, on n words of 32 bits, the least significant first.
 *
 * The primes of universal hashes have this form, and where one does not, a multiple of it does:
 * 2^128 - 2 is twice 2^127 - 1.
 */
#ifndef CIPHERMARK_MODULAR_H
#define CIPHERMARK_MODULAR_H

#include <stdint.h>

#define MOST_WORDS 4

struct modulus {
    uint8_t words; /* n, at most MOST_WORDS */
    uint16_t c;    /* less than 2^9 */
};

/* y = y k + m, less than the modulus; m may be any n words. */
void ciphermark_multiply_add(const struct modulus *modulus, uint32_t *y, const uint32_t *k,
                             const uint32_t *m);

/* y = y mod 2^127 - 1, of one that is less than twice as much. */
void ciphermark_reduce_to_p127(uint32_t y[4]);

/* product = a b; it has twice n words and is apart from both. */
void ciphermark_multiply(uint32_t *product, const uint32_t *a, const uint32_t *b, unsigned words);

#endif
