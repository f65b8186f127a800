/*
 * KASUMI over at most 8 packets, in vectors of 32 bytes: what kernels for many packets leave to it.
 *
 * With so few packets a vector has room to do two things at once. Of its first 16 bytes, eight are of the
 * first word of 32 bits of each packet and the others of the second, which FO's first two calls of FI
 * take at the same time. Both halves of a vector have the same packets. To be included by a file that has
 * a vector header and
 *
 *     FIRST, SECOND               tables of the steps of FI (kasumi_step.h)
 *     paired_step(tables, x, sum)  a step, with what is added
 *     PAIRED_F8, PAIRED_F9         names of the functions that come of it, which kasumi_lent.h has
 */
#ifndef CIPHERMARK_KASUMI_PAIRED_H
#define CIPHERMARK_KASUMI_PAIRED_H

#include "kasumi_words.h"

#define WIDTH 8
#define MOST_GROUPS 1

/* 32 bits of each packet: two words beside each other. */
struct block {
    struct word left, right;
};

/* ---- Halves, eights and their packets -------------------------------------------------------- */

static inline __m128i low_half(vector x)
{
    return _mm256_castsi256_si128(x);
}

static inline vector in_both_halves(__m128i x)
{
    return _mm256_broadcastsi128_si256(x);
}

/* The second word in place of the first, and 0 in its own; and the other way round. */
static inline struct word second_first(struct word x)
{
    const struct word word = {_mm256_srli_si256(x.high, 8), _mm256_srli_si256(x.low, 8)};
    return word;
}

static inline struct word first_second(struct word x)
{
    const struct word word = {_mm256_slli_si256(x.high, 8), _mm256_slli_si256(x.low, 8)};
    return word;
}

/* The first word of one and the second of the other. */
static inline vector pair(vector one, vector other)
{
    return _mm256_blend_epi32(one, other, 0xcc);
}

static inline struct word word_pair(struct word one, struct word other)
{
    const struct word word = {pair(one.high, other.high), pair(one.low, other.low)};
    return word;
}

/* The sum of both words, in place of each. */
static inline vector sum_of_pair(vector x)
{
    return xor2(x, _mm256_shuffle_epi32(x, 0x4e));
}

/* From 16 bytes of each packet to vectors of two bytes, 2 i and 2 i + 1, of all packets. */
static inline void transpose_eight(__m128i x[8])
{
    __m128i y[8];
    unsigned i;
    for (i = 0; i < 4; i++) {
        y[i] = _mm_unpacklo_epi8(x[2 * i], x[2 * i + 1]);
        y[4 + i] = _mm_unpackhi_epi8(x[2 * i], x[2 * i + 1]);
    }
    for (i = 0; i < 4; i++) {
        x[2 * i] = _mm_unpacklo_epi16(y[2 * i], y[2 * i + 1]);
        x[2 * i + 1] = _mm_unpackhi_epi16(y[2 * i], y[2 * i + 1]);
    }
    for (i = 0; i < 4; i++) {
        const unsigned first = i / 2 * 4 + i % 2;
        y[2 * i] = _mm_unpacklo_epi32(x[first], x[first + 2]);
        y[2 * i + 1] = _mm_unpackhi_epi32(x[first], x[first + 2]);
    }
    memcpy(x, y, sizeof y);
}

/* Of four bytes of each packet. */
static inline struct word word_of(const __m128i pairs[2])
{
    const struct word word = {in_both_halves(_mm_unpacklo_epi64(pairs[0], pairs[1])),
                              in_both_halves(_mm_unpackhi_epi64(pairs[0], pairs[1]))};
    return word;
}

static inline struct block block_of(const __m128i pairs[4])
{
    const struct block block = {word_of(pairs), word_of(pairs + 2)};
    return block;
}

