/*
 * SNOW 3G (3GPP TS 35.216) for as many packets as a vector has bytes.
 *
 * A word is four vectors, one for each byte of it, with a lane for each packet. Shifts by eight
 * bits are then other names for the same vectors, MULalpha and DIValpha are maps of one vector to
 * four, and what S1 and S2 do after their S-boxes is additions. To be included by a file that has
 * MOST_GROUPS, a vector header, and
 *
 *     sr(s, x), sq(s, x)              the S-boxes S_R and S_Q of the bytes of a word
 *     times_x_1b(x), times_x_69(x)    MULx of each byte by that constant (section 3.1.1)
 *     mul_alpha(word, byte), div_alpha(word, byte)
 *     add_words(sum, a, b)            modulo 2^32; sum may be a or b
 */
#ifndef CIPHERMARK_SNOW3G_LANES_H
#define CIPHERMARK_SNOW3G_LANES_H

#include "schedule.h"

#define SNOW3G_KEY_BYTES 16
#define SNOW3G_IV_BYTES 16

/* Steps after which the shift register is moved back to where it began. */
#define SNOW3G_STEPS 16

#define WIDTH VECTOR_BYTES
#define CHUNK (4 * SNOW3G_STEPS)

/* A vector for each byte, the most significant first. */
typedef vector word[4];

struct keystream_group {
    struct lane_group group;
    /* The shift register is the 16 words from `at` on; a step reads them and writes the next. */
    word s[16 + SNOW3G_STEPS + 1];
    unsigned at;
    word r1, r2, r3;
    /* The last output: the bytes of a word for each step, and the same for each packet. */
    vector z[CHUNK];
    uint8_t keystream[WIDTH][CHUNK];
};

static inline struct keystream_group *state_of(struct lane_group *group)
{
    return (struct keystream_group *)group;
}

typedef void box(vector s[4], const vector x[4]);
typedef vector map(vector x);

/* S1 and S2 after their S-boxes (section 3.3): each byte becomes the three others, and x times it
 * and the one before. */
static inline void mix(vector r[4], const vector s[4], map *times_x)
{
    vector both[4];
    unsigned i;
    for (i = 0; i < 4; i++)
        both[i] = xor2(s[i], s[(i + 3) % 4]);
    for (i = 0; i < 4; i++)
        r[i] = xor3(both[(i + 2) % 4], s[(i + 3) % 4], times_x(both[i]));
}

static inline void substitute(vector r[4], const vector w[4], box *box_of, map *times_x)
{
    vector s[4];
    box_of(s, w);
    mix(r, s, times_x);
}

/* Section 3.4.6, with the shift register at s: F ^ other. */
static inline void clock_fsm(vector f[4], struct keystream_group *it, word *s,
                             const vector other[4])
{
    vector sum[4], r2[4];
    unsigned i;
    add_words(f, s[15], it->r1);
    for (i = 0; i < 4; i++) {
        r2[i] = it->r2[i];
        f[i] = xor3(f[i], r2[i], other[i]);
        sum[i] = xor2(it->r3[i], s[5][i]);
    }
    add_words(sum, sum, r2);
    substitute(it->r2, it->r1, sr, times_x_1b);
    substitute(it->r3, r2, sq, times_x_69);
    for (i = 0; i < 4; i++)
        it->r1[i] = sum[i];
}

/* Section 3.4.5: the word that comes after s[15]. */
static inline void feed_back(vector v[4], word *s)
{
    vector product[4], quotient[4];
    unsigned i;
    mul_alpha(product, s[0][0]);
    div_alpha(quotient, s[11][3]);
    for (i = 0; i < 4; i++)
        v[i] = xor3(product[i], quotient[i], s[2][i]);
    v[0] = xor2(v[0], s[0][1]);
    v[1] = xor3(v[1], s[0][2], s[11][0]);
    v[2] = xor3(v[2], s[0][3], s[11][1]);
    v[3] = xor2(v[3], s[11][2]);
}

/* Section 4.1. */
static inline void initial_step(struct keystream_group *it)
{
    word *s = it->s + it->at++;
    vector v[4];
    feed_back(v, s);
    clock_fsm(s[16], it, s, v);
}

