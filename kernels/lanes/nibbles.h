/*
 * Bytes by their halves of 4 bits. To be included after a vector header, which has
 *
 *     look_up(table, indices)   bytes of a table of 16, by indices less than 16
 */
#ifndef CIPHERMARK_NIBBLES_H
#define CIPHERMARK_NIBBLES_H

static inline vector low_nibbles(vector x)
{
    return and2(x, all8(0x0f));
}

static inline vector high_nibbles(vector x)
{
    return low_nibbles(shift_right32(x, 4));
}

/* A linear map of bytes is the sum of one of each nibble. */
static inline vector mapped(vector x, const uint8_t of_low[16], const uint8_t of_high[16])
{
    return xor2(look_up(of_low, low_nibbles(x)), look_up(of_high, high_nibbles(x)));
}

#endif