/* Four bytes of each packet, one after the other. */
static inline void store_word(__m128i bytes[2], struct word x)
{
    const __m128i high = low_half(x.high), low = low_half(x.low);
    const __m128i first = _mm_unpacklo_epi8(high, low), second = _mm_unpackhi_epi8(high, low);
    bytes[0] = _mm_unpacklo_epi16(first, second);
    bytes[1] = _mm_unpackhi_epi16(first, second);
}

/* Eight bytes of each packet. */
static inline void store_block(__m128i bytes[4], const struct block *block)
{
    __m128i left[2], right[2];
    unsigned i;
    store_word(left, block->left);
    store_word(right, block->right);
    for (i = 0; i < 2; i++) {
        bytes[2 * i] = _mm_unpacklo_epi32(left[i], right[i]);
        bytes[2 * i + 1] = _mm_unpackhi_epi32(left[i], right[i]);
    }
}

/* ---- KASUMI ---------------------------------------------------------------------------------- */

/* Section 4.4: FI(x) ^ sum, of both words. */
INLINED struct word fi(struct word x, struct step ki, struct word sum)
{
    const struct step input = {x.high, x.low}, added = {sum.low, sum.high};
    const struct step y = paired_step(&SECOND, paired_step(&FIRST, input, ki), added);
    const struct word word = {y.seven, y.nine};
    return word;
}

/* Section 4.3, of a round counted from 0. */
INLINED struct word fo(struct word x, const struct lane_keys *keys, unsigned round)
{
    const struct key_word *ki1 = key_word(keys, round + 4), *ki2 = key_word(keys, round + 3);
    const struct key_word *ki3 = key_word(keys, round + 7);
    const struct word ko12 = word_pair(key_word(keys, round + 1)->by5,
                                       exchanged(key_word(keys, round + 5)->plain));
    const struct word ko3 = exchanged(key_word(keys, round + 6)->by5);
    const struct step ki12 = {pair(ki1->changed.low, ki2->changed.low),
                              pair(ki1->changed_for_step, ki2->changed_for_step)};
    const struct step ki3_step = {ki3->changed.low, ki3->changed_for_step};
    /* R1, and beside it what is added to it for R2, which is L3. */
    const struct word both = fi(xor_words(x, ko12), ki12, second_first(x));
    const struct word l3 = {sum_of_pair(both.high), sum_of_pair(both.low)};
    const struct word r3 = fi(xor_words(first_second(both), ko3), ki3_step, l3);
    return word_pair(l3, r3);
}

/* Section 4.2. */
INLINED struct word fl(struct word x, const struct lane_keys *keys, unsigned round)
{
    const struct word *kl1 = &key_word(keys, round)->by1;
    const struct word *kl2 = &key_word(keys, round + 2)->changed;
    struct word both = first_second(x), any;
    both.high = and2(both.high, kl1->high);
    both.low = and2(both.low, kl1->low);
    x = xor_rotated(x, both);
    any.high = or2(x.high, kl2->high);
    any.low = or2(x.low, kl2->low);
    return xor_rotated(x, second_first(any));
}

/* Section 4.1, both rounds of a pair. */
INLINED void two_rounds(struct block *block, const struct lane_keys *keys, unsigned round)
{
    const struct word odd = fo(fl(block->left, keys, round), keys, round);
    block->right = xor_words(block->right, odd);
    const struct word even = fl(fo(block->right, keys, round + 1), keys, round + 1);
    block->left = xor_words(block->left, even);
}

static void encrypt_groups(struct block *const *blocks, const struct lane_keys *const *keys,
                           unsigned count)
{
    unsigned g, round;
    for (g = 0; g < count; g++) {
        struct block block = *blocks[g];
        for (round = 0; round < KASUMI_ROUNDS; round += 2)
            two_rounds(&block, keys[g], round);
        *blocks[g] = block;
    }
}

/* ---- Of rows, as byte_blocks.h has it -------------------------------------------------------- */

static void load_rows(__m128i x[8], const uint8_t *const rows[WIDTH], size_t at)
{
    unsigned i;
    for (i = 0; i < WIDTH; i++)
        x[i] = _mm_loadu_si128((const void *)(rows[i] + at));
    transpose_eight(x);
}

