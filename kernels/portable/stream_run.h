/* A shift register of sixteen words that need not move at each step. */
#ifndef CIPHERMARK_STREAM_RUN_H
#define CIPHERMARK_STREAM_RUN_H

#include <string.h>

#include "keystream.h"
#include "words.h"

#define RUN_STEPS 16

/* Step i reads words i to i + 15 and writes word i + 16. */
struct run {
    uint32_t s[16 + RUN_STEPS];
    uint32_t r[3];
};

/* A step makes s[16] and the next r from s[0] to s[15] and r; once initialised, an output too. */
typedef void initial_step(uint32_t *s, uint32_t *r);
typedef uint32_t output_step(uint32_t *s, uint32_t *r);

static inline void begin_run(struct run *run, const struct stream *stream)
{
    memcpy(run->s, stream->s, sizeof stream->s);
    memcpy(run->r, stream->r, sizeof stream->r);
}

/* After so many steps, at most RUN_STEPS. */
static inline void end_run(struct stream *stream, const struct run *run, unsigned steps)
{
    memcpy(stream->s, run->s + steps, sizeof stream->s);
    memcpy(stream->r, run->r, sizeof stream->r);
}

/* The same, to go on with the run. */
static inline void move_on(struct run *run, unsigned steps)
{
    unsigned i;
    for (i = 0; i < 16; i++)
        run->s[i] = run->s[i + steps];
}

/* From a loaded shift register: 32 initial steps, and one whose output is discarded. */
static inline void start_run(struct stream *stream, struct run *run, initial_step *initial,
                             output_step *next)
{
    unsigned i, steps;
    memset(run->r, 0, sizeof run->r);
    for (steps = 0; steps < 32; steps += RUN_STEPS) {
        for (i = 0; i < RUN_STEPS; i++)
            initial(run->s + i, run->r);
        move_on(run, RUN_STEPS);
    }
    next(run->s, run->r);
    end_run(stream, run, 1);
}

/* Writes so many outputs, big-endian. */
static inline void generate_run(struct stream *stream, uint8_t *output, size_t words,
                                output_step *next)
{
    struct run run;
    unsigned i, steps;
    begin_run(&run, stream);
    for (; words > 0; words -= steps, output += 4 * steps) {
        steps = words < RUN_STEPS ? (unsigned)words : RUN_STEPS;
        for (i = 0; i < steps; i++)
            store_be32(output + 4 * i, next(run.s + i, run.r));
        move_on(&run, steps);
    }
    end_run(stream, &run, 0);
}

#endif
