/*
 * Layer 3 of UHASH (RFC 4418, section 5.4): an inner product of words of 16 bits with keys, modulo
 * 2^36 - 5, or 2^19 - 1 in the form with words of 2 bytes.
 */
#ifndef CIPHERMARK_UHASH_PRODUCT_H
#define CIPHERMARK_UHASH_PRODUCT_H

#include "inlined.h"
#include "umac.h"
#include "words.h"

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

/* Values of layer 2, or of layer 1 alone, less than 2^bits. */
struct uhash_values {
    uint64_t low[MOST_UHASH_STREAMS], high[MOST_UHASH_STREAMS];
    unsigned bits; /* 32, 64 or 128; `high` is only there then */
};

/* Reduced. Each key of all streams stands together, and what is xored to the sums. */
struct product_keys {
    uint64_t keys[8 * MOST_UHASH_STREAMS];
    uint64_t pad[MOST_UHASH_STREAMS];
};

/* Key i of the first stream, which those of the others follow. */
INLINED const uint64_t *product_key(const struct product_keys *keys, unsigned word_bytes,
                                    unsigned i)
{
    return keys->keys + i * MOST_L3_PAD_BYTES / word_bytes;
}

static inline void set_product_keys(struct product_keys *keys, unsigned word_bytes, unsigned stream,
                                    const uint8_t *key, const uint8_t *pad)
{
    const unsigned most_streams = MOST_L3_PAD_BYTES / word_bytes;
    unsigned i;
    for (i = 0; i < 8; i++) {
        const uint64_t word = word_bytes == 4 ? load_be64(key + 8 * i) : load_be32(key + 4 * i);
        keys->keys[i * most_streams + stream] = reduce_product(word, word_bytes);
    }
    keys->pad[stream] = word_bytes == 4 ? load_be32(pad) : load_be16(pad);
}

/* The sum of the products of the last words, the least significant of which has the last key. */
INLINED uint64_t inner_product(const struct product_keys *keys, unsigned word_bytes,
                               unsigned stream, unsigned first_key, uint64_t x, unsigned words)
{
    uint64_t sum = 0;
    unsigned i;
    for (i = 0; i < words; i++, x >>= 16)
        sum += (x & 0xffff) * product_key(keys, word_bytes, first_key + 3 - i)[stream];
    return sum;
}

/* The output of a stream; above its word may be other bits. */
INLINED uint64_t product_of_one(const struct product_keys *keys, unsigned word_bytes,
                                unsigned stream, const struct uhash_values *values)
{
    const unsigned words = values->bits / 16;
    uint64_t sum = inner_product(keys, word_bytes, stream, 4, values->low[stream],
                                 words < 4 ? words : 4);
    if (words == 8)
        sum += inner_product(keys, word_bytes, stream, 0, values->high[stream], 4);
    return reduce_product(sum, word_bytes) ^ keys->pad[stream];
}

#endif
