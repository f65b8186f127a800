/*
 * Numbers modulo p = 2^127 - 1 for hash127_powers.h: four limbs of 26 bits and one of 23, each in a
 * lane of 64 bits, so that a vector has half as many numbers as words.
 *
 * Where words are multiplied with their signs, limbs have signs too: they lie around 0, and twice
 * as many products fit a sum.
 *
 * Doubles with fused multiplication and addition, as the hash was first computed, need eight limbs
 * of 16 bits for sums as long. On a Zen 3 a loop of them took 9.9 cycles for 32 bytes, and one of
 * five products and five sums of integers took 7.1.
 */
#ifndef CIPHERMARK_HASH127_NUMBERS_H
#define CIPHERMARK_HASH127_NUMBERS_H

#include "words.h"

#define LIMBS 5
#define LIMB_BITS 26
#define LAST_LIMB_BITS 23
#define LIMB_MASK (((uint64_t)1 << LIMB_BITS) - 1)
#define LAST_LIMB_MASK (((uint64_t)1 << LAST_LIMB_BITS) - 1)

/* The middle of what a limb can be: it is made a 0, or stays where it is. */
#define MIDDLE ((uint64_t)(1 - WORDS_ARE_BIASED) << (LIMB_BITS - 1))
#define LAST_MIDDLE ((uint64_t)(1 - WORDS_ARE_BIASED) << (LAST_LIMB_BITS - 1))

/*
 * Limbs of 2^37 p, which is 0. With them no sum is negative or wider than 64 bits that has 120
 * products of words, or 60 where those are biased, and one of numbers.
 */
#define ZERO_LIMB (LIMB_MASK << 37)
#define LAST_ZERO_LIMB (LAST_LIMB_MASK << 37)

/* ---- One number ----------------------------------------------------------------------------- */

/* Of which limbs may be wider than they are worth. */
struct limbs {
    uint64_t of[LIMBS];
};

/*
 * The number that four signed words stand for, in limbs of at most 27 bits: as words of 2^31 more,
 * with that subtracted.
 */
static inline struct limbs number_of_words(const uint8_t x[16])
{
    const uint64_t bias = 0x8000000080000000;
    const uint64_t low = load_le64(x) ^ bias, high = load_le64(x + 8) ^ bias;
    /* 2^127 + 2^95 + 2^63 + 2^31 is 1 + 2^31 + 2^63 + 2^95. */
    const struct limbs it = {{(low & LIMB_MASK) + LIMB_MASK - 1,
                              (low >> 26 & LIMB_MASK) + LIMB_MASK - (1 << 5),
                              ((low >> 52 | high << 12) & LIMB_MASK) + LIMB_MASK - (1 << 11),
                              (high >> 14 & LIMB_MASK) + LIMB_MASK - (1 << 17),
                              (high >> 40) + LAST_LIMB_MASK}};
    return it;
}

/* Of limbs whose carries fit 64 bits. */
static inline void store_number(uint8_t bytes[16], const struct limbs *limbs)
{
    const uint64_t l0 = limbs->of[0], l1 = limbs->of[1] + (l0 >> LIMB_BITS);
    const uint64_t l2 = limbs->of[2] + (l1 >> LIMB_BITS), l3 = limbs->of[3] + (l2 >> LIMB_BITS);
    const uint64_t l4 = limbs->of[4] + (l3 >> LIMB_BITS);
    uint64_t low = (l0 & LIMB_MASK) | (l1 & LIMB_MASK) << 26 | l2 << 52;
    uint64_t high = (l2 & LIMB_MASK) >> 12 | (l3 & LIMB_MASK) << 14 | l4 << 41 >> 1;
    uint64_t over = l4 >> LAST_LIMB_BITS, is_p;
    /* 2^127 is 1. */
    low += over;
    high += low < over;
    over = high >> 63;
    high &= UINT64_MAX >> 1;
    low += over;
    /* p itself is 0: only for it are all bits but the top one set. */
    is_p = (((low & (high | (uint64_t)1 << 63)) + 1) == 0);
    store_le64(bytes, low & (is_p - 1));
    store_le64(bytes + 8, high & (is_p - 1));
}

