/*
 * KASUMI (3GPP TS 35.202) of one block of each packet, a bit of all packets of a group in a vector,
 * which is called a plane. To be included by a file that has a vector header and
 *
 *     IN_ORDER(x)   keeps the computation of a vector where it stands among the others
 *
 * A group is as many packets as a vector has bits. Rotations are other names of the same planes,
 * and S-boxes are circuits (kasumi_circuits.h), so everything is XOR, AND and OR.
 *
 * Complements cost nothing, as the keys take them in. The circuits of FI's first step leave out
 * S7(0) and S9(0), those of the second compute S(x ^ c) ^ S(c), with S7(c7) = 0 and S9(c9) = c7, so
 * that what they leave out cancels. KI is kept with what is missing between the steps.
 */
#ifndef CIPHERMARK_KASUMI_PLANES_H
#define CIPHERMARK_KASUMI_PLANES_H

#include "inlined.h" /* the circuits must be known where they are used */
#include "kasumi.h"

/* FI must not be copied. */
#define NO_INLINE __attribute__((noinline))

#include "kasumi_circuits.h"

#define WIDTH (8 * VECTOR_BYTES)
#define MOST_GROUPS 1
#define KEY_BYTES 16
#define KEY_WORDS 8
#define WORD_BITS 16
#define HALF_BITS 32

/* What the first step leaves out and the second wants added, in the places that KI has. */
#define KI_NINE (KASUMI_S9_OF_0 ^ KASUMI_C9)
#define KI_SEVEN (KASUMI_S7_OF_0 ^ (KASUMI_S9_OF_0 & 0x7f) ^ KASUMI_C7)
#define KI_CONSTANT (KI_SEVEN << 9 | KI_NINE)

/* The lowest bit first, as in all arrays of planes. */
struct half {
    vector planes[HALF_BITS];
};

struct block {
    struct half right, left;
};

/* Of which all rounds take their keys (section 4.6). */
struct lane_keys {
    vector plain[KEY_WORDS][2 * WORD_BITS]; /* twice, so that a rotation is a place in it */
    vector changed[KEY_WORDS][WORD_BITS];   /* with the constant of section 4.6 added */
    vector ki[KEY_WORDS][WORD_BITS];        /* and KI_CONSTANT */
};

/* A word of the key, rotated to the left. */
static inline const vector *rotated_word(const struct lane_keys *keys, unsigned word, unsigned left)
{
    return &keys->plain[word % KEY_WORDS][WORD_BITS - left];
}

/* Section 4.4: y = FI(x ^ ko) ^ other. One copy serves all, so that it stays in the caches. */
static NO_INLINE void fi(vector y[WORD_BITS], const vector x[WORD_BITS],
                         const vector other[WORD_BITS], const vector ko[WORD_BITS],
                         const vector ki[WORD_BITS])
{
    vector nine[9], seven[7], nine_between[9], seven_between[7];
    unsigned i;
    for (i = 0; i < 9; i++)
        nine[i] = xor2(x[7 + i], ko[7 + i]);
    kasumi_s9_first(nine_between, nine);
    for (i = 0; i < 7; i++) {
        seven[i] = xor2(x[i], ko[i]);
        nine_between[i] = xor2(nine_between[i], seven[i]);
    }
    kasumi_s7_first(seven_between, seven);
    for (i = 0; i < 7; i++)
        seven[i] = xor2(xor2(seven_between[i], nine_between[i]), ki[9 + i]);
    for (i = 0; i < 9; i++)
        nine_between[i] = xor2(nine_between[i], ki[i]);
    kasumi_s9_second(nine, nine_between);
    for (i = 0; i < 7; i++)
        nine[i] = xor2(nine[i], seven[i]);
    for (i = 0; i < 9; i++)
        y[i] = xor2(nine[i], other[i]);
    kasumi_s7_second(seven_between, seven);
    for (i = 0; i < 7; i++)
        y[9 + i] = xor2(xor2(seven_between[i], nine[i]), other[9 + i]);
}

/* Section 4.3, in round `round` (from 0). */
static void fo(struct half *y, const struct half *x, const struct lane_keys *keys, unsigned round)
{
    const vector *left = x->planes + WORD_BITS, *right = x->planes;
    vector first[WORD_BITS];
    fi(first, left, right, rotated_word(keys, round + 1, 5), keys->ki[(round + 4) % 8]);
    fi(y->planes + WORD_BITS, right, first, rotated_word(keys, round + 5, 8),
       keys->ki[(round + 3) % 8]);
    fi(y->planes, first, y->planes + WORD_BITS, rotated_word(keys, round + 6, 13),
       keys->ki[(round + 7) % 8]);
}

