/* MULalpha and DIValpha of SNOW 3G as tables for shuffles of 16 bytes. */
#ifndef CIPHERMARK_SNOW3G_NIBBLES_H
#define CIPHERMARK_SNOW3G_NIBBLES_H

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

#endif
