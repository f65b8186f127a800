/*
 * SHA-2 with eight steps written out, so that nothing moves between registers, for words of 32 and
 * of 64 bits. What includes it has before: the words of sha256_word.h or of sha512_word.h.
 */
#ifndef CIPHERMARK_SHA2_STEPS_H
#define CIPHERMARK_SHA2_STEPS_H

#include "sha2_state.h"

/* Of section 4.1 too, in fewer operations. */
static inline word ch(word x, word y, word z)
{
    return z ^ (x & (y ^ z));
}

/* No bit is in both terms, so their sum is their union, and neither waits for the other. */
static inline word maj(word x, word y, word z)
{
    return (y & z) + (x & (y ^ z));
}

/* W_t for t of `from` + i (sections 6.2.2 and 6.4.2, step 1). All calls have a constant i. */
static inline word scheduled(word w[16], unsigned from, unsigned i, const uint8_t *block)
{
    if (from == 0)
        w[i] = load_word(block + WORD_BYTES * i);
    else
        w[i] += sigma1(w[(i + 14) % 16]) + w[(i + 9) % 16] + sigma0(w[(i + 1) % 16]);
    return w[i];
}

#define STEP(a, b, c, d, e, f, g, h, i) \
    h += Sigma1(e) + ch(e, f, g) + K[from + (i)] + scheduled(w, from, i, block); \
    d += h; \
    h += Sigma0(a) + maj(a, b, c)

#define EIGHT_STEPS(i) \
    STEP(a, b, c, d, e, f, g, h, i); \
    STEP(h, a, b, c, d, e, f, g, (i) + 1); \
    STEP(g, h, a, b, c, d, e, f, (i) + 2); \
    STEP(f, g, h, a, b, c, d, e, (i) + 3); \
    STEP(e, f, g, h, a, b, c, d, (i) + 4); \
    STEP(d, e, f, g, h, a, b, c, (i) + 5); \
    STEP(c, d, e, f, g, h, a, b, (i) + 6); \
    STEP(b, c, d, e, f, g, h, a, (i) + 7)

static void compress(void *chain, const uint8_t *block, size_t count)
{
    word *state = chain;
    for (; count > 0; count--, block += 16 * WORD_BYTES) {
        word a = state[0], b = state[1], c = state[2], d = state[3];
        word e = state[4], f = state[5], g = state[6], h = state[7];
        word w[16];
        unsigned from;
        for (from = 0; from < STEPS; from += 16) {
            EIGHT_STEPS(0);
            EIGHT_STEPS(8);
        }
        ADD_TO_STATE(state);
    }
}

#endif
