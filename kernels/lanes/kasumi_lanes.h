/*
 * KASUMI (3GPP TS 35.202) of one block of each packet, a byte of all packets of a group in a
 * vector. To be included by a file that has a vector header, the steps of FI (kasumi_step.h) and
 *
 *     MOST_GROUPS, EACH_COUNT(X)   groups that go through the rounds together: how many at most, and
 *                                  X(1) X(2) … of all their numbers
 *     ROUNDS_WRITTEN_OUT           1, or 2 where that is not too much code for the processor's store
 *                                  of decoded instructions: halves then change places for nothing
 *
 * A group is as many packets as a vector has bytes. Several groups go through the rounds together,
 * stage by stage, because each stage waits for the one before.
 */
#ifndef CIPHERMARK_KASUMI_LANES_H
#define CIPHERMARK_KASUMI_LANES_H

#include "kasumi_words.h"

#define WIDTH VECTOR_BYTES

/* 32 bits of each packet. */
struct half {
    struct word left, right;
};

struct block {
    struct half left, right;
};

/* Section 4.4: FI(x) ^ one ^ other. */
INLINED struct word fi(struct word x, const struct key_word *key, struct word one,
                             struct word other)
{
    const struct step input = {x.high, x.low}, ki = {key->changed.low, key->changed_for_step};
    const struct step to_one = {one.low, one.high}, to_other = {other.low, other.high};
    const struct step y = second_step(first_step(input, ki), to_one, to_other);
    const struct word word = {y.seven, y.nine};
    return word;
}

/* Section 4.2. */
static inline struct half fl(struct half x, const struct lane_keys *keys, unsigned round)
{
    const struct word *kl1 = &key_word(keys, round)->by1;
    const struct word *kl2 = &key_word(keys, round + 2)->changed;
    const struct word both = {and2(x.left.high, kl1->high), and2(x.left.low, kl1->low)};
    struct word any;
    x.right = xor_rotated(x.right, both);
    any.high = or2(x.right.high, kl2->high);
    any.low = or2(x.right.low, kl2->low);
    x.left = xor_rotated(x.left, any);
    return x;
}

/* sum ^ FL(x), where sum.right has been added to x.right before. */
static inline struct half fl_sum(struct half sum, struct half x, const struct lane_keys *keys,
                                 unsigned round)
{
    const struct word *kl1 = &key_word(keys, round)->by1;
    const struct word *kl2 = &key_word(keys, round + 2)->changed;
    const struct word both = {and2(x.left.high, kl1->high), and2(x.left.low, kl1->low)};
    struct word any;
    x.right = xor_rotated(x.right, both);
    any.high = xor_or(x.right.high, sum.right.high, kl2->high);
    any.low = xor_or(x.right.low, sum.right.low, kl2->low);
    x.left = xor_rotated(xor_words(x.left, sum.left), any);
    return x;
}

/* A group on its way through the rounds. */
struct passage {
    const struct lane_keys *keys;
    struct block block;
    struct half x;     /* what FO makes */
    struct word first; /* what its first FI made */
    struct word other; /* what is added to its right word */
};

/*
 * Section 4.3, of a round counted from 0. What enters the third FI has KO3 in it already where the
 * first ends; the second does not wait for the first until it ends.
 */
INLINED void first_fi(struct passage *it, unsigned round)
{
    const struct word ko1 = key_word(it->keys, round + 1)->by5;
    const struct word ko3 = exchanged(key_word(it->keys, round + 6)->by5);
    it->first = fi(xor_words(it->x.left, ko1), key_word(it->keys, round + 4), it->x.right, ko3);
}

INLINED void second_fi(struct passage *it, unsigned round)
{
    const struct word ko2 = exchanged(key_word(it->keys, round + 5)->plain);
    const struct word ko3 = exchanged(key_word(it->keys, round + 6)->by5);
    it->x.left = fi(xor_words(it->x.right, ko2), key_word(it->keys, round + 3), it->first, ko3);
}

INLINED void third_fi(struct passage *it, unsigned round)
{
    it->x.right = fi(it->first, key_word(it->keys, round + 7), it->x.left, it->other);
}

/*
 * Section 4.1: the left half goes through FL and FO in rounds of odd number, which are even from 0,
 * and through FO and FL in the others; then it is added to the right one, and they change places.
 */
INLINED void begin_round(struct passage *it, unsigned round)
{
    it->x = it->block.left;
    if (round % 2 == 0)
        it->x = fl(it->x, it->keys, round);
    it->other = it->block.right.right;
}

INLINED void end_round(struct passage *it, unsigned round)
{
    struct half sum = {xor_words(it->block.right.left, it->x.left), it->x.right};
    if (round % 2 == 1)
        sum = fl_sum(it->block.right, it->x, it->keys, round);
    it->block.right = it->block.left;
    it->block.left = sum;
}

/*
 * Groups do the same together. Written out, since compilers keep vectors in registers only where
 * no loop counts them.
 */
#define TOGETHER(stage, round) \
    do { \
        stage(&it[0], round); \
        if (count > 1) \
            stage(&it[1], round); \
        if (count > 2) \
            stage(&it[2], round); \
    } while (0)

INLINED void one_round(struct passage it[3], unsigned round, unsigned count)
{
    TOGETHER(begin_round, round);
    TOGETHER(first_fi, round);
    TOGETHER(second_fi, round);
    TOGETHER(third_fi, round);
    TOGETHER(end_round, round);
}

INLINED void encrypt_together(struct block *const *blocks,
                                    const struct lane_keys *const *keys, unsigned count)
{
    struct passage it[3];
    unsigned g, round;
    for (g = 0; g < count; g++) {
        it[g].keys = keys[g];
        it[g].block = *blocks[g];
    }
    for (round = 0; round < KASUMI_ROUNDS; round += ROUNDS_WRITTEN_OUT) {
        one_round(it, round, count);
        if (ROUNDS_WRITTEN_OUT == 2)
            one_round(it, round + 1, count);
    }
    for (g = 0; g < count; g++)
        *blocks[g] = it[g].block;
}

/*
 * Together, as many groups as there are: each number of them is a loop of its own, unrolled over
 * the groups, whose registers the compiler can then share out.
 */
#define ENCRYPT_GROUPS(number) \
    case number: \
        encrypt_together(blocks, keys, number); \
        break;
static void encrypt_groups(struct block *const *blocks, const struct lane_keys *const *keys,
                           unsigned count)
{
    switch (count) {
        EACH_COUNT(ENCRYPT_GROUPS)
    }
}

#endif
