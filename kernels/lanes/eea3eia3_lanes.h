/*
 * 128-EEA3 and 128-EIA3 over zuc_lanes.h, to be included after it by a file that has
 *
 *     uint32_t sum_windows(m, k, words)   the sum of the words of keystream that begin at those
 *                               bits at which so many words of a message have ones. The message
 *                               is bytes, the keystream words in the processor's order, two more
 *                               than the message has. Of both there are SUMMED_WORDS at a time,
 *                               and after its end the message has zeros.
 *
 * and may have SUMS_ENDS and sum_end, the same for the last bytes of a message, at least one.
 *
 * How that takes few products of polynomials of 64 bits: let k0, k1, … be words of keystream, m0,
 * m1, … those of the message with their bits in the other order, and low and high the words of a
 * product of two. Bit j of m0 is that of the word of keystream which begins at bit j: the sum for
 * m0 is low(k0 m0) ^ high(k1 m0). A product of two pairs of words
 *
 *     (a b)(c d) = ac 2^64 ^ (ad ^ bc) 2^32 ^ bd
 *
 * has high(bd) ^ low(ad) ^ low(bc) in its second word, and high(ad) ^ high(bc) ^ low(ac) in its
 * third, so that the sum for three words of a message takes two:
 *
 *     (k0 k1)(m1 m0), second word:  low(k0 m0)  ^ high(k1 m0) ^ low(k1 m1)
 *     (k2 k3)(m2 m1), third word:   high(k2 m1) ^ low(k2 m2)  ^ high(k3 m2)
 */
#ifndef CIPHERMARK_EEA3EIA3_LANES_H
#define CIPHERMARK_EEA3EIA3_LANES_H

#include "eea3eia3.h"
#include "lane_ivs.h"
#include "zuc_lanes.h"

/* Words of keystream that EIA3 has beyond those of a step's message. */
#define WORDS_AHEAD 2

#include "lane_texts.h"

struct keystream_group {
    struct lane_group group;
    struct lane_texts texts;
    struct zuc zuc;
    vector first[1 + WORDS_AHEAD]; /* words made with the initialisation */
    /* EIA3: words of keystream from those of a step's message on, and what is summed so far. */
    uint32_t words[WIDTH][WORDS + WORDS_AHEAD];
    uint32_t tags[WIDTH];
};

static inline struct keystream_group *state_of(struct lane_group *group)
{
    return (struct keystream_group *)group;
}

static inline struct zuc *zuc_of(struct lane_group *group)
{
    return &state_of(group)->zuc;
}

static inline void load_group(struct keystream_group *it, iv_of *make_iv)
{
    const uint8_t *keys[WIDTH];
    uint8_t ivs[WIDTH][STREAM_IV_BYTES];
    unsigned lane;
    for (lane = 0; lane < WIDTH; lane++) {
        keys[lane] = lane_context(&it->group, lane);
        store_iv(ivs[lane], make_iv(lane_message(&it->group, lane)->nonce));
    }
    load(&it->zuc, keys, ivs);
}

/*
 * Groups step alone, or two together, since each waits for its S-boxes. R1 and R2 of both are to
 * stay in the processor's registers, so this is written out; where there is one, `other` is null.
 */
#define MOST_GROUPS 2

/* Initialises, and makes some words of which the first is to be discarded (section 3.6.2). */
static inline void initialise(struct keystream_group *one, struct keystream_group *other,
                              unsigned words)
{
    struct registers registers = one->zuc.registers, others = registers;
    unsigned i;
    if (other != NULL)
        others = other->zuc.registers;
    for (i = 0; i < INITIAL_STEPS; i++) {
        initial(&one->zuc, i, &registers);
        if (other != NULL)
            initial(&other->zuc, i, &others);
    }
    for (; i < INITIAL_STEPS + words; i++) {
        one->first[i - INITIAL_STEPS] = next(&one->zuc, i, &registers);
        if (other != NULL)
            other->first[i - INITIAL_STEPS] = next(&other->zuc, i, &others);
    }
    one->zuc.registers = registers;
    one->zuc.steps = i;
    if (other != NULL) {
        other->zuc.registers = others;
        other->zuc.steps = i;
    }
}

