/* Layer 1 of VHASH of one block, by products of words of 64 bits; vhash.h is the rest. */
#ifndef CIPHERMARK_VHASH_TERMS_H
#define CIPHERMARK_VHASH_TERMS_H

#include "halves.h"
#include "inlined.h"
#include "part.h"
#include "vmac.h"

#define PAIR_BYTES 16
#define L1_WORDS (VHASH_BLOCK_BYTES / 8 + 2 * (MOST_VHASH_ITERATIONS - 1))
#define MOST_TERMS 8

/* Results of layer 1, which are less than 2^126, of blocks one after the other. */
struct terms {
    uint64_t low[MOST_TERMS], high[MOST_TERMS];
};

#define MASK62 (UINT64_MAX >> 2)

static inline struct wide term(const struct terms *terms, unsigned i)
{
    const struct wide term = {terms->high[i], terms->low[i]};
    return term;
}

static inline struct wide product(const uint64_t *key, uint64_t first, uint64_t second)
{
    return multiply_wide(first + key[0], second + key[1]);
}

/* A pair of words more in the sum of each iteration, whose keys begin a pair after one another. */
INLINED void add_pair(struct wide *sums, const uint64_t *key, struct part pair,
                      unsigned iterations)
{
    unsigned i;
    for (i = 0; i < iterations; i++)
        sums[i] = add_wide(sums[i], product(key + 2 * i, pair.low, pair.high));
}

INLINED void set_terms(struct terms *terms, unsigned at, const struct wide *sums,
                       unsigned iterations)
{
    unsigned i;
    for (i = 0; i < iterations; i++) {
        terms[i].low[at] = sums[i].low;
        terms[i].high[at] = sums[i].high & MASK62;
    }
}

/* At most a block; the last pair has zeros behind it. terms[i] are those of iteration i. */
INLINED void nh_part(struct terms *terms, unsigned at, const uint64_t *key, const uint8_t *input,
                     size_t bytes, unsigned iterations)
{
    struct wide sums[MOST_VHASH_ITERATIONS] = {{0, 0}, {0, 0}};
    for (; bytes >= PAIR_BYTES; bytes -= PAIR_BYTES, input += PAIR_BYTES, key += 2) {
        const struct part pair = {load_le64(input), load_le64(input + 8)};
        add_pair(sums, key, pair, iterations);
    }
    if (bytes > 0)
        add_pair(sums, key, load_part16(input, bytes), iterations);
    set_terms(terms, at, sums, iterations);
}

INLINED void nh_block(struct terms *terms, unsigned at, const uint64_t *key, const uint8_t *input,
                      unsigned iterations)
{
    nh_part(terms, at, key, input, VHASH_BLOCK_BYTES, iterations);
}

#endif
