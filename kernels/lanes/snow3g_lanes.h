/*
 * SNOW 3G (3GPP TS 35.216) for as many packets as a vector has bytes.
 *
 * A word is four vectors, one for each byte of it, with a lane for each packet. Shifts by eight
 * bits are then other names for the same vectors, MULalpha and DIValpha are maps of one vector to
 * four, and what S1 and S2 do after their S-boxes is additions. To be included by a file that has
 * MOST_GROUPS, a vector header, lanes/snow3g_word.h, and
 *
 *     sr(x), sq(x)                    the S-boxes S_R and S_Q of each byte
 *     times_x_1b(x), times_x_69(x)    MULx of each byte by that constant (section 3.1.1)
 *     mul_alpha(byte), div_alpha(byte)
 *     add_words(a, b)                 modulo 2^32
 */
#ifndef CIPHERMARK_SNOW3G_LANES_H
#define CIPHERMARK_SNOW3G_LANES_H

#include "schedule.h"
#include "snow3g_word.h"

#define SNOW3G_KEY_BYTES 16
#define SNOW3G_IV_BYTES 16

/* Steps after which the shift register is moved back to where it began. */
#define SNOW3G_STEPS 16

#define WIDTH VECTOR_BYTES
#define CHUNK (4 * SNOW3G_STEPS)

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

typedef vector map(vector x);

/* S1 and S2 after their S-boxes (section 3.3): each byte becomes the three others, and x times it
 * and the one before. */
static inline word mix(word s, map *times_x)
{
    word both, r;
    unsigned i;
    for (i = 0; i < 4; i++)
        both.byte[i] = xor2(s.byte[i], s.byte[(i + 3) % 4]);
    for (i = 0; i < 4; i++)
        r.byte[i] = xor3(both.byte[(i + 2) % 4], s.byte[(i + 3) % 4], times_x(both.byte[i]));
    return r;
}

static inline word substitute(word w, map *box, map *times_x)
{
    unsigned i;
    for (i = 0; i < 4; i++)
        w.byte[i] = box(w.byte[i]);
    return mix(w, times_x);
}

/* Section 3.4.6, with the shift register at s: F ^ other. */
static inline word clock_fsm(struct keystream_group *it, const word *s, word other)
{
    const word f = xor_three_words(add_words(s[15], it->r1), it->r2, other);
    const word sum = add_words(it->r2, xor_words(it->r3, s[5]));
    it->r3 = substitute(it->r2, sq, times_x_69);
    it->r2 = substitute(it->r1, sr, times_x_1b);
    it->r1 = sum;
    return f;
}

/* Section 3.4.5: the word that comes after s[15]. */
static inline word fed_back(const word *s)
{
    word v = xor_three_words(mul_alpha(s[0].byte[0]), div_alpha(s[11].byte[3]), s[2]);
    v.byte[0] = xor2(v.byte[0], s[0].byte[1]);
    v.byte[1] = xor3(v.byte[1], s[0].byte[2], s[11].byte[0]);
    v.byte[2] = xor3(v.byte[2], s[0].byte[3], s[11].byte[1]);
    v.byte[3] = xor2(v.byte[3], s[11].byte[2]);
    return v;
}

/* Section 4.1. */
static inline void initial_step(struct keystream_group *it)
{
    word *s = it->s + it->at++;
    s[16] = clock_fsm(it, s, fed_back(s));
}

/* Section 4.2: writes the four bytes of an output. */
static inline void output_step(struct keystream_group *it, vector *z)
{
    word *s = it->s + it->at++;
    const word output = clock_fsm(it, s, s[0]);
    unsigned i;
    for (i = 0; i < 4; i++)
        z[i] = output.byte[i];
    s[16] = fed_back(s);
}

/* Moves the shift register back. */
static inline void move_back(struct keystream_group *it)
{
    unsigned i;
    for (i = 0; i < 16; i++)
        it->s[i] = it->s[it->at + i];
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
static inline void add_iv(word *s, const vector iv[4])
{
    unsigned i;
    for (i = 0; i < 4; i++)
        s->byte[i] = xor2(s->byte[i], iv[i]);
}

/* Section 4.1: the shift register before the first step. */
static inline void load_group(struct keystream_group *it, iv_of *make_iv)
{
    const word zero = {{all8(0), all8(0), all8(0), all8(0)}};
    vector key[SNOW3G_KEY_BYTES], iv[SNOW3G_IV_BYTES];
    unsigned i;
    load_keys(key, &it->group);
    load_ivs(iv, &it->group, make_iv);
    for (i = 0; i < 16; i++) {
        const vector byte = key[i];
        it->s[4 + i / 4].byte[i % 4] = it->s[12 + i / 4].byte[i % 4] = byte;
        it->s[i / 4].byte[i % 4] = it->s[8 + i / 4].byte[i % 4] = xor2(byte, all8(0xff));
    }
    add_iv(&it->s[15], iv);
    add_iv(&it->s[12], iv + 4);
    add_iv(&it->s[10], iv + 8);
    add_iv(&it->s[9], iv + 12);
    it->at = 0;
    it->r1 = it->r2 = it->r3 = zero;
}

#endif
