/*
 * The steps of KASUMI's FI by lookups of 16 entries, for processors that have no larger ones in
 * registers. To be included by a file that has a vector header and
 *
 *     lookup16(table, index)       the entry of each byte's lower four bits, or 0 where bit 7 is set;
 *                                  bits 4 to 6 are 0
 *     lookup128(table, index)      the entry of each byte, which is below 128, in a table that is
 *     SEVEN(prefix)                prefix##_SEVEN, or prefix##_SEVEN_DIFFERENCES, in which what is 16
 *                                  places before has been added to each entry
 *
 * S9 is quadratic over GF(2). As a function of the byte `nine`, the ninth bit being set, it is a sum
 * of five lookups: by the lower and the upper half of the byte and by three mixtures of them. The
 * products of two bits of these indices span those of the byte. What changes where the ninth bit is
 * clear is affine in the byte: a sum of two lookups by its halves, which find 0 where the bit is set.
 */
#ifndef CIPHERMARK_KASUMI_SHUFFLES_H
#define CIPHERMARK_KASUMI_SHUFFLES_H

#include "kasumi_step.h"

#define TABLE_BYTES 16
#define INDICES 5
#define HALVES 2

VECTOR_TABLE MIXES[(INDICES - 3) * TABLE_BYTES] = {KASUMI_MIXES};

/* The tables of an output of S9. */
struct nine_tables {
    uint8_t set[INDICES * TABLE_BYTES];
    uint8_t clear[HALVES * TABLE_BYTES];
};

struct step_tables {
    struct nine_tables to_nine, to_seven;
    uint8_t seven[128];
};

#define STEP_TABLES(prefix) \
    {{{prefix##_TO_NINE_LOOKUPS}, {prefix##_TO_NINE_CLEAR}}, \
     {{prefix##_TO_SEVEN_LOOKUPS}, {prefix##_TO_SEVEN_CLEAR}}, \
     {SEVEN(prefix)}}

static const struct step_tables __attribute__((aligned(64))) FIRST = STEP_TABLES(KASUMI_FIRST);
static const struct step_tables __attribute__((aligned(64))) SECOND = STEP_TABLES(KASUMI_SECOND);

struct indices {
    vector set[INDICES];
    vector clear[HALVES];
};

ALWAYS_INLINE struct indices indices(struct step x)
{
    const vector sign = and2(x.seven, all8(0x80));
    const vector low = and2(x.nine, all8(0x0f)), high = shift_right8(x.nine, 4);
    const struct indices it = {
        {low, high, xor2(low, high), xor2(low, lookup16(MIXES, high)),
         xor2(low, lookup16(MIXES + TABLE_BYTES, high))},
        {or2(low, sign), or2(high, sign)},
    };
    return it;
}

ALWAYS_INLINE vector sum_of_lookups(const uint8_t *tables, const vector *at, unsigned count)
{
    vector sum = lookup16(tables, at[0]);
    unsigned i;
    for (i = 1; i < count; i++)
        sum = xor2(sum, lookup16(tables + TABLE_BYTES * i, at[i]));
    return sum;
}

ALWAYS_INLINE vector nine_bits(const struct nine_tables *tables, const struct indices *at)
{
    return xor2(sum_of_lookups(tables->set, at->set, INDICES),
                sum_of_lookups(tables->clear, at->clear, HALVES));
}

ALWAYS_INLINE struct step any_step(const struct step_tables *tables, struct step x, struct step one)
{
    const struct indices at = indices(x);
    const vector seven = lookup128(tables->seven, and2(x.seven, all8(0x7f)));
    struct step y;
    y.nine = xor3(x.seven, one.nine, nine_bits(&tables->to_nine, &at));
    y.seven = xor3(seven, one.seven, nine_bits(&tables->to_seven, &at));
    return y;
}

ALWAYS_INLINE struct step first_step(struct step x, struct step one)
{
    return any_step(&FIRST, x, one);
}

ALWAYS_INLINE struct step second_step(struct step x, struct step one, struct step other)
{
    const struct step sum = {xor2(one.nine, other.nine), xor2(one.seven, other.seven)};
    return any_step(&SECOND, x, sum);
}

#endif
