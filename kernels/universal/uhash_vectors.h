/*
 * UHASH over vectors, after a vector header: layer 1, NH, and what several streams have at once of
 * layers 2 and 3, polynomials modulo 2^32 - 5 and inner products.
 *
 * NH multiplies the words of a group's first 16 bytes by those of its second 16 bytes. So groups
 * are loaded with the first halves of several in one vector and the second halves in another, for
 * all streams, and the key is kept as vectors that match. The key of a stream is that of the one
 * before from 16 bytes on: vector j, with the 16 bytes of the key at j and at each second place
 * behind, serves as a first half for one stream and as a second half for the one before.
 */
#ifndef CIPHERMARK_UHASH_VECTORS_H
#define CIPHERMARK_UHASH_VECTORS_H

#include "inlined.h"
#include "uhash_polynomials.h"
#include "uhash_product.h"
#include "umac.h"
#include "words.h"

#define NH_STEP_BYTES (2 * VECTOR_BYTES)
#define NH_STEP_UNITS (NH_STEP_BYTES / 16)
/* Steps of a turn of the loop over a block: no more than registers are there for. */
#define NH_TURN_STEPS(word_bytes, streams) (16 / ((word_bytes) * (streams)))
#define NH_UNITS (MOST_L1_KEY_BYTES / 16)
#define NH_VECTORS (NH_UNITS - NH_STEP_UNITS + 2)

struct nh_key {
    uint8_t vectors[NH_VECTORS][VECTOR_BYTES];
};

/* Words of the key are big-endian, those of a message little-endian. */
static void set_nh_key(struct nh_key *key, unsigned word_bytes, const uint8_t *bytes, size_t count)
{
    uint8_t units[NH_UNITS][16] = {{0}};
    size_t i, j;
    for (i = 0; i < count; i++)
        units[i / 16][i % 16 ^ (word_bytes - 1)] = bytes[i];
    for (j = 0; j < NH_VECTORS; j++) {
        for (i = 0; i < VECTOR_BYTES / 16; i++)
            memcpy(key->vectors[j] + 16 * i, units[j + 2 * i], 16);
    }
}

/* ---- Layer 1 --------------------------------------------------------------------------------- */

/* Of lanes whose bits are all ones in `kept`; others may lie behind the last group. */
INLINED void nh_step(const struct nh_key *key, unsigned word_bytes, unsigned streams, size_t unit,
                     const struct halves *groups, vector *sums)
{
    vector first_key = load_vector(key->vectors[unit]);
    unsigned i;
    for (i = 0; i < streams; i++) {
        const vector next = load_vector(key->vectors[unit + i + 1]);
        /* There are fewer other instructions with words of 2 bytes, so that loads count. */
        const vector second_key = word_bytes == 2 && i + 1 < streams ? held(next) : next;
        if (word_bytes == 4)
            sums[i] = add_products32(sums[i], and2(add32(groups->first, first_key), groups->kept),
                                     add32(groups->second, second_key));
        else
            sums[i] = add_products16(sums[i], and2(add16(groups->first, first_key), groups->kept),
                                     add16(groups->second, second_key));
        first_key = second_key;
    }
}

/* The sums of two vectors in turn, each in half of the lanes. */
static inline vector paired_sums64(vector a, vector b)
{
    return add64(interleave_low64(a, b), interleave_high64(a, b));
}

static inline vector paired_sums32(vector a, vector b)
{
    return add32(interleave_low32(a, b), interleave_high32(a, b));
}

/* The sums of two vectors of pairs, each in a fourth of the lanes. */
static inline vector fours(vector ab, vector cd)
{
    return add32(interleave_low64(ab, cd), interleave_high64(ab, cd));
}

/* The sum of the lanes of each vector; `results` have room for whole fours. */
INLINED void nh_sums(unsigned word_bytes, unsigned streams, const vector *sums, uint64_t *results)
{
    unsigned i;
    if (streams == 1) {
        results[0] = sum_of64(sums[0]);
        return;
    }
    for (i = 0; i < streams; i += 4) {
        const vector a = sums[i], b = sums[i + 1];
        const vector c = i + 2 < streams ? sums[i + 2] : a, d = i + 3 < streams ? sums[i + 3] : b;
        if (word_bytes == 4)
            store_sums64(results + i, paired_sums64(a, b), paired_sums64(c, d));
        else
            store_sums32(results + i, fours(paired_sums32(a, b), paired_sums32(c, d)));
    }
}

/* Sums begin with the length of the block in bits. */
INLINED void nh_start(unsigned streams, size_t bytes, vector *sums)
{
    unsigned i;
    for (i = 0; i < streams; i++)
        sums[i] = first32(8 * (uint32_t)bytes);
}

/* Whole steps. */
INLINED void nh_steps(const struct nh_key *key, unsigned word_bytes, unsigned streams, size_t unit,
                      const uint8_t *input, unsigned steps, vector *sums)
{
    unsigned i;
    for (i = 0; i < steps; i++) {
        const struct halves groups = load_halves(input + NH_STEP_BYTES * i);
        nh_step(key, word_bytes, streams, unit + NH_STEP_UNITS * i, &groups, sums);
    }
}

INLINED void nh_block(const struct nh_key *key, unsigned word_bytes, unsigned streams,
                      const uint8_t *input, uint64_t *results)
{
    const size_t units = unknown(UHASH_BLOCK_BYTES / 16);
    const unsigned steps = NH_TURN_STEPS(word_bytes, streams);
    vector sums[MOST_UHASH_STREAMS];
    size_t unit;
    nh_start(streams, UHASH_BLOCK_BYTES, sums);
    for (unit = 0; unit < units; unit += steps * NH_STEP_UNITS)
        nh_steps(key, word_bytes, streams, unit, input + 16 * unit, steps, sums);
    nh_sums(word_bytes, streams, sums, results);
}

