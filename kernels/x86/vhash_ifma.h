/*
 * Layer 1 of VHASH over eight blocks, one to each word of a vector, by products of 52 bits, which
 * AVX-512 adds up by itself.
 */
#ifndef CIPHERMARK_VHASH_IFMA_H
#define CIPHERMARK_VHASH_IFMA_H

#include "vhash_terms.h"

#define VHASH_BATCH_BLOCKS 8

#define MASK52 (UINT64_MAX >> 12)

/*
 * Sums for 1, 2^52 and 2^104, of lower and upper halves of products of parts of 52 and 12 bits.
 * They do not wait for one another, so for one power there are up to three. All parts are less than
 * 2^52, so that eight of each are less than 2^55.
 */
struct sums {
    vector zeroth, first[3], second[3];
};

INLINED struct sums add_words(struct sums sums, vector a, vector b)
{
    const vector upper_a = shift_right64(a, 52), upper_b = shift_right64(b, 52);
    sums.zeroth = add_lower52(sums.zeroth, a, b);
    sums.first[0] = add_upper52(sums.first[0], a, b);
    sums.first[1] = add_lower52(sums.first[1], a, upper_b);
    sums.first[2] = add_lower52(sums.first[2], upper_a, b);
    sums.second[0] = add_upper52(sums.second[0], a, upper_b);
    sums.second[1] = add_upper52(sums.second[1], upper_a, b);
    sums.second[2] = add_lower52(sums.second[2], upper_a, upper_b);
    return sums;
}

INLINED vector sum_of_three(const vector x[3])
{
    return add64(add64(x[0], x[1]), x[2]);
}

/* The sums of products, modulo 2^126. */
INLINED void store_terms(struct terms *terms, const struct sums *sums)
{
    const vector first = add64(sum_of_three(sums->first), shift_right64(sums->zeroth, 52));
    const vector second = shift_left64(sum_of_three(sums->second), 40);
    const vector high = add64(shift_right64(first, 12), second);
    store_vector(terms->low, or2(shift_left64(first, 52), and2(sums->zeroth, same64(MASK52))));
    store_vector(terms->high, and2(high, same64(MASK62)));
}

INLINED void nh_batch(struct terms *terms, const uint64_t *key, const uint8_t *input,
                      unsigned iterations)
{
    const vector zero = same64(0);
    const struct sums zeros = {zero, {zero, zero, zero}, {zero, zero, zero}};
    struct sums sums[MOST_VHASH_ITERATIONS] = {zeros, zeros};
    unsigned i, pair;
    for (pair = 0; pair < VHASH_BLOCK_BYTES / PAIR_BYTES; pair++) {
        const struct pairs64 words = load_pairs64(input + PAIR_BYTES * pair, VHASH_BLOCK_BYTES);
        for (i = 0; i < iterations; i++) {
            const uint64_t *of_pair = key + 2 * (pair + i);
            sums[i] = add_words(sums[i], add64(words.even, same64(of_pair[0])),
                                add64(words.odd, same64(of_pair[1])));
        }
    }
    for (i = 0; i < iterations; i++)
        store_terms(&terms[i], &sums[i]);
    leave_vectors();
}

#endif
