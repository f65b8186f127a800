/*
 * The texts of a group of packets to which a keystream is added as it is made: by vectors, straight
 * from the registers that have it. To be included by a file that has WIDTH and CHUNK, packets of a
 * group and bytes that a step makes for each.
 */
#ifndef CIPHERMARK_LANE_TEXTS_H
#define CIPHERMARK_LANE_TEXTS_H

#include "inlined.h"
#include "schedule.h"

struct lane_texts {
    const uint8_t *inputs[WIDTH];
    uint8_t *outputs[WIDTH];
    size_t bytes[WIDTH]; /* 0 of lanes without a packet */
    /* Not 0 where some packet has bits in its last byte that are no part of it. */
    unsigned unused_bits;
};

/* Starts the text of one packet; a lane without a packet has no bytes of the first one. Returns the message,
 * from which the caller takes unused_bits of all. */
static inline const message *start_text(struct lane_texts *texts, const struct lane_group *group,
                                        unsigned lane)
{
    const message *m = lane_message(group, lane);
    texts->inputs[lane] = m->input;
    texts->outputs[lane] = m->output;
    texts->bytes[lane] = m->input_bytes & ((size_t)0 - (lane < group->count));
    return m;
}

static inline void start_texts(struct lane_texts *texts, const struct lane_group *group)
{
    unsigned lane, unused_bits = 0;
    for (lane = 0; lane < WIDTH; lane++)
        unused_bits |= start_text(texts, group, lane)->unused_bits;
    texts->unused_bits = unused_bits;
}

/* To be called when the texts have ended. */
static inline void finish_texts(const struct lane_texts *texts, const struct lane_group *group)
{
    unsigned lane;
    for (lane = 0; texts->unused_bits != 0 && lane < group->count; lane++) {
        const message *m = lane_message(group, lane);
        if (m->unused_bits != 0)
            clear_unused_bits(m);
    }
}

/*
 * Prefetches what a step's keystream is to be added to, from byte `at` of the packets on: with each of
 * its words that is computed, of numbers 0, 1, …, a vector of one packet. Memory answers meanwhile, which
 * a text's first use would wait for. Addresses behind a packet's end do no harm.
 */
INLINED void prefetch_texts(const struct lane_texts *texts, size_t at, unsigned word)
{
    const unsigned lane = word % WIDTH;
    const size_t place = at + word / WIDTH * VECTOR_BYTES;
    __builtin_prefetch((const void *)((uintptr_t)texts->inputs[lane] + place), 0);
    __builtin_prefetch((const void *)((uintptr_t)texts->outputs[lane] + place), 1);
}

/* Where a vector of each packet's keystream goes: to the text, `at` bytes on, of those that go on
 * there. */
struct keystream_place {
    const struct lane_texts *texts;
    size_t at;
};

static inline void take_keystream(void *context, unsigned lane, vector x)
{
    const struct keystream_place *place = context;
    const struct lane_texts *texts = place->texts;
    const size_t bytes = texts->bytes[lane], at = place->at;
    if (at + VECTOR_BYTES <= bytes)
        store_vector(texts->outputs[lane] + at, xor2(load_vector(texts->inputs[lane] + at), x));
    else if (at < bytes)
        xor_part(texts->outputs[lane] + at, texts->inputs[lane] + at, x, bytes - at);
}

#endif