INLINED void nh_last(const struct nh_key *key, unsigned word_bytes, unsigned streams,
                     const uint8_t *input, size_t bytes, uint64_t *results)
{
    vector sums[MOST_UHASH_STREAMS];
    size_t unit = 0, left = bytes;
    nh_start(streams, bytes, sums);
    for (; left >= NH_STEP_BYTES; left -= NH_STEP_BYTES, unit += NH_STEP_UNITS)
        nh_steps(key, word_bytes, streams, unit, input + 16 * unit, 1, sums);
    if (left > 0 || bytes == 0) {
        const struct halves groups = load_last_halves(input + 16 * unit, left);
        nh_step(key, word_bytes, streams, unit, &groups, sums);
    }
    nh_sums(word_bytes, streams, sums, results);
}

/* ---- Layer 2 --------------------------------------------------------------------------------- */

struct poly32_keys {
    uint64_t k[MOST_UHASH_STREAMS], squared[MOST_UHASH_STREAMS];
};

/* As step32 does it, but for what is above 32 bits. */
static inline words64 stepped32(words64 y, words64 k, words64 k_squared, words64 m)
{
    const words64 zero = all_words64(0), c = all_words64(C32);
    const words64 is_two =
        subtract_words64(zero, shift_right_words64(add_words64(m, all_words64(6)), 32));
    const words64 factor = xor_words64(k, and_words64(xor_words64(k, k_squared), is_two));
    const words64 less = and_words64(add_words64(k, c), is_two);
    const words64 x = add_words64(multiply_words64(y, factor), subtract_words64(m, less));
    const words64 low = and_words64(x, all_words64(UINT32_MAX));
    /* Less than 6 * 2^32; h 2^32 + l is to be l + 5 h, and 5 more where that goes over 2^32. */
    const words64 once = add_words64(low, multiply_words64(shift_right_words64(x, 32), c));
    const words64 twice = add_words64(once, multiply_words64(shift_right_words64(once, 32), c));
    return add_words64(once, multiply_words64(shift_right_words64(twice, 32), c));
}

/* `y` and `m` have room for whole fours. Above 32 bits in y is nothing that counts. */
INLINED void poly32_step(uint64_t *y, const struct poly32_keys *keys, unsigned streams,
                         const uint64_t *m)
{
    unsigned i;
    if (streams == 2) {
        for (i = 0; i < streams; i++)
            y[i] = step32(y[i], keys->k[i], keys->squared[i], m[i]);
        return;
    }
    for (i = 0; i < streams; i += WORDS64) {
        const words64 k = load_words64(keys->k + i), k_squared = load_words64(keys->squared + i);
        store_words64(y + i, stepped32(load_words64(y + i), k, k_squared, load_words64(m + i)));
    }
}

/* ---- Layer 3 --------------------------------------------------------------------------------- */

static inline words64 times5(words64 x)
{
    return add_words64(x, shift_left_words64(x, 2));
}

/* As reduce36 and reduce19 do it, but for what is above the words of the output. */
static inline words64 reduced36(words64 x)
{
    const words64 low = and_words64(x, all_words64(((uint64_t)1 << 36) - 1));
    const words64 sum = add_words64(low, times5(shift_right_words64(x, 36)));
    const words64 more = shift_right_words64(add_words64(sum, all_words64(5)), 36);
    return add_words64(sum, times5(more));
}

static inline words64 folded19(words64 x)
{
    const words64 low = and_words64(x, all_words64(((uint64_t)1 << 19) - 1));
    return add_words64(low, shift_right_words64(x, 19));
}

static inline words64 reduced19(words64 x)
{
    const words64 sum = folded19(folded19(x));
    return add_words64(sum, shift_right_words64(add_words64(sum, all_words64(1)), 19));
}

/* The products of four words of 16 bits, the least significant with the last key. */
INLINED words64 product_of(const struct product_keys *keys, unsigned word_bytes, unsigned stream,
                           unsigned first_key, words64 x, unsigned words)
{
    words64 low = all_words64(0), high = all_words64(0);
    unsigned i;
    for (i = 0; i < words; i++) {
        const words64 key = load_words64(product_key(keys, word_bytes, first_key + 3 - i) + stream);
        const words64 word = and_words64(x, all_words64(0xffff));
        low = add_words64(low, multiply_words64(word, key));
        if (word_bytes == 4)
            high = add_words64(high, multiply_words64(word, shift_right_words64(key, 32)));
        x = shift_right_words64(x, 16);
    }
    return add_words64(low, shift_left_words64(high, 32));
}

INLINED void product(const struct product_keys *keys, unsigned word_bytes, unsigned streams,
                     const struct uhash_values *values, uint64_t *sums)
{
    unsigned i;
    if (streams == 1) {
        sums[0] = product_of_one(keys, word_bytes, 0, values);
        return;
    }
    for (i = 0; i < streams; i += WORDS64) {
        const unsigned words = values->bits / 16;
        words64 sum = product_of(keys, word_bytes, i, 4, load_words64(values->low + i),
                                 words < 4 ? words : 4);
        if (words == 8)
            sum = add_words64(sum, product_of(keys, word_bytes, i, 0,
                                              load_words64(values->high + i), 4));
        sum = word_bytes == 4 ? reduced36(sum) : reduced19(sum);
        store_words64(sums + i, xor_words64(sum, load_words64(keys->pad + i)));
    }
}

#endif
