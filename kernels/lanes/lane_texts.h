/*
 * The texts of a group of packets to which a keystream is added as it is made: by vectors, straight
 * from the registers that have it. To be included by a file that has WIDTH and CHUNK, packets of a
 * group and bytes that a step makes for each.
 */
#ifndef CIPHERMARK_LANE_TEXTS_H
#define CIPHERMARK_LANE_TEXTS_H

#include "schedule.h"

struct lane_texts {
    const uint8_t *inputs[WIDTH];
    uint8_t *outputs[WIDTH];
    /* Packets that go on after the step, which are the first. */
    unsigned whole;
};

/* Of those packets that go on after the first step. */
static inline void start_texts(struct lane_texts *texts, const struct lane_group *group)
{
    unsigned lane;
    for (lane = 0; lane < group->count; lane++) {
        const message *m = lane_message(group, lane);
        if (m->input_bytes <= CHUNK)
            break;
        texts->inputs[lane] = m->input;
        texts->outputs[lane] = m->output;
    }
    texts->whole = lane;
}

/* To be called at the beginning of each step. */
static inline void find_whole(struct lane_texts *texts, const struct lane_group *group)
{
    const size_t end = (group->done + 1) * CHUNK;
    while (texts->whole > 0 && lane_message(group, texts->whole - 1)->input_bytes <= end)
        texts->whole--;
}

/* Where a vector of each packet's keystream goes: to the text, `at` bytes on, of those that go on
 * after the step, and to a row of CHUNK bytes of the others, whose text ends. */
struct keystream_rows {
    const struct lane_texts *texts;
    size_t at;
    uint8_t *ends;
};

static inline void take_keystream(void *context, unsigned lane, vector x)
{
    const struct keystream_rows *rows = context;
    const struct lane_texts *texts = rows->texts;
    if (lane < texts->whole)
        store_vector(texts->outputs[lane] + rows->at,
                     xor2(load_vector(texts->inputs[lane] + rows->at), x));
    else
        store_vector(rows->ends + (size_t)lane * CHUNK, x);
}

#endif
