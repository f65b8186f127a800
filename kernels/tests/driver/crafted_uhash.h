/*
 * Messages for which layers 2 and 3 of UHASH come to what random ones do not come to: words that
 * need a marker, values of the polynomial next to its prime, inner products next to theirs.
 */
#ifndef CIPHERMARK_CRAFTED_UHASH_H
#define CIPHERMARK_CRAFTED_UHASH_H

#include "text.h"
#include "uhash.h"
#include "umac.h"
#include "words.h"

/* Of one stream, up to where the second polynomial begins. */
struct uhash_numbers {
    unsigned word_bytes;
    uint8_t l1_key[UHASH_BLOCK_BYTES];
    uint64_t mask;  /* of a result of layer 1 */
    uint64_t limit; /* the least word that needs a marker */
    uint64_t poly_key, prime, c;
    uint64_t l3_key[8], l3_prime;
};

static inline int is_uhash(const row *kernel)
{
    return strncmp(kernel->algorithm, "umac", 4) == 0 ||
           strncmp(kernel->algorithm, "uhash", 5) == 0;
}

static inline const struct uhash_state *uhash_state(const void *context)
{
    return (const void *)((const uint8_t *)context + UMAC_STATE_OFFSET);
}

/* What the reference keeps of the keys of a stream. */
static inline struct uhash_numbers uhash_numbers(const row *reference, const void *context,
                                                 unsigned stream)
{
    const struct uhash_form *form = &((const struct umac *)reference->parameters)->form;
    const struct uhash_state *state = uhash_state(context);
    const int is_short = form->word_bytes == 2;
    const uint8_t *l2 = state->l2_key + ciphermark_l2_key_bytes(form) / form->streams * stream;
    const uint8_t *l3 = state->l3_key + 16 * form->word_bytes * stream;
    struct uhash_numbers it = {.word_bytes = form->word_bytes};
    unsigned i;
    it.mask = is_short ? 0xffffffff : UINT64_MAX;
    it.limit = is_short ? 0xfffffffa : UINT64_C(0xffffffff00000000);
    it.c = is_short ? 5 : 59;
    it.prime = it.mask - it.c + 1;
    it.l3_prime = is_short ? ((uint64_t)1 << 19) - 1 : ((uint64_t)1 << 36) - 5;
    it.poly_key = is_short ? load_be32(l2) & 0x1fffffff
                           : load_be64(l2) & UINT64_C(0x01ffffff01ffffff);
    memcpy(it.l1_key, state->l1_key + 16 * stream, UHASH_BLOCK_BYTES);
    for (i = 0; i < 8; i++)
        it.l3_key[i] = (is_short ? load_be32(l3 + 4 * i) : load_be64(l3 + 8 * i)) % it.l3_prime;
    return it;
}

/* ---- Layer 1 --------------------------------------------------------------------------------- */

/* The product of the pair of words at a place of the block. */
static inline uint64_t nh_product(const struct uhash_numbers *it, const uint8_t *block, size_t at)
{
    const uint8_t *key = it->l1_key;
    if (it->word_bytes == 4) {
        const uint32_t a = load_le32(block + at) + load_be32(key + at);
        const uint32_t b = load_le32(block + at + 16) + load_be32(key + at + 16);
        return (uint64_t)a * b;
    } else {
        const int16_t a = (int16_t)(load_le16(block + at) + load_be16(key + at));
        const int16_t b = (int16_t)(load_le16(block + at + 16) + load_be16(key + at + 16));
        return (uint64_t)((int64_t)a * b);
    }
}

static inline uint64_t nh_of_group(const struct uhash_numbers *it, const uint8_t *block, size_t at)
{
    uint64_t sum = 0;
    size_t i;
    for (i = 0; i < UHASH_GROUP_BYTES / 2; i += it->word_bytes)
        sum += nh_product(it, block, at + i);
    return sum;
}

static inline uint64_t nh_of_block(const struct uhash_numbers *it, const uint8_t *bytes,
                                   size_t count)
{
    uint8_t block[UHASH_BLOCK_BYTES] = {0};
    uint64_t sum = 8 * count;
    size_t at;
    memcpy(block, bytes, count);
    for (at = 0; at == 0 || at < count; at += UHASH_GROUP_BYTES)
        sum += nh_of_group(it, block, at);
    return sum & it->mask;
}

/* Makes the words at a place such that their sums with the key are these. */
static inline void put_pair(const struct uhash_numbers *it, uint8_t *block, size_t at, uint64_t a,
                            uint64_t b)
{
    const uint8_t *key = it->l1_key;
    if (it->word_bytes == 4) {
        store_le32(block + at, (uint32_t)a - load_be32(key + at));
        store_le32(block + at + 16, (uint32_t)b - load_be32(key + at + 16));
    } else {
        store_le16(block + at, (uint16_t)(a - load_be16(key + at)));
        store_le16(block + at + 16, (uint16_t)(b - load_be16(key + at + 16)));
    }
}

/* The largest second factor by which a product of this one is no more than what is left. */
static inline uint64_t fitting(const struct uhash_numbers *it, uint64_t left, uint64_t factor)
{
    if (it->word_bytes == 4) {
        const uint64_t quotient = left / factor;
        return quotient < 0xffffffff ? quotient : 0xffffffff;
    } else {
        const int64_t quotient = (int32_t)(uint32_t)left / (int64_t)factor;
        return (uint64_t)(quotient > 0x7fff ? 0x7fff : quotient < -0x7fff ? -0x7fff : quotient);
    }
}

