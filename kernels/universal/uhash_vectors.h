/*
 * NH, layer 1 of UHASH, and polynomials modulo 2^32 - 5, over vectors; after a vector header.
 *
 * NH multiplies the words of a group's first 16 bytes by those of its second 16 bytes. So groups
 * are loaded with the first halves of several in one vector and the second halves in another, for
 * all streams, and the key is kept as vectors that match. The key of a stream is that of the one
 * before from 16 bytes on: vector j, with the 16 bytes of the key at j and at each second place
 * behind, serves as a first half for one stream and as a second half for the one before.
 */
#ifndef CIPHERMARK_UHASH_VECTORS_H
#define CIPHERMARK_UHASH_VECTORS_H

#include "inlined.h"
#include "uhash_polynomials.h"
#include "umac.h"
#include "words.h"

#define NH_STEP_BYTES (2 * VECTOR_BYTES)
#define NH_STEP_UNITS (NH_STEP_BYTES / 16)
/* Steps of a turn of the loop over a block: no more than registers are there for. */
#define NH_TURN_STEPS(streams) ((streams) == 1 ? 4 : (streams) == 2 ? 2 : 1)
#define NH_UNITS (MOST_L1_KEY_BYTES / 16)
#define NH_VECTORS (NH_UNITS - NH_STEP_UNITS + 2)

struct nh_key {
    uint8_t vectors[NH_VECTORS][VECTOR_BYTES];
};

/* Words of the key are big-endian, those of a message little-endian. */
static void set_nh_key(struct nh_key *key, unsigned word_bytes, const uint8_t *bytes, size_t count)
{
    uint8_t units[NH_UNITS][16] = {{0}};
    size_t i, j;
    for (i = 0; i < count; i++)
        units[i / 16][i % 16 ^ (word_bytes - 1)] = bytes[i];
    for (j = 0; j < NH_VECTORS; j++) {
        for (i = 0; i < VECTOR_BYTES / 16; i++)
            memcpy(key->vectors[j] + 16 * i, units[j + 2 * i], 16);
    }
}

/* ---- Layer 1 --------------------------------------------------------------------------------- */

/* Of lanes whose bits are all ones in `kept`; others may lie behind the last group. */
INLINED void nh_step(const struct nh_key *key, unsigned word_bytes, unsigned streams, size_t unit,
                     const struct halves *groups, vector *sums)
{
    unsigned i;
    for (i = 0; i < streams; i++) {
        const vector first_key = load_vector(key->vectors[unit + i]);
        const vector second_key = load_vector(key->vectors[unit + i + 1]);
        if (word_bytes == 4)
            sums[i] = add_products32(sums[i], and2(add32(groups->first, first_key), groups->kept),
                                     add32(groups->second, second_key));
        else
            sums[i] = add_products16(sums[i], and2(add16(groups->first, first_key), groups->kept),
                                     add16(groups->second, second_key));
    }
}

INLINED void nh_sums(unsigned word_bytes, unsigned streams, const vector *vectors, uint64_t *sums)
{
    unsigned i;
    for (i = 0; i < streams; i++)
        sums[i] = word_bytes == 4 ? sum_of64(vectors[i]) : sum_of32(vectors[i]);
}

/* Sums begin with the length of the block in bits. */
INLINED void nh_start(unsigned streams, size_t bytes, vector *sums)
{
    unsigned i;
    for (i = 0; i < streams; i++)
        sums[i] = first32(8 * (uint32_t)bytes);
}

/* Whole steps. */
INLINED void nh_steps(const struct nh_key *key, unsigned word_bytes, unsigned streams, size_t unit,
                      const uint8_t *input, unsigned steps, vector *sums)
{
    unsigned i;
    for (i = 0; i < steps; i++) {
        const struct halves groups = load_halves(input + NH_STEP_BYTES * i);
        nh_step(key, word_bytes, streams, unit + NH_STEP_UNITS * i, &groups, sums);
    }
}

INLINED void nh_block(const struct nh_key *key, unsigned word_bytes, unsigned streams,
                      const uint8_t *input, uint64_t *results)
{
    const size_t units = unknown(UHASH_BLOCK_BYTES / 16);
    const unsigned steps = NH_TURN_STEPS(streams);
    vector sums[MOST_UHASH_STREAMS];
    size_t unit;
    nh_start(streams, UHASH_BLOCK_BYTES, sums);
    for (unit = 0; unit < units; unit += steps * NH_STEP_UNITS)
        nh_steps(key, word_bytes, streams, unit, input + 16 * unit, steps, sums);
    nh_sums(word_bytes, streams, sums, results);
}

INLINED void nh_last(const struct nh_key *key, unsigned word_bytes, unsigned streams,
                     const uint8_t *input, size_t bytes, uint64_t *results)
{
    vector sums[MOST_UHASH_STREAMS];
    size_t unit = 0, left = bytes;
    nh_start(streams, bytes, sums);
    for (; left >= NH_STEP_BYTES; left -= NH_STEP_BYTES, unit += NH_STEP_UNITS)
        nh_steps(key, word_bytes, streams, unit, input + 16 * unit, 1, sums);
    if (left > 0 || bytes == 0) {
        const struct halves groups = load_last_halves(input + 16 * unit, left);
        nh_step(key, word_bytes, streams, unit, &groups, sums);
    }
    nh_sums(word_bytes, streams, sums, results);
}

/* ---- Layer 2 --------------------------------------------------------------------------------- */

struct poly32_keys {
    uint64_t k[MOST_UHASH_STREAMS], squared[MOST_UHASH_STREAMS];
};

INLINED void poly32_step(uint64_t *y, const struct poly32_keys *keys, unsigned streams,
                         const uint64_t *m)
{
    unsigned i;
    for (i = 0; i < streams; i++)
        y[i] = step32(y[i], keys->k[i], keys->squared[i], m[i]);
}

#endif
