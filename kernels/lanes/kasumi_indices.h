/*
 * The indices of kasumi_shuffles.h, and what the ninth bit changes, by lookups of 16 entries. What is
 * affine in a byte is a sum of two, by its halves.
 */
#ifndef CIPHERMARK_KASUMI_INDICES_H
#define CIPHERMARK_KASUMI_INDICES_H

#include "kasumi_step.h"

VECTOR_TABLE MIXES[2][16] = {KASUMI_MIXES};

VECTOR_TABLE FIRST_TO_NINE_CLEAR[2][16] = {KASUMI_FIRST_TO_NINE_CLEAR};
VECTOR_TABLE FIRST_TO_SEVEN_CLEAR[2][16] = {KASUMI_FIRST_TO_SEVEN_CLEAR};
VECTOR_TABLE SECOND_TO_NINE_CLEAR[2][16] = {KASUMI_SECOND_TO_NINE_CLEAR};
VECTOR_TABLE SECOND_TO_SEVEN_CLEAR[2][16] = {KASUMI_SECOND_TO_SEVEN_CLEAR};

struct indices {
    vector low, high, both, mixed0, mixed1;
    vector low_clear, high_clear; /* halves that find 0 where the ninth bit is set */
};

INLINED struct indices indices(struct step x)
{
    const vector sign = and2(x.seven, all8(0x80));
    struct indices at;
    at.low = and2(x.nine, all8(0x0f));
    at.high = shift_right8(x.nine, 4);
    at.both = xor2(at.low, at.high);
    at.mixed0 = xor2(at.low, lookup16(MIXES[0], at.high));
    at.mixed1 = xor2(at.low, lookup16(MIXES[1], at.high));
    at.low_clear = or2(at.low, sign);
    at.high_clear = or2(at.high, sign);
    return at;
}

INLINED struct step change(const uint8_t to_nine[2][16], const uint8_t to_seven[2][16],
                                 const struct indices *at)
{
    struct step it;
    it.nine = xor2(lookup16(to_nine[0], at->low_clear), lookup16(to_nine[1], at->high_clear));
    it.seven = xor2(lookup16(to_seven[0], at->low_clear), lookup16(to_seven[1], at->high_clear));
    return it;
}

INLINED struct step first_change(struct step x, const struct indices *at)
{
    (void)x;
    return change(FIRST_TO_NINE_CLEAR, FIRST_TO_SEVEN_CLEAR, at);
}

INLINED struct step second_change(struct step x, const struct indices *at)
{
    (void)x;
    return change(SECOND_TO_NINE_CLEAR, SECOND_TO_SEVEN_CLEAR, at);
}

#endif
