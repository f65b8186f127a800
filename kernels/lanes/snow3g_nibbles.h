/*
 * MULalpha and DIValpha of SNOW 3G by tables of 16 bytes, for snow3g_words.h. To be included after a
 * vector header, which has, besides what nibbles.h needs,
 *
 *     shuffled(x, places)       bytes of each 128 bits of x by their places there, zero where the
 *                               place is 128
 */
#ifndef CIPHERMARK_SNOW3G_NIBBLES_H
#define CIPHERMARK_SNOW3G_NIBBLES_H

#include "nibbles.h"
#include "snow3g_alpha.h"

/* A byte of a map's words, from bit `low` on, for the values of a nibble that are `step` apart. */
#define FOUR(map, v, step, low) \
    (map(v) >> (low)) & 0xff, (map((v) + (step)) >> (low)) & 0xff, \
    (map((v) + 2 * (step)) >> (low)) & 0xff, (map((v) + 3 * (step)) >> (low)) & 0xff
#define NIBBLE(map, step, low) \
    {FOUR(map, 0, step, low), FOUR(map, 4u * (step), step, low), \
     FOUR(map, 8u * (step), step, low), FOUR(map, 12u * (step), step, low)}
#define NIBBLES(map) \
    {{NIBBLE(map, 1u, 24), NIBBLE(map, 16u, 24)}, {NIBBLE(map, 1u, 16), NIBBLE(map, 16u, 16)}, \
     {NIBBLE(map, 1u, 8), NIBBLE(map, 16u, 8)}, {NIBBLE(map, 1u, 0), NIBBLE(map, 16u, 0)}}

/* For each byte of the word, that of the low and that of the high nibble. */
static const uint8_t MUL_ALPHA[4][2][16] = NIBBLES(SNOW3G_MUL_ALPHA);
static const uint8_t DIV_ALPHA[4][2][16] = NIBBLES(SNOW3G_DIV_ALPHA);

/* A byte of each of four words, as the bytes of step 0, 1, 2 or 3 of 16. */
#define NONE 0x80, 0x80, 0x80, 0x80
#define OF_EACH_STEP(...) \
    {{__VA_ARGS__, NONE, NONE, NONE}, {NONE, __VA_ARGS__, NONE, NONE}, \
     {NONE, NONE, __VA_ARGS__, NONE}, {NONE, NONE, NONE, __VA_ARGS__}}
static const uint8_t FIRST_BYTES[4][16] = OF_EACH_STEP(3, 7, 11, 15);
static const uint8_t LAST_BYTES[4][16] = OF_EACH_STEP(0, 4, 8, 12);

static inline vector of_four_steps(const vector s[4], const uint8_t places[4][16])
{
    return or2(or2(shuffled(s[0], places[0]), shuffled(s[1], places[1])),
               or2(shuffled(s[2], places[2]), shuffled(s[3], places[3])));
}

/*
 * A table is that of one byte of the product, so four steps take as many look-ups as one. What they
 * multiply is known before them; the sums wait where the steps write their words.
 */
static inline void prepare_alphas(vector *s)
{
    const vector first = of_four_steps(s, FIRST_BYTES), last = of_four_steps(s + 11, LAST_BYTES);
    vector bytes[4], low[2], high[2]; /* the highest byte first */
    unsigned i;
    for (i = 0; i < 4; i++)
        bytes[i] = xor2(mapped(first, MUL_ALPHA[i][0], MUL_ALPHA[i][1]),
                        mapped(last, DIV_ALPHA[i][0], DIV_ALPHA[i][1]));
    for (i = 0; i < 2; i++) {
        low[i] = interleave_low8(bytes[3 - 2 * i], bytes[2 - 2 * i]);
        high[i] = interleave_high8(bytes[3 - 2 * i], bytes[2 - 2 * i]);
    }
    s[16] = interleave_low16(low[0], low[1]);
    s[17] = interleave_high16(low[0], low[1]);
    s[18] = interleave_low16(high[0], high[1]);
    s[19] = interleave_high16(high[0], high[1]);
}

static inline vector alphas(const vector *s)
{
    return s[16];
}

#endif
