/*
 * SNOW 3G (3GPP TS 35.216) for as many packets as a vector has words of 32 bits, for
 * uea2uia2_lanes.h. To be included by a file that has, besides a vector header,
 *
 *     s1(w)                     the S-box S1 of each word (section 3.3.1); it may come later, as
 *                               mixed(…). It is a round of AES whose rows stay where they are: that
 *                               has the same S-box, and mixes the four bytes in either order of them
 *                               alike
 *     sq(x), times_x_69(x)      S_Q of each byte (section 3.3.2), and MULx by that constant (3.1.1)
 *     rotate24(w)               each word rotated to the left by three bytes
 *     alphas(s)                 MULalpha of the first byte of s[0] (section 3.4.2), and DIValpha of the
 *                               last one of s[11] (section 3.4.3), added up
 *     prepare_alphas(s)         called before four steps, the first of which begins with s[0]: may
 *                               leave something for them in s[16] to s[19], which they write
 *     load_fourths(row)         this row of 16 bytes and each fourth one after it, in order
 */
#ifndef CIPHERMARK_SNOW3G_WORDS_H
#define CIPHERMARK_SNOW3G_WORDS_H

#include "inlined.h" /* a call in a step would leave its registers in memory */
#include "lane_ivs.h"
#include "schedule.h"

#define WIDTH (VECTOR_BYTES / 4)
#define CHUNK 192
#define WORDS (CHUNK / 4)
#define STAGES 16

/* Section 4.1. They fit where those of a chunk do, with that whose output is discarded. */
#define INITIAL_STEPS 32

#include "lane_texts.h"

struct snow3g {
    vector s[STAGES + WORDS]; /* s0, s1, … and those that follow */
    vector r[3];              /* R1, R2, R3 */
    vector z[WORDS];          /* what it has made last */
};

struct keystream_group {
    struct lane_group group;
    struct lane_texts texts;
    struct snow3g snow3g;
};

typedef vector byte_map(vector x);

/* Sections 3.3.1 and 3.3.2: after its S-box each byte becomes the sum of the three others, of the one
 * before it once more, and of x times it and the one before it. */
INLINED vector mixed(vector s, byte_map *times_x)
{
    const vector before = rotate24(s), both = xor2(s, before);
    return xor3(exchange16(both), before, times_x(both));
}

static inline vector s1(vector w);

INLINED vector s2(vector w)
{
    return mixed(sq(w), times_x_69);
}

/* Section 3.4.6: the next R1, R2 and R3. */
INLINED void clock_fsm(const vector *s, vector r[3])
{
    const vector sum = add32(r[1], xor2(r[2], s[5]));
    r[2] = s2(r[1]);
    r[1] = s1(r[0]);
    r[0] = sum;
}

/* F of that section, and another word added to it. */
INLINED vector f_and(vector word, const vector *s, const vector r[3])
{
    return xor3(add32(s[15], r[0]), r[1], word);
}

/* Section 3.4.5: the word that comes after s[15]. */
INLINED vector fed_back(const vector *s)
{
    return xor2(xor3(shift_left32(s[0], 8), s[2], shift_right32(s[11], 8)), alphas(s));
}

/* Section 4.1. */
INLINED void initial(vector *s, vector r[3])
{
    s[STAGES] = f_and(fed_back(s), s, r);
    clock_fsm(s, r);
}

/* Section 4.2: a word of keystream. */
INLINED vector next(vector *s, vector r[3])
{
    const vector z = f_and(s[0], s, r);
    s[STAGES] = fed_back(s);
    clock_fsm(s, r);
    return z;
}

/* Keeps what follows from so many steps, for the next ones. */
static inline void finish_steps(struct snow3g *it, unsigned steps, const vector r[3])
{
    unsigned i;
    for (i = 0; i < STAGES; i++)
        it->s[i] = it->s[i + steps];
    for (i = 0; i < 3; i++)
        it->r[i] = r[i];
}

/*
 * Groups step alone, or two together, since each waits for its S-boxes. The registers of both are to
 * stay in those of the processor, so this is written out; where there is one, `other` is null.
 */
#define MOST_GROUPS 2

INLINED void prepare_both(struct snow3g *one, struct snow3g *other, unsigned step)
{
    if (step % 4 != 0)
        return;
    prepare_alphas(one->s + step);
    if (other != NULL)
        prepare_alphas(other->s + step);
}

INLINED void initialise_both(struct snow3g *one, struct snow3g *other)
{
    const vector zero = all32(0);
    vector r[3] = {zero, zero, zero}, other_r[3] = {zero, zero, zero};
    unsigned i;
    for (i = 0; i < INITIAL_STEPS; i++) {
        prepare_both(one, other, i);
        initial(one->s + i, r);
        if (other != NULL)
            initial(other->s + i, other_r);
    }
    prepare_both(one, other, i);
    next(one->s + i, r);
    finish_steps(one, INITIAL_STEPS + 1, r);
    if (other != NULL) {
        next(other->s + i, other_r);
        finish_steps(other, INITIAL_STEPS + 1, other_r);
    }
}

