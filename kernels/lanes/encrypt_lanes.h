/*
 * Ciphers that add a keystream to packets, over any cipher that makes it for a group of packets at
 * once. To be included by a file that has a vector header and
 *
 *     WIDTH, MOST_GROUPS, CHUNK     packets of a group, groups that step together, and bytes of
 *                                   keystream that a step makes for each packet
 *     struct keystream_group        whose first member is `struct lane_group group`, and that has
 *                                   struct lane_texts texts
 *     start_keystream               the function `start` of a lane_kernel, which starts the texts
 *     void make_keystream(struct lane_group *const *groups, unsigned count, size_t bytes)
 *                                   gives what comes next to take_keystream (lane_texts.h); no packet
 *                                   needs more than that many bytes of it
 *
 * and may have PROCESS_IN_ORDER, a function like process_in_order that leaves some of the packets
 * to another kernel.
 */
#ifndef CIPHERMARK_ENCRYPT_LANES_H
#define CIPHERMARK_ENCRYPT_LANES_H

#include "schedule.h"
#include "threegpp.h"

static size_t encryption_steps(const message *packet)
{
    return (packet->input_bytes + CHUNK - 1) / CHUNK;
}

/* Bytes that the group's longest packet has not had before its next step. */
static inline size_t bytes_left(const struct lane_group *group)
{
    return lane_message(group, 0)->input_bytes - group->done * CHUNK;
}

/* Bytes of keystream that some packet needs in the next step. */
static inline size_t most_bytes_left(struct lane_group *const *groups, unsigned count)
{
    size_t most = 0;
    unsigned i;
    for (i = 0; i < count; i++)
        most = bytes_left(groups[i]) > most ? bytes_left(groups[i]) : most;
    return most < CHUNK ? most : CHUNK;
}

static void encryption_step(struct lane_group *const *groups, unsigned count)
{
    make_keystream(groups, count, most_bytes_left(groups, count));
}

static void finish_encryption(struct lane_group *const *groups, unsigned count)
{
    unsigned i;
    for (i = 0; i < count; i++)
        finish_texts(&((const struct keystream_group *)groups[i])->texts, groups[i]);
}

static const struct lane_kernel encryption = {
    WIDTH, MOST_GROUPS, encryption_steps, start_keystream, encryption_step, finish_encryption,
    sizeof(struct keystream_group)};

/* Those packets that `order` names, the longest first. */
static void process_in_order(const struct lane_kernel *kernel, const struct lane_batch *batch,
                             const uint16_t *order, size_t count)
{
    struct keystream_group states[MOST_GROUPS];
    struct lane_group *groups[MOST_GROUPS];
    unsigned i;
    for (i = 0; i < MOST_GROUPS; i++)
        groups[i] = &states[i].group;
    ciphermark_run_lanes(kernel, batch, order, count, groups);
}

#if !defined(PROCESS_IN_ORDER)
#define PROCESS_IN_ORDER process_in_order
#endif

/* process_lanes of a kernel. */
static inline int process_packets(const struct lane_kernel *kernel, void *const *contexts,
                                  const message *messages, size_t count)
{
    const struct lane_batch batch = ciphermark_lane_batch(contexts, messages, count);
    uint16_t order[CIPHERMARK_MOST_LANES];
    const int status = check_and_order(order, messages, count);
    if (status == CIPHERMARK_DONE)
        PROCESS_IN_ORDER(kernel, &batch, order, count);
    return status;
}

/* The functions of rows. */
static inline int encrypt_lanes(const row *self, void *const *contexts, const message *messages,
                                size_t count)
{
    (void)self;
    return process_packets(&encryption, contexts, messages, count);
}

static inline int encrypt_one(const row *self, void *context, const message *m)
{
    return encrypt_lanes(self, &context, m, 1);
}

#endif
