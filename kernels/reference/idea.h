/* The schedule of IDEA, for kernels of several kinds. */
#ifndef CIPHERMARK_IDEA_H
#define CIPHERMARK_IDEA_H

#include <stdint.h>

#define IDEA_ROUNDS 8
#define IDEA_ROUND_KEYS 6

/* Z[r] has the six subkeys of round r, counted from 0, and Z[8] the four of the output. */
struct idea_schedule {
    uint16_t Z[IDEA_ROUNDS + 1][IDEA_ROUND_KEYS];
};

#endif