/* Meanwhile texts of EEA3 are prefetched. */
INLINED void generate(struct keystream_group *one, struct keystream_group *other, unsigned words,
                      int prefetches)
{
    struct registers registers = one->zuc.registers, others = registers;
    const size_t at = one->group.done * CHUNK;
    size_t others_at = 0;
    unsigned i;
    move_back(&one->zuc);
    if (other != NULL) {
        others = other->zuc.registers;
        others_at = other->group.done * CHUNK;
        move_back(&other->zuc);
    }
    for (i = 0; i < words; i++) {
        if (prefetches)
            prefetch_texts(&one->texts, at, i);
        one->zuc.halves[i] = next(&one->zuc, i, &registers);
        if (other == NULL)
            continue;
        if (prefetches)
            prefetch_texts(&other->texts, others_at, i);
        other->zuc.halves[i] = next(&other->zuc, i, &others);
    }
    one->zuc.registers = registers;
    one->zuc.steps = words;
    if (other != NULL) {
        other->zuc.registers = others;
        other->zuc.steps = words;
    }
}

/* Makes the next words, at most WORDS. */
INLINED void make_words(struct lane_group *const *groups, unsigned count, unsigned words,
                        int prefetches)
{
    if (count == MOST_GROUPS)
        generate(state_of(groups[0]), state_of(groups[1]), words, prefetches);
    else
        generate(state_of(groups[0]), NULL, words, prefetches);
}

static void start_groups(struct lane_group *const *groups, unsigned count, iv_of *make_iv,
                         unsigned words)
{
    unsigned i;
    for (i = 0; i < count; i++)
        load_group(state_of(groups[i]), make_iv);
    if (count == MOST_GROUPS)
        initialise(state_of(groups[0]), state_of(groups[1]), words);
    else
        initialise(state_of(groups[0]), NULL, words);
}

/* Gives words of each packet, each as `form` has it: vectors of them, one after the other. */
INLINED void
take_words(const struct zuc *it, unsigned at, vector (*form)(vector), row_taker *take,
           void *context)
{
    vector x[WIDTH];
    unsigned i;
    for (i = 0; i < WIDTH; i++)
        x[i] = form(it->halves[at + i]);
    transpose_words(x);
    for (i = 0; i < WIDTH; i++)
        take(context, i, x[i]);
}

static inline vector itself(vector x)
{
    return x;
}

static unsigned words_of(size_t bytes)
{
    return (unsigned)((bytes + 3) / 4);
}

static void start_keystream(struct lane_group *const *groups, unsigned count)
{
    unsigned i;
    start_groups(groups, count, eea3_iv_of, 1);
    for (i = 0; i < count; i++)
        start_texts(&state_of(groups[i])->texts, groups[i]);
}

static void make_keystream(struct lane_group *const *groups, unsigned count, size_t bytes)
{
    const unsigned words = words_of(bytes);
    unsigned i, at;
    make_words(groups, count, words, 1);
    for (i = 0; i < count; i++) {
        struct keystream_group *it = state_of(groups[i]);
        for (at = 0; at < words; at += WIDTH) {
            struct keystream_place place = {&it->texts, it->group.done * CHUNK + 4 * at};
            take_words(&it->zuc, at, reverse_bytes32, take_keystream, &place);
        }
    }
}

#include "encrypt_lanes.h"

/* The words that come before those of the first step. */
static inline void store_words_ahead(struct keystream_group *it)
{
    uint32_t words[WORDS_AHEAD][WIDTH];
    unsigned lane, i;
    memcpy(words, it->first + 1, sizeof words);
    for (lane = 0; lane < WIDTH; lane++) {
        for (i = 0; i < WORDS_AHEAD; i++)
            it->words[lane][WORDS + i] = words[i][lane];
    }
}

static void start_tags(struct lane_group *const *groups, unsigned count)
{
    unsigned i;
    for (i = 0; i < count; i++) {
        struct keystream_group *it = state_of(groups[i]);
        /* The end of a message is multiplied with more words than are made for it. */
        memset(it->zuc.halves, 0, sizeof it->zuc.halves);
        memset(it->words, 0, sizeof it->words);
        memset(it->tags, 0, sizeof it->tags);
    }
    start_groups(groups, count, eia3_iv_of, 1 + WORDS_AHEAD);
    for (i = 0; i < count; i++)
        store_words_ahead(state_of(groups[i]));
}