/* Section 4.2: writes the four bytes of an output. */
static inline void output_step(struct keystream_group *it, vector z[4])
{
    word *s = it->s + it->at++;
    clock_fsm(z, it, s, s[0]);
    feed_back(s[16], s);
}

/* Moves the shift register back. */
static inline void move_back(struct keystream_group *it)
{
    unsigned i;
    for (i = 0; i < 64; i++)
        it->s[i / 4][i % 4] = it->s[it->at + i / 4][i % 4];
    it->at = 0;
}

static void initial_steps(struct lane_group *const *groups, unsigned count)
{
    unsigned step, i;
    for (step = 0; step < SNOW3G_STEPS; step++) {
        for (i = 0; i < count; i++)
            initial_step(state_of(groups[i]));
    }
}

/* From loaded shift registers on, past the first output, which is discarded. */
static void initialise(struct lane_group *const *groups, unsigned count)
{
    unsigned i;
    initial_steps(groups, count);
    for (i = 0; i < count; i++)
        move_back(state_of(groups[i]));
    initial_steps(groups, count);
    for (i = 0; i < count; i++)
        output_step(state_of(groups[i]), state_of(groups[i])->z);
}

/* Makes the next outputs, so many. */
static void generate(struct lane_group *const *groups, unsigned count, unsigned steps)
{
    unsigned step, i;
    for (i = 0; i < count; i++)
        move_back(state_of(groups[i]));
    for (step = 0; step < steps; step++) {
        for (i = 0; i < count; i++)
            output_step(state_of(groups[i]), state_of(groups[i])->z + 4 * step);
    }
}

/* Loads the keys of a group's packets, which are their contexts. */
static inline void load_keys(vector key[SNOW3G_KEY_BYTES], const struct lane_group *group)
{
    const uint8_t *one = group->batch->one_context;
    uint8_t keys[VECTOR_BYTES][SNOW3G_KEY_BYTES];
    unsigned i;
    if (one != NULL) {
        for (i = 0; i < SNOW3G_KEY_BYTES; i++)
            key[i] = all8(one[i]);
        return;
    }
    for (i = 0; i < VECTOR_BYTES; i++)
        memcpy(keys[oct_place(i)], lane_context(group, i), SNOW3G_KEY_BYTES);
    transpose_from_octs(key, keys);
}

/* The IV of a message, or CIPHERMARK_BAD_NONCE; that was checked before any work. */
typedef int iv_of(uint8_t iv[SNOW3G_IV_BYTES], const message *m);

static inline void load_ivs(vector iv[SNOW3G_IV_BYTES], const struct lane_group *group,
                            iv_of *make_iv)
{
    uint8_t ivs[VECTOR_BYTES][SNOW3G_IV_BYTES];
    unsigned lane;
    for (lane = 0; lane < VECTOR_BYTES; lane++)
        make_iv(ivs[oct_place(lane)], lane_message(group, lane));
    transpose_from_octs(iv, ivs);
}

/* s[at] ^= the word of the IV whose bytes these are. */
static inline void add_iv(vector s[4], const vector iv[4])
{
    unsigned i;
    for (i = 0; i < 4; i++)
        s[i] = xor2(s[i], iv[i]);
}

/* Section 4.1: the shift register before the first step. */
static inline void load_group(struct keystream_group *it, iv_of *make_iv)
{
    vector key[SNOW3G_KEY_BYTES], iv[SNOW3G_IV_BYTES];
    unsigned i;
    load_keys(key, &it->group);
    load_ivs(iv, &it->group, make_iv);
    for (i = 0; i < 16; i++) {
        const vector byte = key[i];
        it->s[4 + i / 4][i % 4] = it->s[12 + i / 4][i % 4] = byte;
        it->s[i / 4][i % 4] = it->s[8 + i / 4][i % 4] = xor2(byte, all8(0xff));
    }
    add_iv(it->s[15], iv);
    add_iv(it->s[12], iv + 4);
    add_iv(it->s[10], iv + 8);
    add_iv(it->s[9], iv + 12);
    it->at = 0;
    for (i = 0; i < 4; i++)
        it->r1[i] = it->r2[i] = it->r3[i] = all8(0);
}

#endif
