/* f8 (UEA1), section 3 of 3GPP TS 35.201, of groups of packets. */
#ifndef CIPHERMARK_F8_LANES_H
#define CIPHERMARK_F8_LANES_H

#include "f8f9.h"
#include "key_lanes.h"

#define CHUNK VECTOR_BYTES
#define CHUNK_BLOCKS (CHUNK / KASUMI_BLOCK_BYTES)

struct keystream_group {
    struct lane_group group;
    struct group_keys keys;
    struct block a;    /* register A */
    struct block last; /* block of keystream, which the next depends on */
    uint8_t keystream[WIDTH][CHUNK];
};

static inline int check_packet(const message *m)
{
    uint8_t block[KASUMI_BLOCK_BYTES];
    return bearer_block(m, block);
}

static inline struct keystream_group *keystream_group(struct lane_group *group)
{
    return (struct keystream_group *)group;
}

/* Section 3.4: A is COUNT, BEARER and DIRECTION, until it has been encrypted. */
static void load_counts(struct block *a, const struct lane_group *group)
{
    uint8_t counts[WIDTH][16] = {{0}};
    unsigned lane;
    for (lane = 0; lane < WIDTH; lane++)
        (void)bearer_block(lane_message(group, lane), counts[lane]); /* check_packet has been */
    load_first_blocks(a, counts);
}

static void start_keystream(struct lane_group *const *groups, unsigned count)
{
    struct group_keys *keys[MOST_GROUPS] = {NULL};
    const struct lane_keys *used[MOST_GROUPS] = {NULL};
    struct block *a[MOST_GROUPS] = {NULL};
    unsigned g;
    for (g = 0; g < count; g++)
        keys[g] = &keystream_group(groups[g])->keys;
    start_keys(keys, groups, count);
    for (g = 0; g < count; g++) {
        struct keystream_group *it = keystream_group(groups[g]);
        a[g] = &it->a;
        used[g] = keys[g]->used;
        load_counts(a[g], groups[g]);
        memset(&it->last, 0, sizeof it->last);
    }
    encrypt_modified(a, used, count, F8_MODIFIER);
}

/* Section 3.5: what is encrypted to the block of that number, of which F8F9_MOST_BYTES need 9 bits. */
static inline void next_input(struct keystream_group *it, size_t number)
{
    add_block(&it->last, &it->a);
    add_number(&it->last, number);
}

static void make_keystream(struct lane_group *const *groups, unsigned count, size_t bytes)
{
    struct block made[MOST_GROUPS][CHUNK_BLOCKS], *last[MOST_GROUPS] = {NULL};
    const struct lane_keys *keys[MOST_GROUPS] = {NULL};
    unsigned g, i;
    for (g = 0; g < count; g++) {
        last[g] = &keystream_group(groups[g])->last;
        keys[g] = keystream_group(groups[g])->keys.used;
    }
    for (i = 0; i * KASUMI_BLOCK_BYTES < bytes; i++) {
        for (g = 0; g < count; g++)
            next_input(keystream_group(groups[g]), groups[g]->done * CHUNK_BLOCKS + i);
        encrypt_groups(last, keys, count);
        for (g = 0; g < count; g++)
            made[g][i] = *last[g];
    }
    for (g = 0; g < count; g++)
        store_blocks(keystream_group(groups[g])->keystream, made[g]);
}

static inline void xor_chunk(uint8_t *output, const uint8_t *input, const uint8_t *keystream)
{
    store_vector(output, xor2(load_vector(input), load_vector(keystream)));
}

#include "encrypt_lanes.h"

#endif
