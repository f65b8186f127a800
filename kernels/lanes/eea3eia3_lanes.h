/*
 * 128-EEA3 and 128-EIA3 over zuc_lanes.h, to be included after it by a file that has
 *
 *     uint32_t sum_windows(message, keystream)   the sum of the words of keystream that begin at
 *                               those bits at which CHUNK bytes have ones; the keystream is given as
 *                               words in the processor's order, one more than the message
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
#include "zuc_lanes.h"

struct keystream_group {
    struct lane_group group;
    struct zuc zuc;
    uint8_t keystream[WIDTH][CHUNK];
};

typedef int iv_function(const message *m, uint8_t iv[STREAM_IV_BYTES]);

static inline void load_group(struct zuc *it, const struct lane_group *group, iv_function *make_iv)
{
    const uint8_t *keys[WIDTH];
    uint8_t ivs[WIDTH][STREAM_IV_BYTES];
    unsigned lane;
    for (lane = 0; lane < WIDTH; lane++) {
        keys[lane] = lane_context(group, lane);
        make_iv(lane_message(group, lane), ivs[lane]);
    }
    load(it, keys, ivs);
}

/* Initialises, and makes some words of which the first is to be discarded (section 3.6.2). */
static void start_zucs(struct zuc *const *zucs, unsigned count, unsigned words)
{
    initialise(zucs, count);
    initialise(zucs, count);
    make_words(zucs, count, words);
}

/* Writes words of each packet, at a distance of `stride` bytes. */
static inline void write_rows(uint8_t *rows, size_t stride, const struct zuc *it, unsigned words)
{
    vector x[WIDTH];
    unsigned at, i;
    for (at = 0; at < words; at += WIDTH, rows += VECTOR_BYTES) {
        memcpy(x, it->words + at, sizeof x);
        transpose_words(x);
        for (i = 0; i < WIDTH; i++)
            store_vector(rows + i * stride, x[i]);
    }
}

static void zucs_of(struct zuc **zucs, struct lane_group *const *groups, unsigned count)
{
    unsigned i;
    for (i = 0; i < count; i++)
        zucs[i] = &((struct keystream_group *)groups[i])->zuc;
}

static unsigned words_of(size_t bytes)
{
    return (unsigned)((bytes + 3) / 4);
}

static void start_keystream(struct lane_group *const *groups, unsigned count)
{
    struct zuc *zucs[MOST_GROUPS];
    unsigned i;
    zucs_of(zucs, groups, count);
    for (i = 0; i < count; i++)
        load_group(zucs[i], groups[i], eea3_iv);
    start_zucs(zucs, count, 1);
}

static void make_keystream(struct lane_group *const *groups, unsigned count, size_t bytes)
{
    struct zuc *zucs[MOST_GROUPS];
    const unsigned words = words_of(bytes);
    unsigned g, i;
    zucs_of(zucs, groups, count);
    make_words(zucs, count, words);
    for (g = 0; g < count; g++) {
        for (i = 0; i < words; i++)
            zucs[g]->words[i] = reverse_bytes32(zucs[g]->words[i]);
        write_rows(((struct keystream_group *)groups[g])->keystream[0], CHUNK, zucs[g], words);
    }
}

static int check_packet(const message *m)
{
    uint8_t iv[STREAM_IV_BYTES];
    return eea3_iv(m, iv);
}

static inline void xor_chunk(uint8_t *output, const uint8_t *input, const uint8_t *keystream)
{
    unsigned i;
    for (i = 0; i < CHUNK; i += VECTOR_BYTES)
        store_vector(output + i, xor2(load_vector(input + i), load_vector(keystream + i)));
}

#include "encrypt_lanes.h"

/* Words of keystream that EIA3 has beyond those of a step's message, and those that it may read. */
#define WORDS_AHEAD 2
#define WORDS_READABLE (WORDS + 4)

struct mac_group {
    struct lane_group group;
    struct zuc zuc;
    uint32_t keystream[WIDTH][WORDS_READABLE]; /* from the message's words of a step on */
    uint32_t tags[WIDTH];
};

static void mac_zucs_of(struct zuc **zucs, struct lane_group *const *groups, unsigned count)
{
    unsigned i;
    for (i = 0; i < count; i++)
        zucs[i] = &((struct mac_group *)groups[i])->zuc;
}

static void start_mac(struct lane_group *const *groups, unsigned count)
{
    struct zuc *zucs[MOST_GROUPS];
    unsigned g, lane;
    mac_zucs_of(zucs, groups, count);
    for (g = 0; g < count; g++)
        load_group(zucs[g], groups[g], eia3_iv);
    start_zucs(zucs, count, 1 + WORDS_AHEAD);
    for (g = 0; g < count; g++) {
        struct mac_group *it = (struct mac_group *)groups[g];
        for (lane = 0; lane < WIDTH; lane++) {
            memcpy(&it->keystream[lane][WORDS], (uint8_t *)&zucs[g]->words[1] + 4 * lane, 4);
            memcpy(&it->keystream[lane][WORDS + 1], (uint8_t *)&zucs[g]->words[2] + 4 * lane, 4);
        }
        memset(it->tags, 0, sizeof it->tags);
    }
}

