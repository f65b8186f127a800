/* f8 (UEA1), section 3 of 3GPP TS 35.201, of groups of packets. */
#ifndef CIPHERMARK_F8_LANES_H
#define CIPHERMARK_F8_LANES_H

#include "f8f9.h"
#include "key_lanes.h"

/* Blocks of a vector's bytes, and how many times that a step makes. */
#define VECTOR_BLOCKS (VECTOR_BYTES / KASUMI_BLOCK_BYTES)
#if !defined(CHUNK)
#define CHUNK VECTOR_BYTES
#endif
#define CHUNK_BLOCKS (CHUNK / KASUMI_BLOCK_BYTES)

#include "lane_texts.h"

struct keystream_group {
    struct lane_group group;
    struct lane_texts texts;
    struct group_keys keys;
    struct block a;    /* register A */
    struct block last; /* block of keystream, which the next depends on */
};

static inline struct keystream_group *keystream_group(struct lane_group *group)
{
    return (struct keystream_group *)group;
}

/*
 * Section 3.4: A is COUNT, BEARER and DIRECTION, until it has been encrypted. They have been
 * checked.
 */
static void load_packets(struct keystream_group *it)
{
    uint8_t counts[WIDTH][8];
    unsigned lane, unused_bits = 0;
    for (lane = 0; lane < WIDTH; lane++) {
        const message *m = start_text(&it->texts, &it->group, lane);
        const uint64_t last = (uint64_t)(m->nonce[4] << 3 | m->nonce[5] << 2);
        store_le64(counts[lane], load_le32(m->nonce) | last << 32);
        unused_bits |= m->unused_bits;
    }
    it->texts.unused_bits = unused_bits;
    load_first_blocks(&it->a, counts);
}

static void start_keystream(struct lane_group *const *groups, unsigned count)
{
    struct group_keys *keys[MOST_GROUPS] = {NULL};
    struct lane_keys *used[MOST_GROUPS] = {NULL};
    const struct lane_keys *modified[MOST_GROUPS] = {NULL};
    struct block *a[MOST_GROUPS] = {NULL};
    unsigned g;
    for (g = 0; g < count; g++)
        keys[g] = &keystream_group(groups[g])->keys;
    start_keys(keys, groups, count, F8_MODIFIER);
    for (g = 0; g < count; g++) {
        struct keystream_group *it = keystream_group(groups[g]);
        a[g] = &it->a;
        modified[g] = used[g] = keys[g]->used;
        load_packets(it);
        add_blocks(&it->last, a[g], a[g]);
    }
    encrypt_groups(a, modified, count);
    modify_keys(used, count, F8_MODIFIER);
}

/*
 * Section 3.5: of what a step makes, a vector of each packet, from the step's block of number
 * `first` on. Numbers have no more than 16 bits.
 */
static void make_vectors(struct lane_group *const *groups, unsigned count, size_t first,
                         size_t blocks)
{
    struct block made[MOST_GROUPS][VECTOR_BLOCKS], *next[MOST_GROUPS] = {NULL};
    const struct lane_keys *keys[MOST_GROUPS] = {NULL};
    unsigned g;
    size_t i;
    for (i = 0; i < blocks; i++) {
        for (g = 0; g < count; g++) {
            const struct keystream_group *it = keystream_group(groups[g]);
            keys[g] = it->keys.used;
            next[g] = &made[g][i];
            add_blocks(next[g], &it->a, i == 0 ? &it->last : next[g] - 1);
            add_number(next[g], it->group.done * CHUNK_BLOCKS + first + i);
        }
        encrypt_groups(next, keys, count);
    }
    for (g = 0; g < count; g++) {
        struct keystream_group *it = keystream_group(groups[g]);
        const size_t at = first * KASUMI_BLOCK_BYTES;
        struct keystream_place place = {&it->texts, it->group.done * CHUNK + at};
        it->last = *next[g];
        take_blocks(made[g], blocks, take_keystream, &place);
    }
}

static void make_keystream(struct lane_group *const *groups, unsigned count, size_t bytes)
{
    const size_t blocks = (bytes + KASUMI_BLOCK_BYTES - 1) / KASUMI_BLOCK_BYTES;
    size_t i, left;
    for (i = 0; i < blocks; i += VECTOR_BLOCKS) {
        left = blocks - i;
        make_vectors(groups, count, i, left < VECTOR_BLOCKS ? left : VECTOR_BLOCKS);
    }
}

#include "encrypt_lanes.h"

#endif
