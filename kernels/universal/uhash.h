/*
 * UHASH (RFC 4418, section 5; draft-krovetz-umac-01) over an implementation of its layer 1, for all
 * forms, each compiled for its word and number of streams.
 *
 * What is included before has, for words of 2 and 4 bytes,
 *
 *     struct nh_key                           the key of layer 1, as it likes it
 *     set_nh_key(key, word_bytes, bytes, n)   from n bytes
 *     nh_block(key, word_bytes, streams, input, sums)         of a whole block
 *     nh_last(key, word_bytes, streams, input, bytes, sums)   of one that may be shorter, or empty
 *     poly32_step(y, keys, streams, m)        step32 for each stream
 *
 * sums being a stream's sum of products each, with the length of the block in bits.
 */
#ifndef CIPHERMARK_UHASH_TEMPLATE_H
#define CIPHERMARK_UHASH_TEMPLATE_H

#include "inlined.h"
#include "uhash_polynomials.h"
#include "uhash_product.h"
#include "umac.h"
#include "words.h"

/* Keys of all layers, reduced, and masked as layer 2 wants them. */
struct uhash_keys {
    struct nh_key nh;
    struct poly32_keys poly32;
    uint64_t poly64[MOST_UHASH_STREAMS], poly64_squared[MOST_UHASH_STREAMS];
    struct wide poly128[MOST_UHASH_STREAMS], poly128_squared[MOST_UHASH_STREAMS];
    uint64_t product[MOST_UHASH_STREAMS][8];
    uint32_t product_pad[MOST_UHASH_STREAMS];
};

/* Layer 2 of a message that has more than one block. */
struct uhash_polynomials {
    struct wide y[MOST_UHASH_STREAMS];
    struct wide word[MOST_UHASH_STREAMS]; /* what comes next, as far as it is there */
    uint64_t blocks;   /* of all streams */
    uint8_t poly_bits; /* 32, 64 or 128 */
    uint8_t word_bits; /* of the next word */
};

struct uhash_context {
    struct uhash_keys keys;
    struct uhash_polynomials polynomials;
    uint32_t held; /* bytes of the last block, which is kept until it is known to be that, or not */
    uint8_t block[UHASH_BLOCK_BYTES];
};

/* ---- Keys ------------------------------------------------------------------------------------ */

static void set_poly_keys(struct uhash_keys *keys, unsigned word_bytes, unsigned stream,
                          const uint8_t *key)
{
    const uint64_t mask = 0x01ffffff01ffffff;
    struct wide k128;
    if (word_bytes == 2) {
        const uint64_t k32 = load_be32(key) & 0x1fffffff;
        keys->poly32.k[stream] = k32;
        keys->poly32.squared[stream] = fold32(k32 * k32);
        key += 4;
    }
    keys->poly64[stream] = load_be64(key) & mask;
    keys->poly64_squared[stream] =
        fold64(multiply_wide(keys->poly64[stream], keys->poly64[stream]), C64);
    k128.high = load_be64(key + 8) & mask;
    k128.low = load_be64(key + 16) & mask;
    keys->poly128[stream] = k128;
    keys->poly128_squared[stream] = multiply_add128(k128, k128, widened(0));
}

static void set_product_keys(struct uhash_keys *keys, unsigned word_bytes, unsigned stream,
                             const uint8_t *key, const uint8_t *pad)
{
    unsigned i;
    for (i = 0; i < 8; i++) {
        const uint64_t word = word_bytes == 4 ? load_be64(key + 8 * i) : load_be32(key + 4 * i);
        keys->product[stream][i] = reduce_product(word, word_bytes);
    }
    keys->product_pad[stream] = word_bytes == 4 ? load_be32(pad) : load_be16(pad);
}

static void uhash_set_key(void *context, const struct uhash_form *form, const struct umac_kdf *kdf)
{
    struct uhash_keys *keys = &((struct uhash_context *)context)->keys;
    const unsigned word_bytes = form->word_bytes, streams = form->streams;
    uint8_t l1[MOST_L1_KEY_BYTES], l2[MOST_L2_KEY_BYTES], l3[MOST_L3_KEY_BYTES];
    uint8_t pads[MOST_L3_PAD_BYTES];
    unsigned i;
    kdf->derive(kdf, L1_KEY, l1, ciphermark_l1_key_bytes(form));
    kdf->derive(kdf, L2_KEY, l2, ciphermark_l2_key_bytes(form));
    kdf->derive(kdf, L3_KEY, l3, ciphermark_l3_key_bytes(form));
    kdf->derive(kdf, L3_PAD, pads, (size_t)streams * word_bytes);
    set_nh_key(&keys->nh, word_bytes, l1, ciphermark_l1_key_bytes(form));
    for (i = 0; i < streams; i++) {
        set_poly_keys(keys, word_bytes, i, l2 + ciphermark_l2_key_bytes(form) / streams * i);
        set_product_keys(keys, word_bytes, i, l3 + 16 * word_bytes * i, pads + word_bytes * i);
    }
}

