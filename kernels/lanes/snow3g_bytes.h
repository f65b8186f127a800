/*
 * SNOW 3G (3GPP TS 35.216) for as many packets as a vector has bytes, for uea2uia2_lanes.h.
 *
 * A word is four vectors, one for each byte of it, with a lane for each packet. Shifts by eight
 * bits are then other names for the same vectors, MULalpha and DIValpha are maps of one vector to
 * four, and what S1 and S2 do after their S-boxes is additions. To be included by a file that has
 * a vector header, and
 *
 *     sr(s, x), sq(s, x)              the S-boxes S_R and S_Q of the bytes of a word
 *     times_x_1b(x), times_x_69(x)    MULx of each byte by that constant (section 3.1.1)
 *     mul_alpha(word, byte), div_alpha(word, byte)
 *     add_words(sum, a, b)            modulo 2^32; sum may be a or b
 */
#ifndef CIPHERMARK_SNOW3G_BYTES_H
#define CIPHERMARK_SNOW3G_BYTES_H

#include "lane_ivs.h"
#include "schedule.h"

/* One group at a time: its steps overlap by themselves. */
#define MOST_GROUPS 1

#define SNOW3G_KEY_BYTES 16
#define SNOW3G_IV_BYTES 16

/* What a step is made of: as calls, its words would be in memory. */
#define INLINED static inline __attribute__((always_inline))

/* Steps whose outputs are written at a time. */
#define SNOW3G_STEPS 16

#define WIDTH VECTOR_BYTES
#define CHUNK (4 * SNOW3G_STEPS)

#include "lane_texts.h"

/* A vector for each byte, the most significant first. */
typedef vector word[4];

/* The registers of the finite state machine. */
struct fsm {
    vector r1[4], r2[4], r3[4];
};

struct keystream_group {
    struct lane_group group;
    struct lane_texts texts;
    /* The shift register, s0 at `at`: a step puts the next word in its place and goes on by one. */
    word s[16];
    unsigned at;
    struct fsm fsm;
    /* The last output: the bytes of a word for each step, and the same for each packet. */
    vector z[CHUNK];
    uint8_t keystream[WIDTH][CHUNK];
};

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

INLINED void substitute(vector r[4], const vector w[4], box *box_of, map *times_x)
{
    vector s[4];
    box_of(s, w);
    mix(r, s, times_x);
}

/* Word i of the shift register. */
static inline vector *stage(struct keystream_group *it, unsigned i)
{
    return it->s[(it->at + i) % 16];
}

/* Section 3.4.6: F. */
INLINED void clock_fsm(vector f[4], struct fsm *fsm, const vector s5[4], const vector s15[4])
{
    vector next[4];
    unsigned i;
    add_words(f, s15, fsm->r1);
    for (i = 0; i < 4; i++) {
        f[i] = xor2(f[i], fsm->r2[i]);
        next[i] = xor2(fsm->r3[i], s5[i]);
    }
    add_words(next, next, fsm->r2);
    substitute(fsm->r3, fsm->r2, sq, times_x_69);
    substitute(fsm->r2, fsm->r1, sr, times_x_1b);
    for (i = 0; i < 4; i++)
        fsm->r1[i] = next[i];
}

/* Section 3.4.5: the word that comes after s[15]. */
INLINED void feed_back(vector v[4], const vector s0[4], const vector s2[4], const vector s11[4])
{
    vector product[4], quotient[4];
    unsigned i;
    mul_alpha(product, s0[0]);
    div_alpha(quotient, s11[3]);
    for (i = 0; i < 4; i++)
        v[i] = xor3(product[i], quotient[i], s2[i]);
    v[0] = xor2(v[0], s0[1]);
    v[1] = xor3(v[1], s0[2], s11[0]);
    v[2] = xor3(v[2], s0[3], s11[1]);
    v[3] = xor2(v[3], s11[2]);
}

