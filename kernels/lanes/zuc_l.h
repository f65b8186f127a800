/*
 * L1 and L2 of ZUC (3GPP TS 35.222, section 3.4.2), of words whose halves are exchanged: all
 * rotations are by 16 more. Three of the five terms are the rotation by 18, or 14, of the other two
 * and of the word itself.
 */
#ifndef CIPHERMARK_ZUC_L_H
#define CIPHERMARK_ZUC_L_H

static inline vector l1(vector x)
{
    const vector by_8 = rotate8(x), by_16 = exchange16(x), sum = xor3(by_8, by_16, x);
    return xor3(by_8, by_16, rotate_left_words(sum, 18));
}

static inline vector l2(vector x)
{
    const vector by_16 = exchange16(x), by_24 = rotate24(x), sum = xor3(by_16, by_24, x);
    return xor3(by_16, by_24, rotate_left_words(sum, 14));
}

#endif
