/* A message of a MAC with its key and nonce, and numbers to craft it by. */
#ifndef CIPHERMARK_TEXT_H
#define CIPHERMARK_TEXT_H

#include "random.h"
#include "rows.h"

#define MOST_KEY_BYTES 32
#define MOST_NONCE_BYTES 16
#define MOST_TAG_BYTES 16

struct key {
    uint8_t bytes[MOST_KEY_BYTES];
    size_t size;
};

struct text {
    size_t key; /* index of its key */
    uint8_t nonce[MOST_NONCE_BYTES];
    size_t nonce_bytes;
    uint8_t *bytes;
    size_t size;
    size_t place;                /* in a line of memory */
    uint8_t tag[MOST_TAG_BYTES]; /* of the reference */
};

__extension__ typedef unsigned __int128 number;
__extension__ typedef __int128 signed_number;

static inline uint64_t product_modulo(uint64_t a, uint64_t b, uint64_t prime)
{
    return (uint64_t)((number)a * b % prime);
}

/* By Fermat's little theorem; 0 of 0. */
static inline uint64_t inverse_modulo(uint64_t a, uint64_t prime)
{
    uint64_t power = 1, exponent;
    for (exponent = prime - 2; exponent > 0; exponent >>= 1, a = product_modulo(a, a, prime)) {
        if (exponent & 1)
            power = product_modulo(power, a, prime);
    }
    return power;
}

#endif