/* Bit `number` of a word that has been rotated to the left by one. */
static inline unsigned rotated(unsigned number)
{
    return (number + WORD_BITS - 1) % WORD_BITS;
}

/* Section 4.2: bit `number` of the right word of FL(x). */
INLINED vector fl_right(const struct half *x, const vector kl1[WORD_BITS], unsigned number)
{
    const vector *left = x->planes + WORD_BITS;
    const unsigned from = rotated(number);
    return xor2(x->planes[number], and2(left[from], kl1[from]));
}

/* What FL adds to bit `number` of the left word, of the right one that it has made. */
INLINED vector fl_left(const vector right[WORD_BITS], const vector kl2[WORD_BITS],
                             unsigned number)
{
    const unsigned from = rotated(number);
    return or2(right[from], kl2[from]);
}

INLINED void fl(struct half *restrict y, const struct half *restrict x,
                      const struct lane_keys *keys, unsigned round)
{
    const vector *kl1 = rotated_word(keys, round, 1), *kl2 = keys->changed[(round + 2) % 8];
    unsigned i;
    for (i = 0; i < WORD_BITS; i++)
        y->planes[i] = fl_right(x, kl1, i);
    for (i = WORD_BITS; i < HALF_BITS; i++)
        y->planes[i] = xor2(x->planes[i], fl_left(y->planes, kl2, i - WORD_BITS));
}

/* sum ^= FL(x), in one go because the processor is busy with loads and stores here. */
INLINED void add_fl(struct half *restrict sum, const struct half *restrict x,
                          const struct lane_keys *keys, unsigned round)
{
    const vector *kl1 = rotated_word(keys, round, 1), *kl2 = keys->changed[(round + 2) % 8];
    vector right[WORD_BITS];
    unsigned i;
    for (i = 0; i < WORD_BITS; i++) {
        right[i] = fl_right(x, kl1, i);
        sum->planes[i] = xor2(sum->planes[i], right[i]);
    }
    for (i = WORD_BITS; i < HALF_BITS; i++)
        sum->planes[i] = xor3(sum->planes[i], x->planes[i], fl_left(right, kl2, i - WORD_BITS));
}

static inline void add_halves(struct half *sum, const struct half *a, const struct half *b)
{
    unsigned i;
    for (i = 0; i < HALF_BITS; i++)
        sum->planes[i] = xor2(a->planes[i], b->planes[i]);
}

/* Section 3.2. */
static void encrypt_block(struct block *block, const struct lane_keys *keys)
{
    struct half x, y;
    unsigned round;
    for (round = 0; round < KASUMI_ROUNDS; round += 2) {
        fl(&x, &block->left, keys, round);
        fo(&y, &x, keys, round);
        add_halves(&block->right, &block->right, &y);
        fo(&x, &block->right, keys, round + 1);
        add_fl(&block->left, &x, keys, round + 1);
    }
}

static void encrypt_groups(struct block *const *blocks, const struct lane_keys *const *keys,
                           unsigned count)
{
    (void)count; /* of MOST_GROUPS */
    encrypt_block(blocks[0], keys[0]);
}

/* Section 4.6, table 1. */
static const uint16_t CONSTANTS[KEY_WORDS] = {
    0x0123, 0x4567, 0x89ab, 0xcdef, 0xfedc, 0xba98, 0x7654, 0x3210};

/* The plane, or its complement where bit `number` of the constant is set. */
static inline vector with_constant(vector plane, unsigned constant, unsigned number)
{
    return xor2(plane, all8((uint8_t)(0 - (constant >> number & 1))));
}

/* Makes all planes of the first half of `plain`, which are the bits of each word of the key. */
static void complete_lane_keys(struct lane_keys *keys)
{
    unsigned word, i;
    for (word = 0; word < KEY_WORDS; word++) {
        for (i = 0; i < WORD_BITS; i++) {
            const vector plane = keys->plain[word][i];
            keys->plain[word][WORD_BITS + i] = plane;
            keys->changed[word][i] = with_constant(plane, CONSTANTS[word], i);
            keys->ki[word][i] = with_constant(plane, CONSTANTS[word] ^ KI_CONSTANT, i);
        }
    }
}

/* Adds a byte to every byte of the keys. */
static void modify_lane_keys(struct lane_keys *modified, const struct lane_keys *keys, uint8_t byte)
{
    unsigned word, i;
    for (word = 0; word < KEY_WORDS; word++) {
        for (i = 0; i < WORD_BITS; i++)
            modified->plain[word][i] = with_constant(keys->plain[word][i], byte, i % 8);
    }
    complete_lane_keys(modified);
}

#endif
