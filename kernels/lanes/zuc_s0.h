/*
 * S0 of ZUC as a network of three boxes of 4 bits, P1, P2 and P3: with x of a high and a low
 * nibble,
 *
 *     t = high ^ P1[low], a = low ^ P2[t], b = t ^ P3[a], S0(x) = (b << 4 | a) <<< 5
 *
 * That is how S0 was made, says the report on the design of ZUC (3GPP TR 35.924). The boxes here
 * follow from the table in zuc_tables.h, up to a constant that may be added to t. To be included
 * after nibbles.h.
 */
#ifndef CIPHERMARK_ZUC_S0_H
#define CIPHERMARK_ZUC_S0_H

/* P1 and P2 for a complemented x, and what a adds to the result; t adds 2 t to it. */
static const uint8_t P1[16] = {0x06, 0x0c, 0x0a, 0x08, 0x03, 0x0f, 0x0b, 0x0f,
                               0x05, 0x0d, 0x00, 0x00, 0x01, 0x0f, 0x00, 0x06};
static const uint8_t P2[16] = {0x07, 0x02, 0x09, 0x0a, 0x08, 0x0f, 0x03, 0x0b,
                               0x04, 0x0e, 0x01, 0x05, 0x00, 0x0c, 0x06, 0x0d};
static const uint8_t P3[16] = {0x04, 0x2c, 0x54, 0x6c, 0x80, 0xba, 0xd4, 0xfe,
                               0x07, 0x27, 0x5b, 0x6b, 0x81, 0xb3, 0xd9, 0xfb};

/* S0 of complements. */
static inline vector s0(vector x)
{
    const vector low = low_nibbles(x);
    const vector t = xor2(high_nibbles(x), look_up(P1, low));
    const vector a = xor2(low, look_up(P2, t));
    return xor2(add8(t, t), look_up(P3, a));
}

#endif