/* ---- A number in each lane ------------------------------------------------------------------ */

struct numbers {
    vector limbs[LIMBS];
};

static inline struct numbers in_all_lanes(const struct limbs *limbs)
{
    const struct numbers it = {{same64(limbs->of[0]), same64(limbs->of[1]), same64(limbs->of[2]),
                                same64(limbs->of[3]), same64(limbs->of[4])}};
    return it;
}

/* What sums of products begin with that are carried: 0, and the middle, which that subtracts. */
static inline struct numbers no_products(void)
{
    static const struct limbs zero = {
        {ZERO_LIMB + MIDDLE, ZERO_LIMB + MIDDLE, ZERO_LIMB + MIDDLE, ZERO_LIMB + MIDDLE,
         LAST_ZERO_LIMB + LAST_MIDDLE}};
    return in_all_lanes(&zero);
}

/* All carries at once. */
static inline struct numbers carried_once(const struct numbers *x)
{
    const vector mask = same64(LIMB_MASK), last_mask = same64(LAST_LIMB_MASK);
    const vector *l = x->limbs;
    const struct numbers it = {
        {add64(and2(l[0], mask), shift_right64(l[4], LAST_LIMB_BITS)),
         add64(and2(l[1], mask), shift_right64(l[0], LIMB_BITS)),
         add64(and2(l[2], mask), shift_right64(l[1], LIMB_BITS)),
         add64(and2(l[3], mask), shift_right64(l[2], LIMB_BITS)),
         add64(and2(l[4], last_mask), shift_right64(l[3], LIMB_BITS))}};
    return it;
}

/* Sums that began with no_products become limbs, of which each may be 2^15 too wide. */
static inline struct numbers carried(const struct numbers *sums)
{
    const vector minus_middle = same64(0 - MIDDLE), minus_last = same64(0 - LAST_MIDDLE);
    const struct numbers once = carried_once(sums);
    struct numbers it = carried_once(&once);
    it.limbs[0] = add64(it.limbs[0], minus_middle);
    it.limbs[1] = add64(it.limbs[1], minus_middle);
    it.limbs[2] = add64(it.limbs[2], minus_middle);
    it.limbs[3] = add64(it.limbs[3], minus_middle);
    it.limbs[4] = add64(it.limbs[4], minus_last);
    return it;
}

/* Adds the products of words and numbers. */
static inline void add_words(struct numbers *sums, vector words, const struct numbers *x)
{
    sums->limbs[0] = add64(sums->limbs[0], products(words, x->limbs[0]));
    sums->limbs[1] = add64(sums->limbs[1], products(words, x->limbs[1]));
    sums->limbs[2] = add64(sums->limbs[2], products(words, x->limbs[2]));
    sums->limbs[3] = add64(sums->limbs[3], products(words, x->limbs[3]));
    sums->limbs[4] = add64(sums->limbs[4], products(words, x->limbs[4]));
}

static inline vector eightfold(vector x)
{
    const vector twofold = add64(x, x), fourfold = add64(twofold, twofold);
    return add64(fourfold, fourfold);
}

/* Adds the products of numbers: of the first with a limb of the second at a time. */
static inline void add_products(struct numbers *sums, const struct numbers *x,
                                const struct numbers *y)
{
    /* 2^130 is 8. */
    const vector over1 = eightfold(x->limbs[1]), over2 = eightfold(x->limbs[2]);
    const vector over3 = eightfold(x->limbs[3]), over4 = eightfold(x->limbs[4]);
    const struct numbers at1 = {{over4, x->limbs[0], x->limbs[1], x->limbs[2], x->limbs[3]}};
    const struct numbers at2 = {{over3, over4, x->limbs[0], x->limbs[1], x->limbs[2]}};
    const struct numbers at3 = {{over2, over3, over4, x->limbs[0], x->limbs[1]}};
    const struct numbers at4 = {{over1, over2, over3, over4, x->limbs[0]}};
    add_words(sums, y->limbs[0], x);
    add_words(sums, y->limbs[1], &at1);
    add_words(sums, y->limbs[2], &at2);
    add_words(sums, y->limbs[3], &at3);
    add_words(sums, y->limbs[4], &at4);
}

#endif
