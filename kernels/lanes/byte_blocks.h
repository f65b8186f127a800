/*
 * Between vectors that have a byte of all packets (kasumi_lanes.h) and the bytes of each packet.
 * plane_blocks.h has the same functions for bits.
 */
#ifndef CIPHERMARK_BYTE_BLOCKS_H
#define CIPHERMARK_BYTE_BLOCKS_H

#include "kasumi_lanes.h"

/* Two blocks of each packet, `at` bytes on in its row. */
static void load_blocks(struct block blocks[2], const uint8_t *const rows[WIDTH], size_t at)
{
    vector columns[16];
    transpose_from_rows(columns, rows, at);
    memcpy(blocks, columns, sizeof columns);
}

/* Eight bytes of each lane. */
static void load_first_blocks(struct block *blocks, uint8_t quads[WIDTH][8])
{
    transpose_from_quads((vector *)blocks, quads);
}

/* Of keys with `modifier` added to each byte. */
static void load_lane_keys(struct lane_keys *keys, const uint8_t *const rows[WIDTH],
                           uint8_t modifier)
{
    vector bytes[KEY_BYTES];
    unsigned i;
    transpose_from_rows(bytes, rows, 0);
    for (i = 0; i < KEY_BYTES; i++)
        bytes[i] = xor2(bytes[i], all8(modifier));
    set_lane_keys(keys, bytes);
}

/* Gives a vector of each packet, in which so many blocks are wanted; there is room for VECTOR_BYTES
 * of each, and they lose their contents. */
INLINED void take_blocks(struct block *blocks, size_t count, row_taker *take, void *context)
{
    transpose_rows((vector *)blocks, (unsigned)count, take, context);
}

/* The first 32 bits of each packet's block, four packets of each 16 in a vector. */
static void store_first_words(uint8_t words[WIDTH][4], const struct block *block)
{
    const struct half *x = &block->left;
    const vector low01 = interleave_low8(x->left.high, x->left.low);
    const vector high01 = interleave_high8(x->left.high, x->left.low);
    const vector low23 = interleave_low8(x->right.high, x->right.low);
    const vector high23 = interleave_high8(x->right.high, x->right.low);
    store_vector(words[0], interleave_low16(low01, low23));
    store_vector(words[WIDTH / 4], interleave_high16(low01, low23));
    store_vector(words[WIDTH / 2], interleave_low16(high01, high23));
    store_vector(words[3 * WIDTH / 4], interleave_high16(high01, high23));
}

/* Where it has that of a lane. */
static inline unsigned word_place(unsigned lane)
{
    return lane % 16 / 4 * (WIDTH / 4) + lane / 16 * 4 + lane % 4;
}

static inline struct half xor_halves(struct half a, struct half b)
{
    const struct half sum = {xor_words(a.left, b.left), xor_words(a.right, b.right)};
    return sum;
}

static inline void add_blocks(struct block *sum, const struct block *a, const struct block *b)
{
    sum->left = xor_halves(a->left, b->left);
    sum->right = xor_halves(a->right, b->right);
}

/* Adds those packets' blocks whose byte of `where` is 0xff, of the others 0. */
static void add_blocks_where(struct block *sum, const struct block *x, const uint8_t where[WIDTH])
{
    const vector mask = load_vector(where), *from = (const vector *)x;
    vector *to = (vector *)sum;
    unsigned i;
    for (i = 0; i < KASUMI_BLOCK_BYTES; i++)
        to[i] = xor2(to[i], and2(from[i], mask));
}

/* Adds a number of 16 bits to all blocks. */
static inline void add_number(struct block *sum, size_t number)
{
    const struct word word = {all8((uint8_t)(number >> 8)), all8((uint8_t)number)};
    sum->right.right = xor_words(sum->right.right, word);
}

#endif
