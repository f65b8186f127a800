/*
 * What the kernels of KASUMI with a byte of each packet in a vector share: words, and what a file
 * for some set of instructions must bring.
 *
 * FI (3GPP TS 35.202, section 4.4) is two steps of nine bits L and seven bits R:
 *
 *     L' = S9[L] ^ R ^ key,   R' = S7[R] ^ R ^ (S9[L] & 127) ^ key
 *
 * A vector `nine` has eight of the bits of L and a vector `seven` has R, with the ninth bit of L as
 * its sign. Before the first step that is the lowest bit, so that both vectors are the two bytes of
 * a word as they are. Between the steps it is the highest. After the second step R is one bit
 * further up, and both vectors are the bytes of a word again: nothing is ever moved.
 *
 * The file has two functions, which return what the step makes plus `one`, and plus `other`:
 *
 *     struct step first_step(struct step x, struct step one)
 *     struct step second_step(struct step x, struct step one, struct step other)
 */
#ifndef CIPHERMARK_KASUMI_STEP_H
#define CIPHERMARK_KASUMI_STEP_H

#include "inlined.h" /* a call of an S-box would cost more than a step */
#include "kasumi_tables.h"

/* Tables that vectors are loaded from. */
#define VECTOR_TABLE static const uint8_t __attribute__((aligned(64)))

struct step {
    vector nine, seven;
};

#endif
