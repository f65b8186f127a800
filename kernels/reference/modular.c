#include "modular.h"

#include <string.h>

void ciphermark_multiply(uint32_t *product, const uint32_t *a, const uint32_t *b, unsigned words)
{
    unsigned i, j;
    memset(product, 0, 2 * words * sizeof *product);
    for (i = 0; i < words; i++) {
        uint64_t carry = 0;
        for (j = 0; j < words; j++) {
            carry += (uint64_t)a[i] * b[j] + product[i + j];
            product[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        product[i + words] = (uint32_t)carry;
    }
}

/* y += addend; returns what goes over. */
static uint32_t add(uint32_t *y, unsigned words, uint32_t addend)
{
    uint64_t carry = addend;
    unsigned i;
    for (i = 0; i < words; i++) {
        carry += y[i];
        y[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return (uint32_t)carry;
}

/* y = other where `chosen` is 1; it stays where that is 0. */
static void choose(uint32_t *y, const uint32_t *other, unsigned words, uint32_t chosen)
{
    const uint32_t mask = 0 - chosen;
    unsigned i;
    for (i = 0; i < words; i++)
        y[i] ^= (y[i] ^ other[i]) & mask;
}

void ciphermark_multiply_add(const struct modulus *modulus, uint32_t *y, const uint32_t *k,
                             const uint32_t *m)
{
    const unsigned words = modulus->words;
    uint32_t product[2 * MOST_WORDS], other[MOST_WORDS];
    uint64_t carry = 0;
    unsigned i;
    ciphermark_multiply(product, y, k, words);
    /* 2^(32 n) is c. Each sum is less than 2^41 + 2^34, so the carry is less than 2^10. */
    for (i = 0; i < words; i++) {
        carry += (uint64_t)product[words + i] * modulus->c + product[i];
        carry += m[i];
        y[i] = (uint32_t)carry;
        carry >>= 32;
    }
    /* Where this goes over, y is left so small that it cannot again. */
    carry = add(y, words, (uint32_t)carry * modulus->c);
    (void)add(y, words, (uint32_t)carry * modulus->c);
    memcpy(other, y, words * sizeof *y);
    carry = add(other, words, modulus->c);
    choose(y, other, words, (uint32_t)carry);
}

void ciphermark_reduce_to_p127(uint32_t y[4])
{
    const uint32_t over = y[3] >> 31;
    uint32_t other[4];
    y[3] &= 0x7fffffff;
    (void)add(y, 4, over);
    /* What is left may be 2^127 - 1 itself, and only that goes over here. */
    memcpy(other, y, sizeof other);
    (void)add(other, 4, 1);
    choose(y, (const uint32_t[4]){0}, 4, other[3] >> 31);
}