/* ---- Layer 2 --------------------------------------------------------------------------------- */

/* Results of layer 1 have as many bits, and so have words of the first polynomial. */
INLINED unsigned result_bits(unsigned word_bytes)
{
    return 16 * word_bytes;
}

/* The first polynomial takes so many results; the others begin with the value of the one before. */
INLINED uint64_t most_first_blocks(unsigned word_bytes)
{
    return word_bytes == 4 ? (uint64_t)1 << 14 : 1 << 9;
}

static void start_polynomials(struct uhash_polynomials *poly, unsigned word_bytes, unsigned streams)
{
    unsigned i;
    poly->blocks = 0;
    poly->poly_bits = (uint8_t)result_bits(word_bytes);
    poly->word_bits = 0;
    for (i = 0; i < streams; i++)
        poly->y[i] = widened(1);
}

/* Takes the words of all streams into the second or third polynomial. */
static void step_polynomials(const struct uhash_keys *keys, struct uhash_polynomials *poly,
                             unsigned streams)
{
    unsigned i;
    for (i = 0; i < streams; i++) {
        struct wide *y = &poly->y[i];
        if (poly->poly_bits == 64)
            y->low = step64(y->low, keys->poly64[i], keys->poly64_squared[i], poly->word[i].low);
        else
            *y = step128(*y, keys->poly128[i], keys->poly128_squared[i], poly->word[i]);
    }
    poly->word_bits = 0;
}

/* A polynomial's value, less than its prime. */
static inline struct wide value(struct wide y, unsigned poly_bits)
{
    if (poly_bits == 128)
        return reduce128(y);
    return widened(poly_bits == 64 ? reduce64(y.low, C64) : reduce32(y.low));
}

/* Goes on with a polynomial of twice as many bits. */
static void climb(const struct uhash_keys *keys, struct uhash_polynomials *poly, unsigned streams)
{
    unsigned i;
    for (i = 0; i < streams; i++) {
        poly->word[i] = value(poly->y[i], poly->poly_bits);
        poly->y[i] = widened(1);
    }
    poly->poly_bits = (uint8_t)(2 * poly->poly_bits);
    step_polynomials(keys, poly, streams);
}

/* The next bits of a word, which come from the most significant on. */
static inline struct wide appended(struct wide word, unsigned bits, uint64_t number)
{
    const struct wide by_64 = {word.low, number};
    const struct wide by_32 = {word.high << 32 | word.low >> 32, word.low << 32 | number};
    return bits == 64 ? by_64 : by_32;
}

/* Results for the second or third polynomial. */
INLINED void append_results(const struct uhash_keys *keys, struct uhash_polynomials *poly,
                            unsigned word_bytes, unsigned streams, const uint64_t *results)
{
    const unsigned bits = result_bits(word_bytes);
    unsigned i;
    for (i = 0; i < streams; i++)
        poly->word[i] = appended(poly->word[i], bits, results[i]);
    poly->word_bits = (uint8_t)(poly->word_bits + bits);
    if (poly->word_bits == poly->poly_bits)
        step_polynomials(keys, poly, streams);
}

INLINED void step_first(const struct uhash_keys *keys, unsigned word_bytes, unsigned streams,
                        uint64_t *y, const uint64_t *results)
{
    unsigned i;
    if (word_bytes == 2) {
        poly32_step(y, &keys->poly32, streams, results);
        return;
    }
    for (i = 0; i < streams; i++)
        y[i] = step64(y[i], keys->poly64[i], keys->poly64_squared[i], results[i]);
}

/* Whole blocks, no more than the first polynomial takes. */
INLINED void take_first_blocks(const struct uhash_keys *keys, struct uhash_polynomials *poly,
                               unsigned word_bytes, unsigned streams, const uint8_t *input,
                               size_t blocks)
{
    uint64_t y[MOST_UHASH_STREAMS], results[MOST_UHASH_STREAMS];
    unsigned i;
    for (i = 0; i < streams; i++)
        y[i] = poly->y[i].low;
    poly->blocks += blocks;
    for (; blocks > 0; blocks--, input += UHASH_BLOCK_BYTES) {
        nh_block(&keys->nh, word_bytes, streams, input, results);
        step_first(keys, word_bytes, streams, y, results);
    }
    for (i = 0; i < streams; i++)
        poly->y[i] = widened(y[i]);
}

