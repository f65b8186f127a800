/*
 * Layers 1 and 2 of VHASH over eight blocks, one to each word of a vector, by products of 52 bits,
 * which AVX-512 adds up by itself.
 */
#ifndef CIPHERMARK_VHASH_IFMA_H
#define CIPHERMARK_VHASH_IFMA_H

#include "numbers127.h"
#include "vhash_terms.h"

#define VHASH_BATCH_BLOCKS 8

/* ---- Layer 1 -------------------------------------------------------------------------------- */

/*
 * Sums for 1, 2^52 and 2^104, of lower and upper halves of products of parts of 52 and 12 bits. All
 * parts are less than 2^52, so that eight products of three such halves are less than 2^57.
 */
struct sums {
    vector of[3];
};

INLINED void add_words(struct sums *sums, vector a, vector b)
{
    const vector upper_a = shift_right64(a, 52), upper_b = shift_right64(b, 52);
    sums->of[0] = add_lower52(sums->of[0], a, b);
    sums->of[1] = add_upper52(sums->of[1], a, b);
    sums->of[1] = add_lower52(sums->of[1], a, upper_b);
    sums->of[1] = add_lower52(sums->of[1], upper_a, b);
    sums->of[2] = add_upper52(sums->of[2], a, upper_b);
    sums->of[2] = add_upper52(sums->of[2], upper_a, b);
    sums->of[2] = add_lower52(sums->of[2], upper_a, upper_b);
}

/* The words of a key for a block's first half and its second, each twice. */
struct nh_key {
    vector even[2], odd[2];
};

INLINED struct nh_key nh_key(const uint64_t *words)
{
    const vector first = load_vector(words), second = load_vector(words + 8);
    const struct nh_key key = {{interleave_low64(first, first), interleave_low64(second, second)},
                               {interleave_high64(first, first),
                                interleave_high64(second, second)}};
    return key;
}

/* Of two blocks, one in the even words of the sums and the other in the odd ones. */
INLINED struct sums nh_two(const struct nh_key *key, const uint8_t *input)
{
    struct sums sums = {{same64(0), same64(0), same64(0)}};
    unsigned i;
    for (i = 0; i < 2; i++) {
        const vector one = load_vector(input + 64 * i);
        const vector other = load_vector(input + VHASH_BLOCK_BYTES + 64 * i);
        add_words(&sums, add64(interleave_low64(one, other), key->even[i]),
                  add64(interleave_high64(one, other), key->odd[i]));
    }
    return sums;
}

/* Halves of both added up, and then quarters: words of twice as many blocks. */
INLINED vector added_halves(vector one, vector other)
{
    return add64(_mm512_shuffle_i64x2(one, other, 0x44), _mm512_shuffle_i64x2(one, other, 0xee));
}

INLINED vector added_quarters(vector one, vector other)
{
    return add64(_mm512_shuffle_i64x2(one, other, 0x88), _mm512_shuffle_i64x2(one, other, 0xdd));
}

INLINED struct sums nh_four(const struct nh_key *key, const uint8_t *input)
{
    const struct sums one = nh_two(key, input);
    const struct sums other = nh_two(key, input + 2 * VHASH_BLOCK_BYTES);
    const struct sums sums = {{added_halves(one.of[0], other.of[0]),
                               added_halves(one.of[1], other.of[1]),
                               added_halves(one.of[2], other.of[2])}};
    return sums;
}

/* ---- Layer 2 -------------------------------------------------------------------------------- */

/* The results of layer 1, modulo 2^126, of eight blocks. */
INLINED struct number nh_eight(const struct nh_key *key, const uint8_t *input)
{
    const struct sums one = nh_four(key, input);
    const struct sums other = nh_four(key, input + 4 * VHASH_BLOCK_BYTES);
    const vector mask = same64(MASK52), top = same64(MASK_TOP >> 1);
    const vector zeroth = added_quarters(one.of[0], other.of[0]);
    const vector first = add64(added_quarters(one.of[1], other.of[1]), shift_right64(zeroth, 52));
    const vector second = add64(added_quarters(one.of[2], other.of[2]), shift_right64(first, 52));
    const struct number terms = {{and2(zeroth, mask), and2(first, mask), and2(second, top)}};
    return terms;
}

/* Limbs of powers of layer 2's key k: k^7, k^6, … and 1; and k^8 in each lane. */
struct lane_powers {
    uint64_t of[3][VHASH_BATCH_BLOCKS], step[3];
};

/* `powers` are k, k^2 and so on. */
static void set_lane_powers(struct lane_powers *lanes, const struct wide powers[VHASH_BATCH_BLOCKS])
{
    unsigned i;
    for (i = 0; i < VHASH_BATCH_BLOCKS - 1; i++)
        store_limbs(&lanes->of[0][i], VHASH_BATCH_BLOCKS, powers[VHASH_BATCH_BLOCKS - 2 - i]);
    store_limbs(&lanes->of[0][i], VHASH_BATCH_BLOCKS, widened(1));
    store_limbs(lanes->step, 1, powers[VHASH_BATCH_BLOCKS - 1]);
}

/*
 * Both layers of some batches, at least one, with a key of layer 1. Each lane is a polynomial in
 * k^8, and in the end gets the power of k that its blocks are before. `y` is what is before the
 * first batch, times k^8.
 */
static __attribute__((noinline)) struct wide take_batches(const struct lane_powers *powers,
                                                          const uint64_t *l1_key, struct wide y,
                                                          const uint8_t *input, size_t batches)
{
    const struct nh_key key = nh_key(l1_key);
    const struct number step = {
        {same64(powers->step[0]), same64(powers->step[1]), same64(powers->step[2])}};
    const struct number ends = {
        {load_vector(powers->of[0]), load_vector(powers->of[1]), load_vector(powers->of[2])}};
    const struct number zero = {{same64(0), same64(0), same64(0)}};
    const struct factor factor_of_step = factor(step), factor_of_end = factor(ends);
    struct number x = nh_eight(&key, input);
    uint64_t before[3];
    unsigned i;
    store_limbs(before, 1, y);
    for (i = 0; i < 3; i++)
        x.limbs[i] = add64(x.limbs[i], in_last_lane(before[i]));
    carry(&x);
    while (--batches > 0) {
        input += (size_t)VHASH_BATCH_BLOCKS * VHASH_BLOCK_BYTES;
        x = multiply_and_add(nh_eight(&key, input), &x, &factor_of_step);
    }
    x = multiply_and_add(zero, &x, &factor_of_end);
    y = sum_of_lanes(&x);
    leave_vectors();
    return y;
}

#define VHASH_TAKES_BATCHES

#endif
