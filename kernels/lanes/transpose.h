/*
 * Squares of bytes, turned over their diagonal: between a vector for each byte of a packet, which
 * has that byte of all packets, and a row of bytes for each packet. For vector headers, which have
 *
 *     vector, VECTOR_BYTES          16, 32 or 64
 *     interleave_low8, _high8, …16, …32, …64   of the lower and upper halves of each 16 bytes
 *     transpose_quads(x)            a square of words of 64 bits, in place
 *     load_apart16(bytes, apart)    16 bytes of each of VECTOR_BYTES / 16 places that are so far apart
 *     load_16ths(rows, at)          16 bytes each of rows[0], rows[16], …, in order, from `at` on
 */
#ifndef CIPHERMARK_TRANSPOSE_H
#define CIPHERMARK_TRANSPOSE_H

#include "inlined.h"

#define QUADS (VECTOR_BYTES / 8)

/* Eight vectors of bytes: x[v] becomes words of 64 bits, those of lanes 2v and 2v + 1 of each 16. */
static inline void bytes_to_quads(vector x[8])
{
    vector y[8], z[8];
    unsigned i;
    for (i = 0; i < 4; i++) {
        y[2 * i] = interleave_low8(x[2 * i], x[2 * i + 1]);
        y[2 * i + 1] = interleave_high8(x[2 * i], x[2 * i + 1]);
    }
    for (i = 0; i < 2; i++) {
        z[4 * i] = interleave_low16(y[4 * i], y[4 * i + 2]);
        z[4 * i + 1] = interleave_high16(y[4 * i], y[4 * i + 2]);
        z[4 * i + 2] = interleave_low16(y[4 * i + 1], y[4 * i + 3]);
        z[4 * i + 3] = interleave_high16(y[4 * i + 1], y[4 * i + 3]);
    }
    for (i = 0; i < 4; i++) {
        x[2 * i] = interleave_low32(z[i], z[4 + i]);
        x[2 * i + 1] = interleave_high32(z[i], z[4 + i]);
    }
}

/* The packet whose word of 64 bits is `quad` of vector v of those above. */
static inline unsigned quad_lane(unsigned v, unsigned quad)
{
    return 16 * (quad / 2) + 2 * v + quad % 2;
}

/* Takes a row, of that number. */
typedef void row_taker(void *context, unsigned row, vector x);

/* Gives the rows of a square of VECTOR_BYTES bytes, each to be taken: byte i of row r is
 * bytes[i][r]. Of rows no more than 8 `quads` bytes are wanted. `bytes` loses its contents. */
INLINED void
transpose_rows(vector bytes[VECTOR_BYTES], unsigned quads, row_taker *take, void *context)
{
    vector x[QUADS];
    unsigned v, i;
    for (i = 0; i < quads; i++)
        bytes_to_quads(bytes + 8 * i);
    for (v = 0; v < 8; v++) {
        for (i = 0; i < QUADS; i++)
            x[i] = bytes[8 * i + v];
        transpose_quads(x);
        for (i = 0; i < QUADS; i++)
            take(context, quad_lane(v, i), x[i]);
    }
}

struct places {
    uint8_t *rows;
    size_t stride;
};

static inline void store_row(void *context, unsigned row, vector x)
{
    const struct places *places = context;
    store_vector(places->rows + row * places->stride, x);
}

/* bytes[i][lane] = quads[lane][i]: 8 bytes for each lane. The bits of a byte's place in its 16
 * bytes and those of the number of its vector go round by one in each step. */
static inline void transpose_from_quads(vector bytes[8], uint8_t quads[VECTOR_BYTES][8])
{
    vector y[8];
    unsigned i, step;
    for (i = 0; i < 8; i++)
        bytes[i] = load_apart16(quads[2 * i], sizeof quads[0] * 16);
    for (step = 0; step < 4; step++) {
        for (i = 0; i < 4; i++) {
            y[2 * i] = interleave_low8(bytes[i], bytes[i + 4]);
            y[2 * i + 1] = interleave_high8(bytes[i], bytes[i + 4]);
        }
        for (i = 0; i < 8; i++)
            bytes[i] = y[i];
    }
}

/* One of the four steps by which squares of 16 bytes turn over their diagonal: (v, byte) as a number
 * of eight bits is rotated by one. */
static inline void rotate_squares(vector x[16])
{
    vector y[16];
    unsigned i;
    for (i = 0; i < 8; i++) {
        y[2 * i] = interleave_low8(x[i], x[i + 8]);
        y[2 * i + 1] = interleave_high8(x[i], x[i + 8]);
    }
    for (i = 0; i < 16; i++)
        x[i] = y[i];
}

/* bytes[i][lane] = rows[lane][at + i]: 16 bytes of each packet. */
static inline void transpose_from_rows(vector bytes[16], const uint8_t *const rows[VECTOR_BYTES],
                                       size_t at)
{
    unsigned i;
    for (i = 0; i < 16; i++)
        bytes[i] = load_16ths(rows + i, at);
    for (i = 0; i < 4; i++)
        rotate_squares(bytes);
}

/* A square of words of 32 bits, in place. */
static inline void transpose_words(vector x[2 * QUADS])
{
    vector low[QUADS], high[QUADS];
    unsigned i;
    for (i = 0; i < QUADS; i++) {
        low[i] = interleave_low32(x[2 * i], x[2 * i + 1]);
        high[i] = interleave_high32(x[2 * i], x[2 * i + 1]);
    }
    transpose_quads(low);
    transpose_quads(high);
    for (i = 0; i < QUADS; i += 2) {
        x[2 * i] = low[i];
        x[2 * i + 1] = low[i + 1];
        x[2 * i + 2] = high[i];
        x[2 * i + 3] = high[i + 1];
    }
}

#endif