/* The word of keystream that begins at a bit. */
static inline uint32_t window(const uint32_t *keystream, size_t bit)
{
    const uint32_t *words = keystream + bit / 32;
    return (uint32_t)(((uint64_t)words[0] << 32 | words[1]) << bit % 32 >> 32);
}

/* The rest of a message and what comes after it (sections 4.4 and 4.5). */
static inline void finish_packet(const message *m, uint32_t tag, const uint32_t *keystream,
                                 size_t bytes)
{
    uint8_t end[CHUNK] = {0};
    message_end(end, m, bytes);
    tag ^= sum_windows(end, keystream) ^ window(keystream, 8 * bytes - m->unused_bits);
    store_be32(m->output, tag ^ keystream[words_of(bytes) + 1]);
}

static inline void sum_chunks(struct mac_group *it)
{
    const size_t at = it->group.done * CHUNK;
    unsigned lane;
    for (lane = 0; lane < it->group.count; lane++) {
        const message *m = lane_message(&it->group, lane);
        if (m->input_bytes <= at)
            return; /* and so have those that follow, which are not longer */
        if (m->input_bytes > at + CHUNK)
            it->tags[lane] ^= sum_windows(m->input + at, it->keystream[lane]);
        else
            finish_packet(m, it->tags[lane], it->keystream[lane], m->input_bytes - at);
    }
}

/* Puts what is already known of the next words before them. */
static inline void keep_words_ahead(struct mac_group *it)
{
    unsigned lane;
    for (lane = 0; lane < WIDTH; lane++)
        memcpy(it->keystream[lane], it->keystream[lane] + WORDS, 4 * WORDS_AHEAD);
}

static void mac_step(struct lane_group *const *groups, unsigned count)
{
    struct zuc *zucs[MOST_GROUPS];
    size_t most = 0;
    unsigned i;
    for (i = 0; i < count; i++)
        most = bytes_left(groups[i]) > most ? bytes_left(groups[i]) : most;
    most = most < CHUNK ? most : CHUNK;
    mac_zucs_of(zucs, groups, count);
    make_words(zucs, count, words_of(most));
    for (i = 0; i < count; i++) {
        struct mac_group *it = (struct mac_group *)groups[i];
        keep_words_ahead(it);
        write_rows((uint8_t *)&it->keystream[0][WORDS_AHEAD], sizeof it->keystream[0], zucs[i],
                   words_of(most));
        sum_chunks(it);
    }
}

static const struct lane_kernel authentication = {
    WIDTH, MOST_GROUPS, encryption_steps, start_mac, mac_step, NULL};

/* The functions of rows. */
static int mac_lanes(const row *self, void *const *contexts, const message *messages, size_t count)
{
    const struct lane_batch batch = ciphermark_lane_batch(contexts, messages, count);
    struct mac_group states[MOST_GROUPS];
    struct lane_group *groups[MOST_GROUPS];
    uint16_t order[CIPHERMARK_MOST_LANES];
    size_t i;
    (void)self;
    for (i = 0; i < count; i++) {
        const int status = check_packet(&messages[i]);
        if (status != CIPHERMARK_DONE)
            return status;
    }
    for (i = 0; i < MOST_GROUPS; i++)
        groups[i] = &states[i].group;
    ciphermark_order_lanes(order, messages, count);
    ciphermark_run_lanes(&authentication, &batch, order, count, groups);
    return CIPHERMARK_DONE;
}

static int mac_one(const row *self, void *context, const message *m)
{
    return mac_lanes(self, &context, m, 1);
}

#define EEA3_LANES_ROW(does, backend_) \
    LANES_ROW("eea3", does, BEARER_NONCE_BYTES, 0, NULL, STREAM_KEY_BYTES, \
              ciphermark_keystream_set_key, encrypt_one, encrypt_lanes, EEA3EIA3_MOST_BYTES, \
              backend_)

#define EEA3_EIA3_LANES_ROWS(backend_) \
    EEA3_LANES_ROW(ENCRYPT, backend_), EEA3_LANES_ROW(DECRYPT, backend_), \
    LANES_ROW("eia3", MAC, BEARER_NONCE_BYTES, THREEGPP_TAG_BYTES, NULL, STREAM_KEY_BYTES, \
              ciphermark_keystream_set_key, mac_one, mac_lanes, EEA3EIA3_MOST_BYTES, backend_)

#endif
