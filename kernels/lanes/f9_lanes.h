/* f9 (UIA1), section 4 of 3GPP TS 35.201, of groups of packets. */
#ifndef CIPHERMARK_F9_LANES_H
#define CIPHERMARK_F9_LANES_H

#include "f8f9.h"
#include "key_lanes.h"

/* What a step takes of each packet: two blocks. */
#define PIECE_BYTES 16
#define PIECE_BITS (8 * PIECE_BYTES)
#define PIECE_BLOCKS (PIECE_BYTES / KASUMI_BLOCK_BYTES)

/* Pieces that the end of a packet may need: up to 127 bits of it and two more. */
#define END_PIECES 2

struct f9_group {
    struct lane_group group;
    struct group_keys keys;
    struct block a, b;      /* the registers of section 4.3 */
    size_t least, most;     /* blocks of the packets that have fewest and most */
    size_t whole;           /* pieces that are nothing but message in all packets */
    size_t blocks[WIDTH];   /* of each packet, with its padding */
    const uint8_t *inputs[WIDTH];
    uint8_t ends[WIDTH][END_PIECES * PIECE_BYTES]; /* what follows the whole pieces of each */
};

static inline struct f9_group *f9_group(struct lane_group *group)
{
    return (struct f9_group *)group;
}

/* By bytes, as packets are sorted: of equal ones the first may have fewer bits than the next. */
static size_t f9_steps(const message *packet)
{
    const size_t bits = packet->input_bytes * 8;
    return (bits + 2 + PIECE_BITS - 1) / PIECE_BITS;
}

/* Section 4.4: COUNT and FRESH come before the message. */
static void load_counts_and_fresh(struct block *block, const struct lane_group *group)
{
    uint8_t counts[WIDTH][8];
    unsigned lane;
    for (lane = 0; lane < WIDTH; lane++)
        memcpy(counts[lane], lane_message(group, lane)->nonce, KASUMI_BLOCK_BYTES);
    load_first_blocks(block, counts);
}

/* As padded_end, of at most a piece of the message, whatever is there before. */
static inline void load_padded_end(uint8_t end[END_PIECES * PIECE_BYTES], const message *m,
                                   unsigned bits)
{
    const size_t bytes = (bits + 7) / 8;
    copy_part32(end, m->input + m->input_bytes - bytes, bytes);
    if (m->unused_bits > 0)
        end[bytes - 1] = without_bits(end[bytes - 1], m->unused_bits);
    put_bit(end, bits, m->nonce[8]);
    put_bit(end, bits + 1, 1);
}

static void load_end(struct f9_group *it, unsigned lane)
{
    const message *m = lane_message(&it->group, lane);
    const unsigned bits = (unsigned)(message_bits(m) % PIECE_BITS);
    const size_t pieces = (size_t)(message_bits(m) / PIECE_BITS);
    const size_t blocks = pieces * PIECE_BLOCKS + padded_blocks(bits);
    load_padded_end(it->ends[lane], m, bits);
    it->inputs[lane] = m->input;
    it->blocks[lane] = blocks;
    it->whole = pieces < it->whole ? pieces : it->whole;
    it->least = blocks < it->least ? blocks : it->least;
    it->most = blocks > it->most ? blocks : it->most;
}

static void load_messages(struct f9_group *it)
{
    unsigned lane;
    it->whole = it->least = SIZE_MAX;
    it->most = 0;
    for (lane = 0; lane < WIDTH; lane++)
        load_end(it, lane);
}

/* Adds to B what A is, of the packets that have a block of that number. */
static void add_to_b(struct f9_group *it, size_t number)
{
    uint8_t goes_on[WIDTH];
    unsigned lane;
    if (number < it->least) {
        add_blocks(&it->b, &it->b, &it->a);
        return;
    }
    for (lane = 0; lane < WIDTH; lane++)
        goes_on[lane] = number < it->blocks[lane] ? 0xff : 0;
    add_blocks_where(&it->b, &it->a, goes_on);
}

static void encrypt_a(struct lane_group *const *groups, unsigned count)
{
    const struct lane_keys *keys[MOST_GROUPS] = {NULL};
    struct block *a[MOST_GROUPS] = {NULL};
    unsigned g;
    for (g = 0; g < count; g++) {
        a[g] = &f9_group(groups[g])->a;
        keys[g] = f9_group(groups[g])->keys.used;
    }
    encrypt_groups(a, keys, count);
}

static void start_f9(struct lane_group *const *groups, unsigned count)
{
    struct group_keys *keys[MOST_GROUPS] = {NULL};
    unsigned g;
    for (g = 0; g < count; g++)
        keys[g] = &f9_group(groups[g])->keys;
    start_keys(keys, groups, count, 0);
    for (g = 0; g < count; g++) {
        load_messages(f9_group(groups[g]));
        load_counts_and_fresh(&f9_group(groups[g])->a, groups[g]);
    }
    encrypt_a(groups, count);
    for (g = 0; g < count; g++)
        f9_group(groups[g])->b = f9_group(groups[g])->a;
}

