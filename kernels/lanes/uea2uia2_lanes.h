/*
 * UEA2 and UIA2 (3GPP TS 35.215) of many packets, over SNOW 3G of a group of them: snow3g_words.h,
 * which has
 *
 *     WIDTH, MOST_GROUPS, CHUNK     as in encrypt_lanes.h
 *     struct keystream_group        likewise
 *     load_group(it, make_iv)       section 4.1 of 3GPP TS 35.216: the shift register before the
 *                                   first step
 *     initialise(groups, count)     the steps of section 4.1, past the first output, which is
 *                                   discarded
 *     make_words(groups, count, words, prefetches)
 *                                   may prefetch the texts that they are added to
 *     write_keystream(it, bytes)    gives the words that were made last to take_keystream
 *     take_words(words, it, count)  so many of those that were made last: words[i][lane]
 *
 * To be included after it by a file that has also `write_tags(it)`, of a group whose five
 * words of keystream are made; it may come later: uia2_single_tags.h, uia2_tags.h.
 */
#ifndef CIPHERMARK_UEA2UIA2_LANES_H
#define CIPHERMARK_UEA2UIA2_LANES_H

#include "uea2uia2.h"

/* Words of keystream that UIA2 takes (section 4.4 of 3GPP TS 35.215): two of P, two of Q, OTP. */
#define TAG_WORDS 5

static inline struct keystream_group *state_of(struct lane_group *group)
{
    return (struct keystream_group *)group;
}

static void start_groups(struct lane_group *const *groups, unsigned count, iv_of *make_iv)
{
    unsigned i;
    for (i = 0; i < count; i++)
        load_group(state_of(groups[i]), make_iv);
    initialise(groups, count);
}

static void start_keystream(struct lane_group *const *groups, unsigned count)
{
    unsigned i;
    for (i = 0; i < count; i++)
        start_texts(&state_of(groups[i])->texts, groups[i]);
    start_groups(groups, count, uea2_iv_of);
}

static void make_keystream(struct lane_group *const *groups, unsigned count, size_t bytes)
{
    unsigned i;
    make_words(groups, count, (unsigned)(bytes + 3) / 4, 1);
    for (i = 0; i < count; i++)
        write_keystream(state_of(groups[i]), bytes);
}

#include "encrypt_lanes.h"

static void start_tags(struct lane_group *const *groups, unsigned count)
{
    start_groups(groups, count, uia2_iv_of);
    make_words(groups, count, TAG_WORDS, 0);
}

static inline uint64_t joined(uint32_t upper, uint32_t lower)
{
    return (uint64_t)upper << 32 | lower;
}

static void write_tags(struct keystream_group *it);

static void tag_step(struct lane_group *const *groups, unsigned count)
{
    unsigned i;
    for (i = 0; i < count; i++)
        write_tags(state_of(groups[i]));
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
