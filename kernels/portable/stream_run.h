/* A shift register of sixteen words that need not move at each step. */
#ifndef CIPHERMARK_STREAM_RUN_H
#define CIPHERMARK_STREAM_RUN_H

#include <string.h>

#include "keystream.h"

#define RUN_STEPS 16

/* Step i reads words i to i + 15 and writes word i + 16. */
struct run {
    uint32_t s[16 + RUN_STEPS];
    uint32_t r[3];
};

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

#endif
