/*
 * Messages for which layers 2 and 3 of VHASH come to what random ones do not come to: values next
 * to a prime, quotients and remainders next to their ends.
 */
#ifndef CIPHERMARK_CRAFTED_VHASH_H
#define CIPHERMARK_CRAFTED_VHASH_H

#include "modular.h"
#include "text.h"
#include "vmac.h"
#include "words.h"

#define P127 (((number)1 << 127) - 1)
#define P64 (0 - (uint64_t)257)
#define L3_DIVISOR UINT64_C(0xffffffff00000000)
#define PAIR_BYTES 16

/* Of one iteration. */
struct vhash_numbers {
    uint64_t l1_key[VHASH_BLOCK_BYTES / 8];
    number poly_key;
    uint64_t l3_key[2];
};

static inline int is_vhash(const row *kernel)
{
    return strncmp(kernel->algorithm, "vmac", 4) == 0;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static inline void keep_keys(void *state, const struct vhash_keys *keys, unsigned iterations)
{
    (void)iterations;
    memcpy(state, keys, sizeof *keys);
}

/* What a reference's hash is given, by one in its place that keeps it. */
static inline struct vhash_keys vhash_keys(const row *reference, const struct key *key)
{
    static const struct vhash keeping = {sizeof(struct vhash_keys), keep_keys, NULL, NULL, NULL};
    static uint64_t context[VMAC_CONTEXT_BYTES(sizeof(struct vhash_keys), 4096) / 8 + 1];
    struct vmac vmac = *(const struct vmac *)reference->parameters;
    struct vhash_keys keys;
    row kernel = *reference;
    vmac.hash = &keeping;
    kernel.parameters = &vmac;
    (void)ciphermark_vmac_set_key(&kernel, context, key->bytes, key->size);
    memcpy(&keys, (uint8_t *)context + ALIGNED(sizeof(struct vmac_pad)), sizeof keys);
    return keys;
}

static inline struct vhash_numbers vhash_numbers(const struct vhash_keys *keys, unsigned iteration)
{
    const uint64_t mask = UINT64_C(0x1fffffff1fffffff);
    const uint8_t *l2 = keys->l2[iteration], *l3 = keys->l3[iteration];
    struct vhash_numbers it;
    unsigned i;
    for (i = 0; i < VHASH_BLOCK_BYTES / 8; i++)
        it.l1_key[i] = load_be64(keys->l1 + PAIR_BYTES * iteration + 8 * i);
    it.poly_key = (number)(load_be64(l2) & mask) << 64 | (load_be64(l2 + 8) & mask);
    it.l3_key[0] = load_be64(l3);
    it.l3_key[1] = load_be64(l3 + 8);
    return it;
}

/* ---- Layers 1 and 2 -------------------------------------------------------------------------- */

static inline number nh_of_pair(const struct vhash_numbers *it, const uint8_t *block, size_t pair)
{
    const uint8_t *at = block + PAIR_BYTES * pair;
    return (number)(load_le64(at) + it->l1_key[2 * pair]) *
           (load_le64(at + 8) + it->l1_key[2 * pair + 1]);
}

static inline number nh_of_pairs(const struct vhash_numbers *it, const uint8_t *bytes, size_t count)
{
    uint8_t block[VHASH_BLOCK_BYTES] = {0};
    number sum = 0;
    size_t pair;
    memcpy(block, bytes, count);
    for (pair = 0; PAIR_BYTES * pair < count; pair++)
        sum += nh_of_pair(it, block, pair);
    return sum & (P127 >> 1);
}

/* Changes the first two pairs of a block such that its result of layer 1 is this. */
static inline void make_nh_of_pairs(const struct vhash_numbers *it, uint8_t *block, size_t bytes,
                                    number wanted)
{
    const number first = nh_of_pair(it, block, 0) + nh_of_pair(it, block, 1);
    const number left = (wanted - nh_of_pairs(it, block, bytes) + first) & (P127 >> 1);
    store_le64(block, UINT64_MAX - it->l1_key[0]);
    store_le64(block + 8, (uint64_t)(left / UINT64_MAX) - it->l1_key[1]);
    store_le64(block + 16, 1 - it->l1_key[2]);
    store_le64(block + 24, (uint64_t)(left % UINT64_MAX) - it->l1_key[3]);
    if (nh_of_pairs(it, block, bytes) != wanted)
        abort();
}

static inline void split_number(uint32_t words[4], number it)
{
    unsigned i;
    for (i = 0; i < 4; i++, it >>= 32)
        words[i] = (uint32_t)it;
}

/* y k + m modulo 2^127 - 1. */
static inline number vhash_step(const struct vhash_numbers *it, number y, number m)
{
    static const struct modulus twice = {4, 2};
    uint32_t words[4], key[4], term[4];
    split_number(words, y);
    split_number(key, it->poly_key);
    split_number(term, m);
    ciphermark_multiply_add(&twice, words, key, term);
    ciphermark_reduce_to_p127(words);
    return (number)words[3] << 96 | (number)words[2] << 64 | (uint64_t)words[1] << 32 | words[0];
}

/* ---- Layer 3 --------------------------------------------------------------------------------- */

/* Of a quotient and a remainder, which are not larger than they can be. */
static inline number l3_input(uint64_t quotient, uint64_t remainder)
{
    return ((number)(quotient >> 1) * L3_DIVISOR + remainder % L3_DIVISOR) % P127;
}

/* The remainder by which the product of layer 3 is 0 to 256, or next to that. */
static inline uint64_t odd_remainder(const struct vhash_numbers *it, uint64_t quotient)
{
    const uint64_t a = (uint64_t)(((number)it->l3_key[0] + quotient) % P64);
    const uint64_t b = product_modulo(random_below(258), inverse_modulo(a, P64), P64);
    return (uint64_t)(((number)b + P64 - it->l3_key[1]) % P64);
}

static inline number odd_l3_value(const struct vhash_numbers *it)
{
    const uint64_t random = random_word(), near = random_below(3) - 1;
    switch (random_below(5)) {
    case 0:
        return ((random_below(2) == 0 ? 0 : P127 - 2) + random_below(4)) % P127;
    case 1:
        return l3_input(random, random_below(2) == 0 ? random_below(2) : L3_DIVISOR - 1);
    case 2:
        return l3_input(2 * (P64 - it->l3_key[0] + near), random);
    case 3:
        return l3_input(random, P64 - it->l3_key[1] + near);
    default:
        return l3_input(random, odd_remainder(it, random >> 1));
    }
}

/* ---- A message ------------------------------------------------------------------------------- */

/* The result of the last block that brings the polynomial to an odd value. */
static inline number odd_last_result(const struct vhash_numbers *it, number y, size_t size)
{
    const number known = vhash_step(it, y, (number)(8 * (size % VHASH_BLOCK_BYTES)) << 64);
    return (odd_l3_value(it) + P127 - known) % P127;
}

/* Changes about half of the blocks that hold two pairs such that a result of theirs is odd. */
static inline void craft_vhash(const row *reference, const struct key *key, struct text *text)
{
    const struct vmac *vmac = reference->parameters;
    const struct vhash_keys keys = vhash_keys(reference, key);
    const struct vhash_numbers it = vhash_numbers(&keys, (unsigned)random_below(vmac->iterations));
    const number most = P127 >> 1;
    number y = 1, result;
    size_t at, bytes;
    for (at = 0; at < text->size; at += bytes) {
        uint8_t *block = text->bytes + at;
        bytes = text->size - at < VHASH_BLOCK_BYTES ? text->size - at : VHASH_BLOCK_BYTES;
        result = random_below(2) == 0 ? random_below(2) : most - random_below(2);
        if (at + bytes == text->size)
            result = odd_last_result(&it, y, text->size);
        if (bytes >= 2 * PAIR_BYTES && result <= most && random_below(2) == 0)
            make_nh_of_pairs(&it, block, bytes, result);
        y = vhash_step(&it, y, nh_of_pairs(&it, block, bytes));
    }
}

#endif