/* Changes the first group of a block such that its result of layer 1 is this. */
static inline void make_nh(const struct uhash_numbers *it, uint8_t *block, size_t bytes,
                           uint64_t wanted)
{
    uint64_t left = wanted - nh_of_block(it, block, bytes) + nh_of_group(it, block, 0);
    size_t at;
    left &= it->mask;
    for (at = 0; at < UHASH_GROUP_BYTES / 2; at += it->word_bytes) {
        const int is_last = at + it->word_bytes == UHASH_GROUP_BYTES / 2;
        const uint64_t factor = is_last ? 1 : it->word_bytes == 4 ? 0xffffffff : 0x7fff;
        const uint64_t other = fitting(it, left, factor);
        put_pair(it, block, at, factor, other);
        left -= factor * other;
    }
    if (nh_of_block(it, block, bytes) != wanted)
        abort();
}

/* ---- Layers 2 and 3 -------------------------------------------------------------------------- */

static inline uint64_t poly_term(const struct uhash_numbers *it, uint64_t y, uint64_t m)
{
    return (uint64_t)(((number)y * it->poly_key + m) % it->prime);
}

static inline uint64_t poly_step(const struct uhash_numbers *it, uint64_t y, uint64_t m)
{
    if (m < it->limit)
        return poly_term(it, y, m);
    return poly_term(it, poly_term(it, y, it->prime - 1), m - it->c);
}

/* Around the limit, the prime and the ends of a word. */
static inline uint64_t odd_nh(const struct uhash_numbers *it)
{
    const uint64_t around[] = {it->limit, it->prime, it->mask, 0};
    if (random_below(3) == 0)
        return it->limit + random_word() % (it->mask - it->limit + 1);
    return (around[random_below(4)] + random_below(3) - 1) & it->mask;
}

/* A number whose inner product is 0 to 4, as good as p to p + 4 where that is not reduced. */
static inline uint64_t odd_l3_input(const struct uhash_numbers *it)
{
    const uint64_t p = it->l3_prime, inverse = inverse_modulo(it->l3_key[6], p);
    const uint64_t step = product_modulo(it->l3_key[7], inverse, p);
    unsigned turn;
    for (turn = 0; turn < 64; turn++) {
        const uint64_t high = it->word_bytes == 4 ? random_below((size_t)1 << 32) : 0;
        const uint64_t known = (high >> 16) * it->l3_key[4] + (high & 0xffff) * it->l3_key[5];
        uint64_t word = product_modulo(p - known % p + random_below(5), inverse, p);
        unsigned last;
        for (last = 0; last <= 0xffff; last++) {
            if (word <= 0xffff)
                return high << 32 | word << 16 | last;
            word = word >= step ? word - step : word + p - step;
        }
    }
    return 0;
}

/* The result that brings the polynomial to an odd value, or one that is odd itself. */
static inline uint64_t odd_result(const struct uhash_numbers *it, uint64_t y, int is_alone)
{
    const size_t choice = random_below(3);
    const uint64_t around[] = {0, it->c, it->prime - 1};
    uint64_t value, result;
    if (choice == 0)
        return odd_nh(it);
    value = choice == 1 ? around[random_below(3)] + random_below(2) : odd_l3_input(it);
    if (is_alone)
        return value & it->mask;
    result = poly_term(it, y, 0);
    result = (uint64_t)(((number)value + it->prime - result) % it->prime);
    return result < it->limit ? result : odd_nh(it);
}

/*
 * Changes about half of the blocks that hold a group, each such that its result is odd; the
 * stream's polynomial then has the value that is returned.
 */
static inline uint64_t craft_uhash(const row *reference, const void *context, unsigned stream,
                                   struct text *text)
{
    const struct uhash_numbers it = uhash_numbers(reference, context, stream);
    uint64_t y = 1;
    size_t at, bytes;
    for (at = 0; at < text->size; at += bytes) {
        uint8_t *block = text->bytes + at;
        bytes = text->size - at < UHASH_BLOCK_BYTES ? text->size - at : UHASH_BLOCK_BYTES;
        if (bytes >= UHASH_GROUP_BYTES && random_below(2) == 0)
            make_nh(&it, block, bytes, odd_result(&it, y, text->size <= UHASH_BLOCK_BYTES));
        y = poly_step(&it, y, nh_of_block(&it, block, bytes));
    }
    return y;
}

/* Ends the program unless the reference, which was given the text, came to that value. */
static inline void check_crafted_uhash(const void *context, unsigned stream, uint64_t y,
                                       const struct text *text)
{
    const uint32_t *words = uhash_state(context)->streams[stream].y;
    if (text->size > UHASH_BLOCK_BYTES && y != ((uint64_t)words[1] << 32 | words[0]))
        abort();
}

/* Changes about half of the last whole blocks such that words of layer 2 need markers. */
static inline void craft_markers(const row *reference, void *context, struct text *text,
                                 size_t blocks)
{
    const struct umac *umac = reference->parameters;
    const struct uhash_numbers it =
        uhash_numbers(reference, context, (unsigned)random_below(umac->form.streams));
    size_t at = text->size / UHASH_BLOCK_BYTES * UHASH_BLOCK_BYTES;
    for (; blocks > 0; blocks--) {
        at -= UHASH_BLOCK_BYTES;
        if (random_below(2) == 0)
            make_nh(&it, text->bytes + at, UHASH_BLOCK_BYTES, odd_nh(&it));
    }
}

#endif
