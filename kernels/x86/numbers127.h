/*
 * Numbers modulo 2^127 - 1, one to each word of a vector, in limbs of 52, 52 and 23 bits for the
 * products of AVX-512's IFMA.
 */
#ifndef CIPHERMARK_NUMBERS127_H
#define CIPHERMARK_NUMBERS127_H

#include "halves.h"
#include "inlined.h"

#define MASK52 (UINT64_MAX >> 12)
#define MASK63 (UINT64_MAX >> 1)
#define TOP_BITS 23
#define MASK_TOP ((1u << TOP_BITS) - 1)

/* What is above 52 bits in one of the first two limbs has been added to the next, and products do
 * not see it. */
struct number {
    vector limbs[3];
};

INLINED void carry(struct number *x)
{
    x->limbs[1] = add64(x->limbs[1], shift_right64(x->limbs[0], 52));
    x->limbs[2] = add64(x->limbs[2], shift_right64(x->limbs[1], 52));
}

/* A number c whose limbs are not wider than they are worth, with those of 2^52 c, which has c's
 * first limb as its second, and of 2^104 c, whose second is the first of 2^52 c. */
struct factor {
    vector c[3], first52, top52, first104, top104;
};

INLINED struct factor factor(struct number c)
{
    const vector top = same64(MASK_TOP);
    struct factor it;
    it.c[0] = c.limbs[0];
    it.c[1] = c.limbs[1];
    it.c[2] = c.limbs[2];
    it.first52 = or2(shift_left64(it.c[2], 52 - TOP_BITS), shift_right64(it.c[1], TOP_BITS));
    it.top52 = and2(it.c[1], top);
    it.first104 = or2(shift_left64(it.top52, 52 - TOP_BITS), shift_right64(it.c[0], TOP_BITS));
    it.top104 = and2(it.c[0], top);
    return it;
}

/* A factor in memory, aligned to words. */
#define FACTOR_VECTORS 7

static inline void store_factor(uint64_t words[FACTOR_VECTORS][8], struct factor f)
{
    unsigned i;
    for (i = 0; i < 3; i++)
        store_vector(words[i], f.c[i]);
    store_vector(words[3], f.first52);
    store_vector(words[4], f.top52);
    store_vector(words[5], f.first104);
    store_vector(words[6], f.top104);
}

INLINED struct factor load_factor(const uint64_t words[FACTOR_VECTORS][8])
{
    const struct factor f = {{load_vector(words[0]), load_vector(words[1]), load_vector(words[2])},
                             load_vector(words[3]), load_vector(words[4]), load_vector(words[5]),
                             load_vector(words[6])};
    return f;
}

/* Adds the products of a limb and those of a number; the last sum is for 2^156. */
INLINED void add_products(vector sums[4], vector limb, vector first, vector second, vector top)
{
    sums[0] = add_lower52(sums[0], limb, first);
    sums[1] = add_upper52(sums[1], limb, first);
    sums[1] = add_lower52(sums[1], limb, second);
    sums[2] = add_upper52(sums[2], limb, second);
    sums[2] = add_lower52(sums[2], limb, top);
    sums[3] = add_upper52(sums[3], limb, top);
}

/* Adds the products of all limbs of x. */
INLINED void add_product_of(vector sums[4], const struct number *x, const struct factor *f)
{
    add_products(sums, x->limbs[0], f->c[0], f->c[1], f->c[2]);
    add_products(sums, x->limbs[1], f->first52, f->c[0], f->top52);
    add_products(sums, x->limbs[2], f->first104, f->first52, f->top104);
}

/* Sums below 2^62, of which the last is below 2^30; 2^127 is 1, so 2^156 is 2^29. */
INLINED struct number folded(const vector sums[4])
{
    struct number it;
    it.limbs[0] = add64(add64(sums[0], shift_right64(sums[2], TOP_BITS)),
                        shift_left64(sums[3], 52 - TOP_BITS));
    it.limbs[1] = sums[1];
    it.limbs[2] = and2(sums[2], same64(MASK_TOP));
    carry(&it);
    return it;
}

/* m + x f */
INLINED struct number multiply_and_add(struct number m, const struct number *x,
                                       const struct factor *f)
{
    vector sums[4] = {m.limbs[0], m.limbs[1], m.limbs[2], same64(0)};
    add_product_of(sums, x, f);
    return folded(sums);
}

/* Limbs of a number of at most 2^127 + 2^40, so far apart. */
static inline void store_limbs(uint64_t *limbs, size_t apart, struct wide x)
{
    limbs[0] = x.low & MASK52;
    limbs[apart] = (x.low >> 52 | x.high << 12) & MASK52;
    limbs[2 * apart] = x.high >> 40;
}

/* The number of such sums below 2^61, of which the last is below 2^30; at most 2^127 - 1, since what
 * is beyond 2^127 is little. */
static inline struct wide wide_of_sums(const uint64_t sums[4])
{
    const struct wide upper = {(sums[2] & MASK_TOP) << 40, 0};
    const struct wide middle = {sums[1] >> 12, sums[1] << 52};
    const uint64_t zeroth = sums[0] + (sums[2] >> TOP_BITS) + (sums[3] << (52 - TOP_BITS));
    struct wide y = add_wide(add_wide(upper, middle), widened(zeroth));
    const uint64_t over = y.high >> 63;
    y.high &= MASK63;
    return add_wide(y, widened(over));
}

/* A word in the last lane and 0 in the others. */
INLINED vector in_last_lane(uint64_t word)
{
    return _mm512_maskz_mov_epi64(0x80, same64(word));
}

/* Adds up all lanes of each. */
INLINED void sum_lanes(uint64_t sums[4], const vector x[4])
{
    const vector one = add64(interleave_low64(x[0], x[1]), interleave_high64(x[0], x[1]));
    const vector other = add64(interleave_low64(x[2], x[3]), interleave_high64(x[2], x[3]));
    store_sums64(sums, one, other);
}

#endif