/* Meanwhile texts of UEA2 are prefetched. */
INLINED void generate(struct keystream_group *one, struct keystream_group *other, unsigned words,
                      int prefetches)
{
    const vector zero = all32(0);
    struct snow3g *it = &one->snow3g, *others = other == NULL ? NULL : &other->snow3g;
    vector r[3] = {it->r[0], it->r[1], it->r[2]}, other_r[3] = {zero, zero, zero};
    const size_t at = one->group.done * CHUNK;
    size_t others_at = 0;
    unsigned i;
    if (other != NULL) {
        memcpy(other_r, others->r, sizeof other_r);
        others_at = other->group.done * CHUNK;
    }
    for (i = 0; i < words; i++) {
        prepare_both(it, others, i);
        if (prefetches)
            prefetch_texts(&one->texts, at, i);
        it->z[i] = next(it->s + i, r);
        if (other == NULL)
            continue;
        if (prefetches)
            prefetch_texts(&other->texts, others_at, i);
        others->z[i] = next(others->s + i, other_r);
    }
    if (words < WORDS)
        return; /* nothing follows: the longest packets end */
    finish_steps(it, words, r);
    if (other != NULL)
        finish_steps(others, words, other_r);
}

static inline struct snow3g *snow3g_of(struct lane_group *group)
{
    return &((struct keystream_group *)group)->snow3g;
}

static void initialise(struct lane_group *const *groups, unsigned count)
{
    if (count == MOST_GROUPS)
        initialise_both(snow3g_of(groups[0]), snow3g_of(groups[1]));
    else
        initialise_both(snow3g_of(groups[0]), NULL);
}

INLINED void make_words(struct lane_group *const *groups, unsigned count, unsigned words,
                        int prefetches)
{
    struct keystream_group *one = (struct keystream_group *)groups[0];
    if (count == MOST_GROUPS)
        generate(one, (struct keystream_group *)groups[1], words, prefetches);
    else
        generate(one, NULL, words, prefetches);
}

/* Bytes beyond those that are wanted need not be written. */
static inline void write_keystream(struct keystream_group *it, size_t bytes)
{
    size_t at;
    unsigned i;
    for (at = 0; at < bytes; at += VECTOR_BYTES) {
        struct keystream_place place = {&it->texts, it->group.done * CHUNK + at};
        vector x[WIDTH];
        for (i = 0; i < WIDTH; i++)
            x[i] = reverse_bytes32(it->snow3g.z[at / 4 + i]);
        transpose_words(x);
        for (i = 0; i < WIDTH; i++)
            take_keystream(&place, i, x[i]);
    }
}

static inline void take_words(uint32_t words[][WIDTH], const struct keystream_group *it,
                              unsigned count)
{
    memcpy(words, it->snow3g.z, count * sizeof(vector));
}

/* w[i] is word i, big-endian, of 16 bytes of each packet. */
static inline void load_words(vector w[4], uint8_t rows[WIDTH][16])
{
    vector x[4], low[2], high[2];
    unsigned i;
    for (i = 0; i < 4; i++)
        x[i] = reverse_bytes32(load_fourths(rows[i]));
    for (i = 0; i < 2; i++) {
        low[i] = interleave_low32(x[2 * i], x[2 * i + 1]);
        high[i] = interleave_high32(x[2 * i], x[2 * i + 1]);
    }
    w[0] = interleave_low64(low[0], low[1]);
    w[1] = interleave_high64(low[0], low[1]);
    w[2] = interleave_low64(high[0], high[1]);
    w[3] = interleave_high64(high[0], high[1]);
}

/* Section 4.1: the shift register before the first step. */
static inline void load_group(struct keystream_group *it, iv_of *make_iv)
{
    uint8_t keys[WIDTH][16], ivs[WIDTH][16];
    vector *s = it->snow3g.s, key[4], iv[4];
    unsigned lane, i;
    for (lane = 0; lane < WIDTH; lane++) {
        memcpy(keys[lane], lane_context(&it->group, lane), 16);
        store_iv(ivs[lane], make_iv(lane_message(&it->group, lane)->nonce));
    }
    load_words(key, keys);
    load_words(iv, ivs);
    for (i = 0; i < 4; i++) {
        s[4 + i] = s[12 + i] = key[i];
        s[i] = s[8 + i] = xor2(key[i], all32(UINT32_MAX));
    }
    s[15] = xor2(s[15], iv[0]);
    s[12] = xor2(s[12], iv[1]);
    s[10] = xor2(s[10], iv[2]);
    s[9] = xor2(s[9], iv[3]);
    wipe(keys, sizeof keys);
}

#endif
