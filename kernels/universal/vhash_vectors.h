/*
 * Layer 1 of VHASH over blocks in the lanes of a vector, one to each word of 64 bits, by products of
 * 32 bits.
 */
#ifndef CIPHERMARK_VHASH_VECTORS_H
#define CIPHERMARK_VHASH_VECTORS_H

#include "vhash_terms.h"

#define VHASH_BATCH_BLOCKS 4
#define VECTOR_BLOCKS (VECTOR_BYTES / 8)

/*
 * Sums modulo 2^64 of products of halves: low ones, a low and a high one, high ones. What of the
 * first two is beyond 2^64 comes of averages, of the upper 16 bits.
 */
struct sums {
    vector low, middle, high;
};

struct averages {
    vector low, middle;
};

INLINED struct averages averaged(struct averages a, struct averages b)
{
    const struct averages averages = {average16(a.low, b.low), average16(a.middle, b.middle)};
    return averages;
}

/* Takes a pair of words of each block into sums. */
INLINED struct averages add_words(struct sums *sums, const uint64_t *key, struct pairs64 words)
{
    const vector first = add64(words.even, same64(key[0]));
    const vector second = add64(words.odd, same64(key[1]));
    const halves64 a = low_halves64(first), upper_a = high_halves64(first);
    const halves64 b = low_halves64(second), upper_b = high_halves64(second);
    const vector low = multiply_halves64(a, b);
    const vector one = multiply_halves64(a, upper_b), other = multiply_halves64(upper_a, b);
    const struct averages averages = {low, average16(one, other)};
    sums->low = add64(sums->low, low);
    sums->middle = add64(add64(sums->middle, one), other);
    sums->high = add64(sums->high, multiply_halves64(upper_a, upper_b));
    SUMS_IN_ORDER(sums->low, sums->middle, sums->high);
    return averages;
}

INLINED struct averages add_two(struct sums *sums, const uint64_t *key, const uint8_t *input)
{
    const struct averages one = add_words(sums, key, load_pairs64(input, VHASH_BLOCK_BYTES));
    return averaged(one, add_words(sums, key + 2,
                                   load_pairs64(input + PAIR_BYTES, VHASH_BLOCK_BYTES)));
}

INLINED struct averages add_four(struct sums *sums, const uint64_t *key, const uint8_t *input)
{
    const struct averages two = add_two(sums, key, input);
    return averaged(two, add_two(sums, key + 4, input + 2 * PAIR_BYTES));
}

/*
 * How often 2^64 is in a sum of numbers, which is told of the sum of their upper 16 bits. Averages
 * are rounded up thrice or four times, by half a unit each, and each number down by less than one:
 * so what is compared differs by less than 2^15.
 */
INLINED vector carries(vector sum, vector upper)
{
    const vector difference = subtract64(upper, shift_right64(sum, 48));
    return shift_right64(add64(difference, same64((uint64_t)1 << 15)), 16);
}

/* The sums of products, modulo 2^126. */
INLINED void store_terms(struct terms *terms, unsigned at, const struct sums *sums,
                         struct averages averages)
{
    /* Of eight products, and of sixteen. */
    const vector low = carries(sums->low, shift_left64(shift_right64(averages.low, 48), 3));
    const vector middle =
        carries(sums->middle, shift_left64(shift_right64(averages.middle, 48), 4));
    /* Upper half of the low sum and lower half of the middle one. */
    const vector between = add64(odd_words(sums->low), and2(sums->middle, same64(UINT32_MAX)));
    vector high = add64(sums->high, add64(odd_words(sums->middle), odd_words(between)));
    high = add64(high, add64(low, shift_left64(middle, 32)));
    store_vector(terms->low + at, add64(sums->low, shift_left64(sums->middle, 32)));
    store_vector(terms->high + at, and2(high, same64(MASK62)));
}

INLINED void nh_vector(struct terms *terms, unsigned at, const uint64_t *key, const uint8_t *input,
                       unsigned iterations)
{
    unsigned i;
    for (i = 0; i < iterations; i++) {
        struct sums sums = {same64(0), same64(0), same64(0)};
        const struct averages four = add_four(&sums, key + 2 * i, input);
        const struct averages averages =
            averaged(four, add_four(&sums, key + 2 * i + 8, input + 4 * PAIR_BYTES));
        store_terms(&terms[i], at, &sums, averages);
    }
}

INLINED void nh_batch(struct terms *terms, const uint64_t *key, const uint8_t *input,
                      unsigned iterations)
{
    unsigned at;
    for (at = 0; at < VHASH_BATCH_BLOCKS; at += VECTOR_BLOCKS)
        nh_vector(terms, at, key, input + (size_t)VHASH_BLOCK_BYTES * at, iterations);
    leave_vectors();
}

#endif
