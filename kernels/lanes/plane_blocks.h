/*
 * Between planes, a bit of all packets in a vector (kasumi_planes.h), and the bytes of each packet.
 *
 * Squares of bits are turned over their diagonal: eight planes, of the bits of a byte, are eight
 * vectors of that byte, each of VECTOR_BYTES packets. Those packets are a part of the group, and
 * the squares of bytes of transpose.h do the rest. So packet 8 * VECTOR_BYTES of them, by number
 * part * VECTOR_BYTES + byte, has bit 8 * byte + part of a plane.
 */
#ifndef CIPHERMARK_PLANE_BLOCKS_H
#define CIPHERMARK_PLANE_BLOCKS_H

#include "kasumi_planes.h"

#define PARTS 8

/* Exchanges those bits of y that are in the mask with those of x that stand `distance` higher. */
INLINED void exchange_bits(vector *x, vector *y, int distance, vector mask)
{
    const vector differing = and2(xor2(shift_right64(*x, distance), *y), mask);
    *y = xor2(*y, differing);
    *x = xor2(*x, shift_left64(differing, distance));
}

/* Bit i of byte x[k] changes places with bit k of byte x[i]. */
INLINED void transpose_bits(vector x[8])
{
    unsigned i;
    for (i = 0; i < 4; i++)
        exchange_bits(&x[i], &x[i + 4], 4, all8(0x0f));
    for (i = 0; i < 4; i++)
        exchange_bits(&x[i / 2 * 4 + i % 2], &x[i / 2 * 4 + i % 2 + 2], 2, all8(0x33));
    for (i = 0; i < 4; i++)
        exchange_bits(&x[2 * i], &x[2 * i + 1], 1, all8(0x55));
}

/* The planes of byte `number` of a block. */
static inline vector *byte_planes(struct block *block, unsigned number)
{
    vector *planes = number < 4 ? block->left.planes : block->right.planes;
    return planes + 8 * (3 - number % 4);
}

/* 16 bytes of each packet, `at` bytes on in its row: bit i of byte b is planes[b][i]. */
static void load_planes(vector *const planes[16], const uint8_t *const rows[WIDTH], size_t at)
{
    vector columns[16];
    unsigned part, i;
    for (part = 0; part < PARTS; part++) {
        transpose_from_rows(columns, rows + part * VECTOR_BYTES, at);
        for (i = 0; i < 16; i++)
            planes[i][part] = columns[i];
    }
    for (i = 0; i < 16; i++)
        transpose_bits(planes[i]);
}

/* Two blocks of each packet. */
static void load_blocks(struct block blocks[2], const uint8_t *const rows[WIDTH], size_t at)
{
    vector *planes[16];
    unsigned i;
    for (i = 0; i < 16; i++)
        planes[i] = byte_planes(&blocks[i / KASUMI_BLOCK_BYTES], i % KASUMI_BLOCK_BYTES);
    load_planes(planes, rows, at);
}

/* Eight bytes of each lane. */
static void load_first_blocks(struct block *block, uint8_t quads[WIDTH][8])
{
    vector bytes[KASUMI_BLOCK_BYTES];
    unsigned part, i;
    for (part = 0; part < PARTS; part++) {
        transpose_from_quads(bytes, quads + part * VECTOR_BYTES);
        for (i = 0; i < KASUMI_BLOCK_BYTES; i++)
            byte_planes(block, i)[part] = bytes[i];
    }
    for (i = 0; i < KASUMI_BLOCK_BYTES; i++)
        transpose_bits(byte_planes(block, i));
}

/* The planes of byte `number` of a key: of each word, the upper byte comes first. */
static inline vector *key_planes(struct lane_keys *keys, unsigned number)
{
    return keys->plain[number / 2] + (number % 2 ? 0 : 8);
}

