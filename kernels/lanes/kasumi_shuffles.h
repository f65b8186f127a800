/*
 * The steps of KASUMI's FI by lookups of 16 entries, for processors that have no larger ones in
 * registers. To be included by a file that has a vector header and
 *
 *     lookup16(table, index)       the entry of each byte's lower four bits, or 0 where bit 7 is set;
 *                                  bits 4 to 6 are 0
 *     lookup128(table, index)      the entry of each byte, which is below 128, in a table that is
 *     SEVEN(prefix)                prefix##_SEVEN, or prefix##_SEVEN_DIFFERENCES, in which what is 16
 *                                  places before has been added to each entry
 *     struct indices indices(x)    the five indices of S9
 *     first_change(x, at)          what changes where the ninth bit is clear, of both outputs of the
 *     second_change(x, at)         first and of the second step
 *
 * S9 is quadratic over GF(2). As a function of the byte `nine`, the ninth bit being set, it is a sum
 * of five lookups: by the lower and the upper half of the byte and by three mixtures of them. The
 * products of two bits of these indices span those of the byte. What changes where the ninth bit is
 * clear is affine in the byte.
 */
#ifndef CIPHERMARK_KASUMI_SHUFFLES_H
#define CIPHERMARK_KASUMI_SHUFFLES_H

#include "kasumi_step.h"

/* Of an output of S9: tables for the indices of the same names. */
struct nine_tables {
    uint8_t low[16], high[16], both[16], mixed0[16], mixed1[16];
};

struct step_tables {
    struct nine_tables to_nine, to_seven;
    uint8_t seven[128];
};

#define STEP_TABLES(prefix) \
    {{prefix##_TO_NINE_LOOKUPS}, {prefix##_TO_SEVEN_LOOKUPS}, {SEVEN(prefix)}}

static const struct step_tables __attribute__((aligned(64))) FIRST = STEP_TABLES(KASUMI_FIRST);
static const struct step_tables __attribute__((aligned(64))) SECOND = STEP_TABLES(KASUMI_SECOND);

/* What S9 with the ninth bit set adds to an output, and `others`. */
INLINED vector add_nine(const struct nine_tables *tables, const struct indices *at,
                              vector others)
{
    const vector halves = xor2(lookup16(tables->low, at->low), lookup16(tables->high, at->high));
    const vector mixed =
        xor2(lookup16(tables->mixed0, at->mixed0), lookup16(tables->mixed1, at->mixed1));
    return xor2(xor2(halves, mixed), xor2(lookup16(tables->both, at->both), others));
}

INLINED struct step any_step(const struct step_tables *tables, struct step x,
                                   const struct indices *at, struct step one, struct step other)
{
    const vector seven = lookup128(tables->seven, and2(x.seven, all8(0x7f)));
    struct step y;
    y.nine = add_nine(&tables->to_nine, at, xor3(x.seven, one.nine, other.nine));
    y.seven = add_nine(&tables->to_seven, at, xor3(seven, one.seven, other.seven));
    return y;
}

INLINED struct step first_step(struct step x, struct step one)
{
    const struct indices at = indices(x);
    return any_step(&FIRST, x, &at, one, first_change(x, &at));
}

INLINED struct step second_step(struct step x, struct step one, struct step other)
{
    const struct indices at = indices(x);
    const struct step sum = {xor2(one.nine, other.nine), xor2(one.seven, other.seven)};
    return any_step(&SECOND, x, &at, sum, second_change(x, &at));
}

#endif