static void load_blocks(struct block blocks[2], const uint8_t *const rows[WIDTH], size_t at)
{
    __m128i x[8];
    load_rows(x, rows, at);
    blocks[0] = block_of(x);
    blocks[1] = block_of(x + 4);
}

static void load_first_blocks(struct block *block, uint8_t quads[WIDTH][8])
{
    __m128i x[8];
    unsigned i;
    for (i = 0; i < WIDTH; i++)
        x[i] = _mm_loadl_epi64((const void *)quads[i]);
    transpose_eight(x);
    *block = block_of(x);
}

static void load_lane_keys(struct lane_keys *keys, const uint8_t *const rows[WIDTH],
                           uint8_t modifier)
{
    __m128i x[8];
    vector bytes[KEY_BYTES];
    unsigned i;
    load_rows(x, rows, 0);
    for (i = 0; i < KEY_BYTES; i++) {
        const __m128i eight = i % 2 == 0 ? x[i / 2] : _mm_unpackhi_epi64(x[i / 2], x[i / 2]);
        bytes[i] = xor2(_mm256_broadcastq_epi64(eight), all8(modifier));
    }
    set_lane_keys(keys, bytes);
}

INLINED void take_blocks(struct block *blocks, size_t count, row_taker *take, void *context)
{
    __m128i x[VECTOR_BYTES / KASUMI_BLOCK_BYTES][4];
    unsigned i;
    for (i = 0; i < count; i++)
        store_block(x[i], &blocks[i]);
    for (; i < VECTOR_BYTES / KASUMI_BLOCK_BYTES; i++)
        memset(x[i], 0, sizeof x[i]);
    for (i = 0; i < WIDTH; i += 2) {
        const __m128i *const one = &x[0][i / 2], *const two = &x[1][i / 2];
        const __m128i *const three = &x[2][i / 2], *const four = &x[3][i / 2];
        take(context, i, _mm256_set_m128i(_mm_unpacklo_epi64(*three, *four),
                                          _mm_unpacklo_epi64(*one, *two)));
        take(context, i + 1, _mm256_set_m128i(_mm_unpackhi_epi64(*three, *four),
                                              _mm_unpackhi_epi64(*one, *two)));
    }
}

static void store_first_words(uint8_t words[WIDTH][4], const struct block *block)
{
    __m128i bytes[2];
    store_word(bytes, block->left);
    memcpy(words, bytes, sizeof bytes);
}

static inline unsigned word_place(unsigned lane)
{
    return lane;
}

static inline void add_blocks(struct block *sum, const struct block *a, const struct block *b)
{
    sum->left = xor_words(a->left, b->left);
    sum->right = xor_words(a->right, b->right);
}

static void add_blocks_where(struct block *sum, const struct block *x, const uint8_t where[WIDTH])
{
    const vector mask = _mm256_broadcastq_epi64(_mm_loadl_epi64((const void *)where));
    const vector *from = (const vector *)x;
    vector *to = (vector *)sum;
    unsigned i;
    for (i = 0; i < sizeof *sum / sizeof *to; i++)
        to[i] = xor2(to[i], and2(from[i], mask));
}

static inline void add_number(struct block *sum, size_t number)
{
    const struct word word = {all8((uint8_t)(number >> 8)), all8((uint8_t)number)}, none = {
        all8(0), all8(0)};
    sum->right = xor_words(sum->right, word_pair(none, word));
}

#include "f8_lanes.h"
#include "f9_lanes.h"
#include "kasumi_lent.h"

void PAIRED_F8(const struct lane_batch *batch, const uint16_t *order, size_t count)
{
    process_in_order(&encryption, batch, order, count);
}

void PAIRED_F9(const struct lane_batch *batch, const uint16_t *order, size_t count)
{
    f9_in_order(batch, order, count);
}

#endif