/* Of keys with `modifier` added to each byte. */
static void load_lane_keys(struct lane_keys *keys, const uint8_t *const rows[WIDTH],
                           uint8_t modifier)
{
    vector *planes[KEY_BYTES];
    unsigned i;
    for (i = 0; i < KEY_BYTES; i++)
        planes[i] = key_planes(keys, i);
    load_planes(planes, rows, 0);
    modify_lane_keys(keys, keys, modifier);
}

/* The same key for all packets. */
static void load_one_key(struct lane_keys *keys, const uint8_t *key, uint8_t modifier)
{
    unsigned i, bit;
    for (i = 0; i < KEY_BYTES; i++) {
        for (bit = 0; bit < 8; bit++)
            key_planes(keys, i)[bit] = all8((uint8_t)(0 - ((key[i] ^ modifier) >> bit & 1)));
    }
    complete_lane_keys(keys);
}

/* Rows of a part of the group, which are other rows of the whole of it. */
struct part_rows {
    row_taker *take;
    void *context;
    unsigned first;
};

INLINED void take_of_part(void *context, unsigned row, vector x)
{
    const struct part_rows *rows = context;
    rows->take(rows->context, rows->first + row, x);
}

/* Gives a vector of each packet, in which so many blocks are wanted; there is room for VECTOR_BYTES
 * of each, and they lose their contents. */
INLINED void take_blocks(struct block *blocks, size_t count, row_taker *take, void *context)
{
    struct part_rows rows = {take, context, 0};
    vector bytes[VECTOR_BYTES];
    unsigned part, i;
    for (i = 0; i < count * KASUMI_BLOCK_BYTES; i++)
        transpose_bits(byte_planes(&blocks[i / KASUMI_BLOCK_BYTES], i % KASUMI_BLOCK_BYTES));
    for (part = 0; part < PARTS; part++) {
        rows.first = part * VECTOR_BYTES;
        for (i = 0; i < VECTOR_BYTES; i++)
            bytes[i] = byte_planes(&blocks[i / KASUMI_BLOCK_BYTES], i % KASUMI_BLOCK_BYTES)[part];
        transpose_rows(bytes, (unsigned)count, take_of_part, &rows);
    }
}

/* The first 32 bits of each packet's block. */
static void store_first_words(uint8_t words[WIDTH][4], const struct block *block)
{
    struct block blocks[VECTOR_BYTES / KASUMI_BLOCK_BYTES] = {*block};
    uint8_t rows[WIDTH][VECTOR_BYTES];
    struct places places = {rows[0], VECTOR_BYTES};
    unsigned lane;
    take_blocks(blocks, 1, store_row, &places);
    for (lane = 0; lane < WIDTH; lane++)
        memcpy(words[lane], rows[lane], sizeof words[lane]);
}

/* Where it has that of a lane. */
static inline unsigned word_place(unsigned lane)
{
    return lane;
}

static inline void add_blocks(struct block *sum, const struct block *a, const struct block *b)
{
    add_halves(&sum->left, &a->left, &b->left);
    add_halves(&sum->right, &a->right, &b->right);
}

/* Adds those packets' blocks whose byte of `where` is 0xff, of the others 0. */
static void add_blocks_where(struct block *sum, const struct block *x, const uint8_t where[WIDTH])
{
    vector mask = all8(0);
    unsigned i;
    for (i = 0; i < PARTS; i++) {
        const vector bit = all8((uint8_t)(1u << i));
        mask = or2(mask, and2(load_vector(where + i * VECTOR_BYTES), bit));
    }
    for (i = 0; i < HALF_BITS; i++) {
        sum->left.planes[i] = xor2(sum->left.planes[i], and2(x->left.planes[i], mask));
        sum->right.planes[i] = xor2(sum->right.planes[i], and2(x->right.planes[i], mask));
    }
}

/* Adds a number to all blocks. */
static inline void add_number(struct block *sum, size_t number)
{
    unsigned i;
    for (i = 0; number >> i > 0; i++) {
        if (number >> i & 1)
            sum->right.planes[i] = xor2(sum->right.planes[i], all8(0xff));
    }
}

#endif
