/* The keys of groups of packets whose contexts are the 16 bytes of a key each. */
#ifndef CIPHERMARK_KEY_LANES_H
#define CIPHERMARK_KEY_LANES_H

#include "kasumi_lanes.h"
#include "schedule.h"

/* Where all packets of a batch have one key, groups that start together share what one computes. */
struct group_keys {
    const struct lane_keys *used;
    struct lane_keys own;
};

static void load_key_bytes(vector bytes[KEY_BYTES], const struct lane_group *group)
{
    const uint8_t *rows[WIDTH], *key = group->batch->one_context;
    unsigned i;
    if (key != NULL) {
        for (i = 0; i < KEY_BYTES; i++)
            bytes[i] = all8(key[i]);
        return;
    }
    for (i = 0; i < WIDTH; i++)
        rows[i] = lane_context(group, i);
    transpose_from_rows(bytes, rows);
}

static void start_keys(struct group_keys *const *keys, struct lane_group *const *groups,
                       unsigned count)
{
    vector bytes[KEY_BYTES];
    unsigned g;
    for (g = 0; g < count; g++) {
        keys[g]->used = &keys[0]->own;
        if (g > 0 && groups[g]->batch->one_context != NULL)
            continue;
        load_key_bytes(bytes, groups[g]);
        set_lane_keys(&keys[g]->own, bytes);
        keys[g]->used = &keys[g]->own;
    }
}

/* Encrypts under the keys with `modifier` added to each byte. */
static void encrypt_modified(struct block *const *blocks, const struct lane_keys *const *keys,
                             unsigned count, uint8_t modifier)
{
    struct lane_keys modified[MOST_GROUPS];
    const struct lane_keys *used[MOST_GROUPS] = {NULL};
    unsigned g;
    for (g = 0; g < count; g++) {
        used[g] = &modified[g];
        if (g > 0 && keys[g] == keys[0])
            used[g] = &modified[0];
        else
            modify_lane_keys(&modified[g], keys[g], modifier);
    }
    encrypt_groups(blocks, used, count);
}

/* The first eight bytes of each packet's 16, which begin a block. */
static void load_blocks(struct block *blocks, uint8_t bytes[WIDTH][16])
{
    const uint8_t *rows[WIDTH];
    vector columns[16];
    unsigned i;
    for (i = 0; i < WIDTH; i++)
        rows[i] = bytes[i];
    transpose_from_rows(columns, rows);
    memcpy(blocks, columns, sizeof *blocks);
}

#endif