/* So many steps: those of section 4.2, whose outputs are written, or of 4.1 where z is null. */
static void run(struct keystream_group *it, unsigned steps, vector *z)
{
    struct fsm fsm = it->fsm;
    unsigned step, i;
    for (step = 0; step < steps; step++, it->at++) {
        vector *s0 = stage(it, 0), f[4], v[4];
        clock_fsm(f, &fsm, stage(it, 5), stage(it, 15));
        feed_back(v, s0, stage(it, 2), stage(it, 11));
        for (i = 0; i < 4; i++) {
            if (z != NULL)
                z[4 * step + i] = xor2(f[i], s0[i]);
            s0[i] = z == NULL ? xor2(v[i], f[i]) : v[i];
        }
    }
    it->fsm = fsm;
}

static inline struct keystream_group *only_group(struct lane_group *const *groups, unsigned count)
{
    (void)count;
    return (struct keystream_group *)groups[0];
}

static void initialise(struct lane_group *const *groups, unsigned count)
{
    struct keystream_group *it = only_group(groups, count);
    run(it, 32, NULL);
    run(it, 1, it->z);
}

static void make_words(struct lane_group *const *groups, unsigned count, unsigned words)
{
    struct keystream_group *it = only_group(groups, count);
    run(it, words, it->z);
}

/* Bytes beyond those that are wanted need not be written. */
static inline void write_keystream(struct keystream_group *it, size_t bytes)
{
    size_t i;
    for (i = 0; i < bytes; i += VECTOR_BYTES) {
        struct keystream_rows rows = {&it->texts, it->group.done * CHUNK + i,
                                      it->keystream[0] + i};
        transpose_rows(it->z + i, take_keystream, &rows);
    }
}

/* The bytes of a word, for four packets of each 16 after the others: words, big-endian. */
static inline void interleave_bytes(uint8_t words[4][VECTOR_BYTES], const vector bytes[4])
{
    const vector low01 = interleave_low8(bytes[0], bytes[1]);
    const vector high01 = interleave_high8(bytes[0], bytes[1]);
    const vector low23 = interleave_low8(bytes[2], bytes[3]);
    const vector high23 = interleave_high8(bytes[2], bytes[3]);
    store_vector(words[0], interleave_low16(low01, low23));
    store_vector(words[1], interleave_high16(low01, low23));
    store_vector(words[2], interleave_low16(high01, high23));
    store_vector(words[3], interleave_high16(high01, high23));
}

static inline void take_words(uint32_t words[][WIDTH], const struct keystream_group *it,
                              unsigned count)
{
    uint8_t of_four[4][VECTOR_BYTES];
    unsigned i, lane;
    for (i = 0; i < count; i++) {
        interleave_bytes(of_four, it->z + 4 * i);
        for (lane = 0; lane < WIDTH; lane++)
            words[i][lane] = load_be32(&of_four[lane % 16 / 4][lane / 16 * 16 + lane % 4 * 4]);
    }
}

/* Loads the keys of a group's packets, which are their contexts. */
static inline void load_keys(vector key[SNOW3G_KEY_BYTES], const struct lane_group *group)
{
    const uint8_t *one = group->batch->one_context;
    const uint8_t *keys[VECTOR_BYTES];
    unsigned i;
    if (one != NULL) {
        for (i = 0; i < SNOW3G_KEY_BYTES; i++)
            key[i] = all8(one[i]);
        return;
    }
    for (i = 0; i < VECTOR_BYTES; i++)
        keys[i] = lane_context(group, i);
    transpose_from_rows(key, keys, 0);
}

static inline void load_ivs(vector iv[SNOW3G_IV_BYTES], const struct lane_group *group,
                            iv_of *make_iv)
{
    uint8_t ivs[VECTOR_BYTES][SNOW3G_IV_BYTES];
    unsigned lane;
    for (lane = 0; lane < VECTOR_BYTES; lane++)
        store_iv(ivs[oct_place(lane)], make_iv(lane_message(group, lane)->nonce));
    transpose_from_octs(iv, ivs);
}

/* Adds a word of the IV to one of the shift register. */
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
        it->fsm.r1[i] = it->fsm.r2[i] = it->fsm.r3[i] = all8(0);
}

#endif