/* A packet's next piece; of one that has ended, any. */
static inline const uint8_t *piece(const struct f9_group *it, unsigned lane)
{
    const size_t done = it->group.done;
    const size_t whole = (size_t)(message_bits(lane_message(&it->group, lane)) / PIECE_BITS);
    if (done < whole)
        return it->inputs[lane] + done * PIECE_BYTES;
    return it->ends[lane] + (done - whole) % END_PIECES * PIECE_BYTES;
}

static void load_pieces(struct block blocks[PIECE_BLOCKS], const struct f9_group *it)
{
    const uint8_t *rows[WIDTH];
    unsigned lane;
    if (it->group.done < it->whole) {
        load_blocks(blocks, it->inputs, it->group.done * PIECE_BYTES);
        return;
    }
    for (lane = 0; lane < WIDTH; lane++)
        rows[lane] = piece(it, lane);
    load_blocks(blocks, rows, 0);
}

/* Whether any packet has a block of that number in the step. */
static inline int is_needed(struct lane_group *const *groups, unsigned count, unsigned number)
{
    unsigned g;
    for (g = 0; g < count; g++) {
        if (f9_group(groups[g])->most > groups[g]->done * PIECE_BLOCKS + number)
            return 1;
    }
    return 0;
}

/* Section 4.5: A = KASUMI(A ^ block), B = B ^ A */
static void f9_step(struct lane_group *const *groups, unsigned count)
{
    struct block pieces[MOST_GROUPS][PIECE_BLOCKS];
    unsigned g, i;
    for (g = 0; g < count; g++)
        load_pieces(pieces[g], f9_group(groups[g]));
    for (i = 0; i < PIECE_BLOCKS && is_needed(groups, count, i); i++) {
        for (g = 0; g < count; g++)
            add_blocks(&f9_group(groups[g])->a, &f9_group(groups[g])->a, &pieces[g][i]);
        encrypt_a(groups, count);
        for (g = 0; g < count; g++)
            add_to_b(f9_group(groups[g]), groups[g]->done * PIECE_BLOCKS + i);
    }
}

static void write_tags(const struct f9_group *it)
{
    uint8_t tags[WIDTH][THREEGPP_TAG_BYTES];
    unsigned lane;
    store_first_words(tags, &it->b);
    for (lane = 0; lane < it->group.count; lane++)
        memcpy(lane_message(&it->group, lane)->output, tags[word_place(lane)], THREEGPP_TAG_BYTES);
}

static void finish_f9(struct lane_group *const *groups, unsigned count)
{
    struct lane_keys *keys[MOST_GROUPS] = {NULL};
    const struct lane_keys *modified[MOST_GROUPS] = {NULL};
    struct block *b[MOST_GROUPS] = {NULL};
    unsigned g;
    for (g = 0; g < count; g++) {
        b[g] = &f9_group(groups[g])->b;
        modified[g] = keys[g] = f9_group(groups[g])->keys.used;
    }
    modify_keys(keys, count, F9_MODIFIER);
    encrypt_groups(b, modified, count);
    if (groups[0]->batch->one_context != NULL)
        modify_keys(keys, count, F9_MODIFIER); /* other groups go on with them */
    for (g = 0; g < count; g++)
        write_tags(f9_group(groups[g]));
}

static const struct lane_kernel f9_kernel = {
    WIDTH, MOST_GROUPS, f9_steps, start_f9, f9_step, finish_f9, sizeof(struct f9_group)};

/* Those that `order` names, the longest first. */
static void f9_in_order(const struct lane_batch *batch, const uint16_t *order, size_t count)
{
    struct f9_group states[MOST_GROUPS];
    struct lane_group *groups[MOST_GROUPS];
    unsigned i;
    for (i = 0; i < MOST_GROUPS; i++)
        groups[i] = &states[i].group;
    ciphermark_run_lanes(&f9_kernel, batch, order, count, groups);
}

/* A function like it where the including file has one: see encrypt_lanes.h. */
#if !defined(F9_IN_ORDER)
#define F9_IN_ORDER f9_in_order
#endif

/* The functions of rows. */
static inline int f9_lanes(const row *self, void *const *contexts, const message *messages,
                           size_t count)
{
    const struct lane_batch batch = ciphermark_lane_batch(contexts, messages, count);
    uint16_t order[CIPHERMARK_MOST_LANES];
    const int status = check_and_order(order, messages, count);
    (void)self;
    if (status == CIPHERMARK_DONE)
        F9_IN_ORDER(&batch, order, count);
    return status;
}

static inline int f9_one(const row *self, void *context, const message *m)
{
    return f9_lanes(self, &context, m, 1);
}

#endif