/* Whether a polynomial that is not the first is full: the second of words of 2 bytes may be. */
INLINED int is_second_full(const struct uhash_polynomials *poly, unsigned word_bytes)
{
    return word_bytes == 2 && poly->blocks == (uint64_t)1 << 31;
}

INLINED void take_later_blocks(const struct uhash_keys *keys, struct uhash_polynomials *poly,
                               unsigned word_bytes, unsigned streams, const uint8_t *input,
                               size_t blocks)
{
    uint64_t results[MOST_UHASH_STREAMS];
    for (; blocks > 0; blocks--, input += UHASH_BLOCK_BYTES) {
        if (is_second_full(poly, word_bytes))
            climb(keys, poly, streams);
        nh_block(&keys->nh, word_bytes, streams, input, results);
        append_results(keys, poly, word_bytes, streams, results);
        poly->blocks++;
    }
}

/* Whole blocks that are not the last. */
INLINED void take_blocks(const struct uhash_keys *keys, struct uhash_polynomials *poly,
                         unsigned word_bytes, unsigned streams, const uint8_t *input, size_t blocks)
{
    const uint64_t most = most_first_blocks(word_bytes);
    if (poly->blocks < most) {
        const uint64_t room = most - poly->blocks;
        const size_t first = blocks < room ? blocks : (size_t)room;
        take_first_blocks(keys, poly, word_bytes, streams, input, first);
        input += first * UHASH_BLOCK_BYTES;
        blocks -= first;
    }
    if (blocks == 0)
        return;
    if (poly->poly_bits == result_bits(word_bytes))
        climb(keys, poly, streams);
    take_later_blocks(keys, poly, word_bytes, streams, input, blocks);
}

/* The last block, which a one bit and zeros follow after the first polynomial. */
static void take_last(const struct uhash_keys *keys, struct uhash_polynomials *poly,
                      unsigned word_bytes, unsigned streams, const uint64_t *results)
{
    const unsigned bits = result_bits(word_bytes);
    uint64_t padding[MOST_UHASH_STREAMS];
    unsigned i;
    if (poly->blocks == most_first_blocks(word_bytes) || is_second_full(poly, word_bytes))
        climb(keys, poly, streams);
    append_results(keys, poly, word_bytes, streams, results);
    for (i = 0; i < streams; i++)
        padding[i] = (uint64_t)1 << (bits - 1);
    append_results(keys, poly, word_bytes, streams, padding);
    memset(padding, 0, sizeof padding);
    while (poly->word_bits != 0)
        append_results(keys, poly, word_bytes, streams, padding);
}

/* The values of layer 2, after the results of the last block. */
INLINED void finish_polynomials(const struct uhash_keys *keys, struct uhash_polynomials *poly,
                                unsigned word_bytes, unsigned streams, const uint64_t *results,
                                struct wide *values)
{
    uint64_t y[MOST_UHASH_STREAMS];
    unsigned i;
    if (poly->blocks < most_first_blocks(word_bytes)) {
        for (i = 0; i < streams; i++)
            y[i] = poly->y[i].low;
        step_first(keys, word_bytes, streams, y, results);
        for (i = 0; i < streams; i++)
            values[i] = value(widened(y[i]), result_bits(word_bytes));
        return;
    }
    take_last(keys, poly, word_bytes, streams, results);
    for (i = 0; i < streams; i++)
        values[i] = value(poly->y[i], poly->poly_bits);
}

/* ---- Layer 3 --------------------------------------------------------------------------------- */

/* UHASH alone. */
static const uint8_t NO_MASK[MOST_L3_PAD_BYTES];

/* Masked, by words: what is stored by words is not to be loaded at once as something longer. */
INLINED void write_output(const struct uhash_keys *keys, unsigned word_bytes, unsigned stream,
                          uint64_t sum, const uint8_t *mask, uint8_t *output)
{
    const uint64_t word = reduce_product(sum, word_bytes) ^ keys->product_pad[stream];
    const size_t at = (size_t)word_bytes * stream;
    if (word_bytes == 4)
        store_be32(output + at, (uint32_t)word ^ load_be32(mask + at));
    else
        store_be16(output + at, (uint16_t)(word ^ load_be16(mask + at)));
}

/* ---- A message ------------------------------------------------------------------------------- */

