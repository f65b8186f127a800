/* The schedule of IDEA, for kernels of several kinds. */
#ifndef CIPHERMARK_IDEA_H
#define CIPHERMARK_IDEA_H

#include <stdint.h>

#define IDEA_ROUNDS 8
#define IDEA_ROUND_KEYS 6

#define IDEA_KEYS (IDEA_ROUNDS * IDEA_ROUND_KEYS + 4)

/* The six subkeys of each round, and the four of the output. */
struct idea_schedule {
    uint16_t Z[IDEA_KEYS];
};

#endif
