/*
 * UEA2 and UIA2 (3GPP TS 35.215) of many packets, over snow3g_lanes.h. To be included by a file
 * that has also
 *
 *     evaluate, multiply      as in uia2_polynomial.h, or WRITES_TAGS_TOGETHER and write_tags
 */
#ifndef CIPHERMARK_UEA2UIA2_LANES_H
#define CIPHERMARK_UEA2UIA2_LANES_H

#include "snow3g_lanes.h"
#include "uea2uia2.h"

/* One group at a time: its steps overlap by themselves. */
#define MOST_GROUPS 1

static inline struct keystream_group *only_group(struct lane_group *const *groups, unsigned count)
{
    (void)count;
    return (struct keystream_group *)groups[0];
}

static void start_keystream(struct lane_group *const *groups, unsigned count)
{
    struct keystream_group *it = only_group(groups, count);
    start_texts(&it->texts, groups[0]);
    load_group(it, uea2_iv_of);
    initialise(it);
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

static void make_keystream(struct lane_group *const *groups, unsigned count, size_t bytes)
{
    struct keystream_group *it = only_group(groups, count);
    run(it, (unsigned)(bytes + 3) / 4, it->z);
    write_keystream(it, bytes);
}

#include "encrypt_lanes.h"

static void start_tags(struct lane_group *const *groups, unsigned count)
{
    struct keystream_group *it = only_group(groups, count);
    load_group(it, uia2_iv_of);
    initialise(it);
    run(it, 5, it->z);
}

#if !defined(WRITES_TAGS_TOGETHER)
/* P and Q of a group's packets (section 4.4), big-endian. */
struct pairs {
    uint8_t of[2][8][QUADS][8];
};

static inline struct pairs find_pairs(vector *z)
{
    struct pairs pairs;
    unsigned i, v;
    for (i = 0; i < 2; i++) {
        bytes_to_quads(z + 8 * i);
        for (v = 0; v < 8; v++)
            store_vector(pairs.of[i][v], z[8 * i + v]);
    }
    return pairs;
}

/* Sections 4.4 and 4.5, but for OTP. */
static inline uint32_t tag_of(const message *m, uint64_t p, uint64_t q)
{
    return (uint32_t)(multiply(evaluate(m, p) ^ message_bits(m), q) >> 32);
}

/* The tags of a group whose five words of keystream are made. */
static void write_tags(struct keystream_group *it)
{
    vector *z = it->z;
    const struct pairs pairs = find_pairs(z);
    uint8_t otp[4][VECTOR_BYTES];
    unsigned lane, i;
    for (i = 0; i < 4; i++)
        store_vector(otp[i], z[16 + i]);
    for (lane = 0; lane < it->group.count; lane++) {
        const message *m = lane_message(&it->group, lane);
        const unsigned v = lane % 16 / 2, quad = lane / 16 * 2 + lane % 2;
        const uint64_t p = load_be64(pairs.of[0][v][quad]), q = load_be64(pairs.of[1][v][quad]);
        const uint32_t tag = tag_of(m, p, q);
        for (i = 0; i < 4; i++)
            m->output[i] = (uint8_t)(tag >> (24 - 8 * i) ^ otp[i][lane]);
    }
}

#else
static void write_tags(struct keystream_group *it);
#endif

static void tag_step(struct lane_group *const *groups, unsigned count)
{
    write_tags(only_group(groups, count));
}

/* However long a packet is, its keystream is five words. */
static size_t tag_steps(const message *packet)
{
    (void)packet;
    return 1;
}

static const struct lane_kernel authentication = {
    WIDTH, MOST_GROUPS, tag_steps, start_tags, tag_step, NULL, sizeof(struct keystream_group)};

#include "authenticate_lanes.h"

#define UEA2_LANES_ROW(does, backend_) \
    LANES_ROW("uea2", does, BEARER_NONCE_BYTES, 0, NULL, STREAM_KEY_BYTES, \
              ciphermark_uea2_set_key, encrypt_one, encrypt_lanes, SIZE_MAX, backend_)

#define UEA2_LANES_ROWS(backend_) \
    UEA2_LANES_ROW(ENCRYPT, backend_), UEA2_LANES_ROW(DECRYPT, backend_)

#define UIA2_LANES_ROW(backend_) \
    LANES_ROW("uia2", MAC, FRESH_NONCE_BYTES, THREEGPP_TAG_BYTES, NULL, STREAM_KEY_BYTES, \
              ciphermark_uea2_set_key, authenticate_one, authenticate_lanes, SIZE_MAX, backend_)

#endif
