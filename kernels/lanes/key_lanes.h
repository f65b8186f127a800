/*
 * The keys of groups of packets whose contexts are the 16 bytes of a key each. To be included after
 * byte_blocks.h or plane_blocks.h.
 */
#ifndef CIPHERMARK_KEY_LANES_H
#define CIPHERMARK_KEY_LANES_H

#include "schedule.h"

/* Where all packets of a batch have one key, groups that start together share what one computes. */
struct group_keys {
    struct lane_keys *used, own;
};

static void load_keys(struct lane_keys *keys, const struct lane_group *group, uint8_t modifier)
{
    const uint8_t *rows[WIDTH];
    unsigned lane;
    if (group->batch->one_context != NULL) {
        load_one_key(keys, group->batch->one_context, modifier);
        return;
    }
    for (lane = 0; lane < group->count; lane++)
        rows[lane] = lane_context(group, lane);
    for (; lane < WIDTH; lane++)
        rows[lane] = lane_context(group, 0);
    load_lane_keys(keys, rows, modifier);
}

/* With `modifier` added to each byte, until modify_keys takes it away. */
static void start_keys(struct group_keys *const *keys, struct lane_group *const *groups,
                       unsigned count, uint8_t modifier)
{
    unsigned g;
    for (g = 0; g < count; g++) {
        keys[g]->used = &keys[0]->own;
        if (g > 0 && groups[g]->batch->one_context != NULL)
            continue;
        load_keys(&keys[g]->own, groups[g], modifier);
        keys[g]->used = &keys[g]->own;
    }
}

/* Adds `modifier` to each byte of the keys, or takes it away again: of those that groups share once. */
static void modify_keys(struct lane_keys *const *keys, unsigned count, uint8_t modifier)
{
    unsigned g, first;
    for (g = 0; g < count; g++) {
        for (first = 0; keys[first] != keys[g]; first++)
            ;
        if (first == g)
            modify_lane_keys(keys[g], keys[g], modifier);
    }
}

#endif
