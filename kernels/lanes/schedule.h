/*
 * Many packets at once: which of them share a vector, and until when.
 *
 * A kernel takes packets in groups, as many as its vectors have lanes, and steps several groups
 * together where that keeps the processor busy. Packets are sorted by length, so those of a group
 * end at about the same time; the longest begin, and when a group ends, the next takes its place.
 * Nothing waits: the last groups step alone, and a group may have lanes without a packet.
 */
#ifndef CIPHERMARK_SCHEDULE_H
#define CIPHERMARK_SCHEDULE_H

#include <string.h>

#include "threegpp.h"

/* What process_lanes was called with. */
struct lane_batch {
    void *const *contexts;
    const message *messages;
    size_t count;
    /* The context of all messages where they have the same, else null. */
    const void *one_context;
};

/* The first member of each kernel's own state of a group. */
struct lane_group {
    const struct lane_batch *batch;
    const uint16_t *members; /* indices of its packets in the batch, the longest first */
    unsigned count;          /* of them: 1 to the kernel's width */
    size_t done, steps;      /* steps that it has taken, and all that its longest packet needs */
};

/* Numbers and functions of a kernel; `groups` are 1 to `most_groups` that do the same together. */
struct lane_kernel {
    unsigned width;       /* packets of a group */
    unsigned most_groups; /* that step together */
    /* How many steps a packet needs. */
    size_t (*steps)(const message *packet);
    /* Loads keys and nonces, and whatever comes before the first step. */
    void (*start)(struct lane_group *const *groups, unsigned count);
    /* Goes on by a step, the one of number `done`. */
    void (*step)(struct lane_group *const *groups, unsigned count);
    /* After the last step; null where nothing is left to do. */
    void (*finish)(struct lane_group *const *groups, unsigned count);
    size_t state_bytes; /* of a group's state, its keys and keystream among them */
};

/* The batch of a call, whose context it looks at. */
struct lane_batch ciphermark_lane_batch(void *const *contexts, const message *messages,
                                        size_t count);

/* Fills `order` with the indices of count messages, at most CIPHERMARK_MOST_LANES, the longest
 * first. */
void ciphermark_order_lanes(uint16_t *order, const message *messages, size_t count);

/* The same, unless a number of some nonce is out of range: then CIPHERMARK_BAD_NONCE. */
static inline int check_and_order(uint16_t *order, const message *messages, size_t count)
{
    size_t i, before = SIZE_MAX / 2, growth = 0; /* its upper bit: whether any is longer than before */
    unsigned excess = 0;
    for (i = 0; i < count; i++) {
        const message *m = &messages[i];
        excess |= threegpp_excess(m->nonce, m->nonce_bytes);
        growth |= before - m->input_bytes;
        before = m->input_bytes;
        order[i] = (uint16_t)i;
    }
    if (excess != 0)
        return CIPHERMARK_BAD_NONCE;
    if (growth > SIZE_MAX / 2)
        ciphermark_order_lanes(order, messages, count);
    return CIPHERMARK_DONE;
}

/*
 * Processes the packets of a batch that `order` names, the longest first. `groups` are the states
 * of kernel->most_groups groups, with any contents; those that were used are wiped.
 */
void ciphermark_run_lanes(const struct lane_kernel *kernel, const struct lane_batch *batch,
                          const uint16_t *order, size_t count, struct lane_group **groups);

/* Overwrites what held keys or keystream, although nobody will read it. */
static inline void wipe(void *secret, size_t bytes)
{
    memset(secret, 0, bytes);
    __asm__ volatile("" : : "r"(secret) : "memory");
}

/* The message of a lane, or of the first lane where there are fewer packets. */
static inline const message *lane_message(const struct lane_group *group, unsigned lane)
{
    return &group->batch->messages[group->members[lane < group->count ? lane : 0]];
}

/* The context of a lane, likewise. */
static inline const void *lane_context(const struct lane_group *group, unsigned lane)
{
    return group->batch->contexts[group->members[lane < group->count ? lane : 0]];
}

#define LANES_ROW(name, does, nonce, tag, parameters_, context, set_key_, process_, \
                  process_lanes_, most_bytes, backend_) \
    {.algorithm = name, .operation = does, .timing = CIPHERMARK_CONSTANT_TIME, \
     .key_bytes = {16, 16}, .nonce_bytes = {nonce, nonce}, .tag_bytes = tag, \
     .lanes = CIPHERMARK_MOST_LANES, .context_bytes = context, \
     .context_alignment = CONTEXT_ALIGNMENT, .parameters = parameters_, .set_key = set_key_, \
     .process = process_, .backend = backend_, .process_lanes = process_lanes_, \
     .input_bytes = {1, most_bytes}, .block_bytes = 1, .counts_bits = 1, \
     .check_nonce = ciphermark_check_threegpp_nonce}

#endif
