/*
 * The steps of KASUMI's FI by lookups of 64 entries. To be included by a file that has a vector header and
 *
 *     lookup64(table, index)     the entry of the six low bits of a byte
 *     lookup128(table, index)    the entry of a byte without its sign
 *
 * S9 is quadratic over GF(2). Its nine bits are three parts of three, and two of those at a time are
 * the index of a table of 64 entries, one register of 512 bits: every product of two bits is in one of
 * three such lookups. Their indices are the six low bits of a byte, whatever is above them: `nine` itself
 * has the low and the middle part. S7 has 128 entries, two registers.
 *
 * Each step does that twice, for nine of the bits have a use in `nine` and in `seven`.
 */
#ifndef CIPHERMARK_KASUMI_THIRDS_H
#define CIPHERMARK_KASUMI_THIRDS_H

#include "kasumi_step.h"

struct step_tables {
    uint8_t to_nine[3][64], to_seven[3][64], seven[128];
};

#define THIRDS(prefix) {{prefix##_LOW_MIDDLE}, {prefix##_MIDDLE_HIGH}, {prefix##_LOW_HIGH}}
#define STEP_TABLES(prefix) \
    {THIRDS(prefix##_TO_NINE), THIRDS(prefix##_TO_SEVEN), {prefix##_SEVEN}}

static const struct step_tables __attribute__((aligned(64))) FIRST = STEP_TABLES(KASUMI_FIRST);
static const struct step_tables __attribute__((aligned(64))) SECOND = STEP_TABLES(KASUMI_SECOND);

struct indices {
    vector low_middle, middle_high, low_high;
};

/* Shifted words are shifted bytes here, for only bits that no index has come from the next byte. */
INLINED struct indices indices(struct step x)
{
    const vector ninth = shift_right16(x.seven, 2);
    struct indices at;
    at.low_middle = x.nine;
    at.middle_high = select_bits(all8(0x20), ninth, shift_right16(x.nine, 3));
    at.low_high = select_bits(all8(0x07), x.nine, at.middle_high);
    return at;
}

INLINED vector nine_bits(const uint8_t tables[3][64], const struct indices *at)
{
    return xor3(lookup64(tables[0], at->low_middle), lookup64(tables[1], at->middle_high),
                lookup64(tables[2], at->low_high));
}

INLINED struct step any_step(const struct step_tables *tables, struct step x, struct step one)
{
    const struct indices at = indices(x);
    const vector seven = lookup128(tables->seven, x.seven);
    struct step y;
    y.nine = xor3(nine_bits(tables->to_nine, &at), x.seven, one.nine);
    y.seven = xor3(nine_bits(tables->to_seven, &at), seven, one.seven);
    return y;
}

#endif
