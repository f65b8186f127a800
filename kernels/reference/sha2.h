/*
 * SHA-2 as FIPS 180-4 writes it, for words of 32 and of 64 bits. What includes it has before: the
 * words of sha256_word.h or of sha512_word.h.
 */
#ifndef CIPHERMARK_SHA2_H
#define CIPHERMARK_SHA2_H

#include "sha2_state.h"

static void copy_start(word state[8], const word start[8])
{
    unsigned i;
    for (i = 0; i < 8; i++)
        state[i] = flash_word(&start[i]);
}

/* Section 4.1. */
static word ch(word x, word y, word z)
{
    return (x & y) ^ (~x & z);
}

static word maj(word x, word y, word z)
{
    return (x & y) ^ (x & z) ^ (y & z);
}

/* Sections 6.2.2 and 6.4.2, step 1: W_t for t of 16 and more, which takes the place of W_(t-16). */
static void schedule(word w[16], unsigned t)
{
    w[t % 16] += sigma1(w[(t - 2) % 16]) + w[(t - 7) % 16] + sigma0(w[(t - 15) % 16]);
}

/* Sections 6.2.2 and 6.4.2. */
static void compress_block(word state[8], const uint8_t *block)
{
    word a = state[0], b = state[1], c = state[2], d = state[3];
    word e = state[4], f = state[5], g = state[6], h = state[7];
    word w[16];
    unsigned t;
    for (t = 0; t < 16; t++)
        w[t] = load_word(block + WORD_BYTES * t);
    for (t = 0; t < STEPS; t++) {
        word t1, t2;
        if (t >= 16)
            schedule(w, t);
        t1 = h + Sigma1(e) + ch(e, f, g) + flash_word(&K[t]) + w[t % 16];
        t2 = Sigma0(a) + maj(a, b, c);
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    ADD_TO_STATE(state);
}

static void compress(void *chain, const uint8_t *blocks, size_t count)
{
    for (; count > 0; count--, blocks += 16 * WORD_BYTES)
        compress_block(chain, blocks);
}

static void store_words(const word *state, uint8_t *digest, unsigned count)
{
    unsigned i;
    for (i = 0; i < count; i++)
        store_word(digest + WORD_BYTES * i, state[i]);
}

#endif