/* The word of keystream that begins at a bit. */
static inline uint32_t window(const uint32_t *keystream, size_t bit)
{
    const uint32_t *words = keystream + bit / 32;
    return (uint32_t)(((uint64_t)words[0] << 32 | words[1]) << bit % 32 >> 32);
}

#if !defined(SUMS_ENDS)
static inline uint32_t sum_end(const message *m, const uint32_t *keystream, size_t bytes)
{
    const unsigned whole = (unsigned)(bytes - 1) / (4 * SUMMED_WORDS) * SUMMED_WORDS;
    uint8_t end[4 * SUMMED_WORDS] = {0};
    message_end(end, m, bytes - 4 * whole);
    return sum_windows(m->input + m->input_bytes - bytes, keystream, whole) ^
           sum_windows(end, keystream + whole, SUMMED_WORDS);
}
#endif

/* The end of a message and what comes after it (sections 4.4 and 4.5). */
static inline void finish_packet(const message *m, uint32_t tag, const uint32_t *keystream,
                                 size_t bytes)
{
    const unsigned words = words_of(bytes);
    tag ^= sum_end(m, keystream, bytes);
    tag ^= window(keystream, 8 * bytes - m->unused_bits) ^ keystream[words + 1];
    store_be32(m->output, tag);
}

static inline void sum_chunks(struct keystream_group *it)
{
    const size_t at = it->group.done * CHUNK;
    unsigned lane;
    for (lane = 0; lane < it->group.count; lane++) {
        const message *m = lane_message(&it->group, lane);
        if (m->input_bytes <= at)
            return; /* and so have those that follow, which are not longer */
        if (m->input_bytes > at + CHUNK)
            it->tags[lane] ^= sum_windows(m->input + at, it->words[lane], WORDS);
        else
            finish_packet(m, it->tags[lane], it->words[lane], m->input_bytes - at);
    }
}

/* Makes words of each packet's keystream, which come after those that are there already. */
static void make_words_ahead(struct lane_group *const *groups, unsigned count, unsigned words)
{
    unsigned lane, i, at;
    make_words(groups, count, words, 0);
    for (i = 0; i < count; i++) {
        struct keystream_group *it = state_of(groups[i]);
        for (lane = 0; lane < WIDTH; lane++)
            memcpy(it->words[lane], it->words[lane] + WORDS, 4 * WORDS_AHEAD);
        for (at = 0; at < words; at += WIDTH) {
            struct places rows = {(uint8_t *)(it->words[0] + WORDS_AHEAD + at),
                                  sizeof it->words[0]};
            take_words(&it->zuc, at, itself, store_row, &rows);
        }
    }
}

static void tag_step(struct lane_group *const *groups, unsigned count)
{
    const size_t most = most_bytes_left(groups, count);
    unsigned i;
    make_words_ahead(groups, count, words_of(most));
    for (i = 0; i < count; i++)
        sum_chunks(state_of(groups[i]));
}

static const struct lane_kernel authentication = {
    WIDTH, MOST_GROUPS, encryption_steps, start_tags, tag_step, NULL,
    sizeof(struct keystream_group)};

#include "authenticate_lanes.h"

#define EEA3_LANES_ROW(does, backend_) \
    LANES_ROW("eea3", does, BEARER_NONCE_BYTES, 0, NULL, STREAM_KEY_BYTES, \
              ciphermark_keystream_set_key, encrypt_one, encrypt_lanes, EEA3EIA3_MOST_BYTES, \
              backend_)

#define EEA3EIA3_LANES_ROWS(backend_) \
    EEA3_LANES_ROW(ENCRYPT, backend_), EEA3_LANES_ROW(DECRYPT, backend_), \
    LANES_ROW("eia3", MAC, BEARER_NONCE_BYTES, THREEGPP_TAG_BYTES, NULL, STREAM_KEY_BYTES, \
              ciphermark_keystream_set_key, authenticate_one, authenticate_lanes, \
              EEA3EIA3_MOST_BYTES, backend_)

#endif