/* After `poly`, or alone where that is null: then layer 2 is left out. */
INLINED void hash_last(const struct uhash_keys *keys, struct uhash_polynomials *poly,
                       unsigned word_bytes, unsigned streams, const uint8_t *input, size_t bytes,
                       const uint8_t *mask, uint8_t *output)
{
    uint64_t results[MOST_UHASH_STREAMS];
    struct wide values[MOST_UHASH_STREAMS];
    unsigned i;
    nh_last(&keys->nh, word_bytes, streams, input, bytes, results);
    if (poly == NULL) {
        for (i = 0; i < streams; i++) {
            const uint64_t sum = inner_product(keys->product[i] + 4, results[i]);
            write_output(keys, word_bytes, i, sum, mask, output);
        }
        return;
    }
    finish_polynomials(keys, poly, word_bytes, streams, results, values);
    for (i = 0; i < streams; i++) {
        const uint64_t *key = keys->product[i];
        const uint64_t sum =
            inner_product(key, values[i].high) + inner_product(key + 4, values[i].low);
        write_output(keys, word_bytes, i, sum, mask, output);
    }
}

/* Of a whole message, straight from where it is. */
INLINED void uhash(const struct uhash_keys *keys, unsigned word_bytes, unsigned streams,
                   const uint8_t *input, size_t bytes, const uint8_t *mask, uint8_t *output)
{
    struct uhash_polynomials poly;
    size_t blocks;
    if (bytes <= UHASH_BLOCK_BYTES) {
        hash_last(keys, NULL, word_bytes, streams, input, bytes, mask, output);
        return;
    }
    blocks = (bytes - 1) / UHASH_BLOCK_BYTES;
    start_polynomials(&poly, word_bytes, streams);
    take_blocks(keys, &poly, word_bytes, streams, input, blocks);
    input += UHASH_BLOCK_BYTES * blocks;
    bytes -= UHASH_BLOCK_BYTES * blocks;
    hash_last(keys, &poly, word_bytes, streams, input, bytes, mask, output);
}

static void uhash_start(void *context, const struct uhash_form *form)
{
    struct uhash_context *state = context;
    state->held = 0;
    start_polynomials(&state->polynomials, form->word_bytes, form->streams);
}

INLINED void uhash_update(struct uhash_context *state, unsigned word_bytes, unsigned streams,
                          const uint8_t *input, size_t bytes)
{
    const struct uhash_keys *keys = &state->keys;
    const size_t wanted = UHASH_BLOCK_BYTES - state->held;
    if (state->held > 0 && bytes > wanted) {
        memcpy(state->block + state->held, input, wanted);
        take_blocks(keys, &state->polynomials, word_bytes, streams, state->block, 1);
        state->held = 0;
        input += wanted;
        bytes -= wanted;
    }
    if (state->held == 0 && bytes > UHASH_BLOCK_BYTES) {
        const size_t blocks = (bytes - 1) / UHASH_BLOCK_BYTES;
        take_blocks(keys, &state->polynomials, word_bytes, streams, input, blocks);
        input += UHASH_BLOCK_BYTES * blocks;
        bytes -= UHASH_BLOCK_BYTES * blocks;
    }
    memcpy(state->block + state->held, input, bytes);
    state->held += (uint32_t)bytes;
}

INLINED void uhash_finish(struct uhash_context *state, unsigned word_bytes, unsigned streams,
                          uint8_t *output)
{
    struct uhash_polynomials *poly = &state->polynomials;
    hash_last(&state->keys, poly->blocks == 0 ? NULL : poly, word_bytes, streams, state->block,
              state->held, NO_MASK, output);
}

/* ---- Forms ----------------------------------------------------------------------------------- */

/* A form's functions, and `uhash_<word bytes>_<streams>`, the hash. */
#define UHASH_FORM(word, streams) \
    static void update_##word##_##streams(void *context, const struct uhash_form *form, \
                                          const uint8_t *input, size_t bytes) \
    { \
        (void)form; \
        uhash_update(context, word, streams, input, bytes); \
    } \
    static void finish_##word##_##streams(void *context, const struct uhash_form *form, \
                                          uint8_t *output) \
    { \
        (void)form; \
        uhash_finish(context, word, streams, output); \
    } \
    static void hash_##word##_##streams(const struct uhash_context *state, const message *m, \
                                        const uint8_t *mask) \
    { \
        uhash(&state->keys, word, streams, m->input, m->input_bytes, mask, m->output); \
    } \
    static const struct uhash uhash_##word##_##streams = { \
        sizeof(struct uhash_context), uhash_set_key, uhash_start, update_##word##_##streams, \
        finish_##word##_##streams};

UHASH_FORM(2, 2)
UHASH_FORM(2, 4)
UHASH_FORM(2, 6)
UHASH_FORM(2, 8)
UHASH_FORM(4, 1)
UHASH_FORM(4, 2)
UHASH_FORM(4, 3)
UHASH_FORM(4, 4)

#endif
