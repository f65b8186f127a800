/* What the steps of SHA-2 end with (FIPS 180-4, sections 6.2.2 and 6.4.2, step 4). */
#ifndef CIPHERMARK_SHA2_STATE_H
#define CIPHERMARK_SHA2_STATE_H

/* Adds the variables a to h to the chaining value. */
#define ADD_TO_STATE(state) \
    do { \
        (state)[0] += a; \
        (state)[1] += b; \
        (state)[2] += c; \
        (state)[3] += d; \
        (state)[4] += e; \
        (state)[5] += f; \
        (state)[6] += g; \
        (state)[7] += h; \
    } while (0)

#endif
