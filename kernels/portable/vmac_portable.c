/* VMAC (draft-krovetz-vmac-01) by products of 64-bit words. */
#include "vmac.h"

#include "fast_ciphers.h"
#include "halves.h"
#include "words.h"

#define PAIR_BYTES 16
#define L1_WORDS (VHASH_BLOCK_BYTES / 8 + 2 * (MOST_VHASH_ITERATIONS - 1))

struct iteration {
    struct wide y; /* less than 2^127 + 2^64 */
    struct wide l2_key;
    uint64_t l3_keys[2];
};

struct state {
    struct iteration iterations[MOST_VHASH_ITERATIONS];
    uint64_t l1_key[L1_WORDS];
    uint8_t block[VHASH_BLOCK_BYTES]; /* the last one, as far as it is there */
    uint8_t held;
    uint8_t is_empty; /* whether no block came before */
};

#define MASK63 (UINT64_MAX >> 1)
#define MASK62 (UINT64_MAX >> 2)

static void set_key(void *context, const struct vhash_keys *keys, unsigned iterations)
{
    const uint64_t mask = 0x1fffffff1fffffff;
    struct state *state = context;
    unsigned i;
    for (i = 0; i < L1_WORDS; i++)
        state->l1_key[i] = load_be64(keys->l1 + 8 * i);
    for (i = 0; i < iterations; i++) {
        struct iteration *iteration = &state->iterations[i];
        iteration->l2_key.high = load_be64(keys->l2[i]) & mask;
        iteration->l2_key.low = load_be64(keys->l2[i] + 8) & mask;
        iteration->l3_keys[0] = load_be64(keys->l3[i]);
        iteration->l3_keys[1] = load_be64(keys->l3[i] + 8);
    }
}

static void start(void *context, unsigned iterations)
{
    struct state *state = context;
    unsigned i;
    state->held = 0;
    state->is_empty = 1;
    for (i = 0; i < iterations; i++)
        state->iterations[i].y = widened(1);
}

/* Layer 1, modulo 2^126; bytes are those of whole pairs. */
static inline struct wide nh(const uint64_t *key, const uint8_t *input, size_t bytes)
{
    struct wide sum = widened(0);
    size_t i;
    for (i = 0; i < bytes / 8; i += 2) {
        const uint64_t a = load_le64(input + 8 * i) + key[i];
        const uint64_t b = load_le64(input + 8 * i + 8) + key[i + 1];
        sum = add_wide(sum, multiply_wide(a, b));
    }
    sum.high &= MASK62;
    return sum;
}

/*
 * Layer 2: y k + m modulo 2^127 - 1, so that 2^128 is 2.
 *
 * The halves of k are less than 2^61 and y is as above, so the products of halves are less than
 * 2^125, but for that of the high ones, which is less than 2^124 and counts twice. With m, less
 * than 2^126, their sum is less than 2^127, and only adding the middle can go over 2^128.
 */
static inline struct wide multiply_add(struct wide y, struct wide k, struct wide m)
{
    const struct wide middle = add_wide(multiply_wide(y.high, k.low), multiply_wide(y.low, k.high));
    struct wide sum = add_wide(multiply_wide(y.low, k.low), m);
    uint64_t over;
    sum = add_wide(sum, multiply_wide(y.high, 2 * k.high));
    sum = add_wide(sum, widened(2 * middle.high));
    sum.high += middle.low;
    over = (sum.high >> 63) + 2 * (uint64_t)(sum.high < middle.low);
    sum.high &= MASK63;
    return add_wide(sum, widened(over));
}

/* Whole blocks. */
static void take_blocks(struct state *state, unsigned iterations, const uint8_t *input,
                        size_t blocks)
{
    unsigned i;
    for (i = 0; i < iterations; i++) {
        struct iteration *iteration = &state->iterations[i];
        const uint64_t *key = state->l1_key + 2 * i;
        struct wide y = iteration->y;
        const uint8_t *block = input;
        size_t left;
        for (left = blocks; left > 0; left--, block += VHASH_BLOCK_BYTES)
            y = multiply_add(y, iteration->l2_key, nh(key, block, VHASH_BLOCK_BYTES));
        iteration->y = y;
    }
    state->is_empty = 0;
}

static void update(void *context, unsigned iterations, const uint8_t *input, size_t bytes)
{
    struct state *state = context;
    size_t whole;
    if (state->held > 0) {
        const size_t wanted = VHASH_BLOCK_BYTES - state->held;
        const size_t taken = bytes < wanted ? bytes : wanted;
        memcpy(state->block + state->held, input, taken);
        state->held = (uint8_t)(state->held + taken);
        input += taken;
        bytes -= taken;
        if (state->held < VHASH_BLOCK_BYTES)
            return;
        take_blocks(state, iterations, state->block, 1);
        state->held = 0;
    }
    whole = bytes / VHASH_BLOCK_BYTES;
    if (whole > 0)
        take_blocks(state, iterations, input, whole);
    memcpy(state->block, input + whole * VHASH_BLOCK_BYTES, bytes % VHASH_BLOCK_BYTES);
    state->held = (uint8_t)(bytes % VHASH_BLOCK_BYTES);
}

/* y less than 2^127 - 1. */
static struct wide reduced(struct wide y)
{
    const uint64_t over = y.high >> 63;
    struct wide next;
    y.high &= MASK63;
    y = add_wide(y, widened(over));
    next = add_wide(y, widened(1));
    return next.high >> 63 ? widened(0) : y;
}

/* Layer 3: y is split into quotient and remainder by 2^64 - 2^32. */
static uint64_t compress(struct wide y, const uint64_t keys[2])
{
    const uint64_t w = (uint64_t)1 << 32, divisor = 0 - w, c = 257;
    /* 2^64 is the divisor and 2^32, so y.high times it leaves 2^32 y.high, and so on. */
    const struct wide rest = add_wide(multiply_wide(y.high, w), widened(y.low));
    const struct wide last = add_wide(multiply_wide(rest.high, w), widened(rest.low));
    const uint64_t remainder = last.low + (last.high << 32);
    const uint64_t more = remainder >= divisor;
    const uint64_t quotient = y.high + rest.high + last.high + more;
    const uint64_t a = fold64(add_wide(widened(quotient), widened(keys[0])), c);
    const uint64_t left = remainder - (more ? divisor : 0);
    const uint64_t b = fold64(add_wide(widened(left), widened(keys[1])), c);
    return reduce64(fold64(multiply_wide(a, b), c), c);
}

/*
 * The last block has zeros up to a whole pair; a message without any block has one whose result is
 * zero. The bits of the last block, none if it is whole, then count 2^64 each.
 */
static void finish(void *context, unsigned iterations, uint64_t *hashes)
{
    struct state *state = context;
    const size_t padded = (state->held + PAIR_BYTES - 1u) / PAIR_BYTES * PAIR_BYTES;
    const struct wide length = {8 * (uint64_t)state->held, 0};
    unsigned i;
    memset(state->block + state->held, 0, padded - state->held);
    for (i = 0; i < iterations; i++) {
        const struct iteration *iteration = &state->iterations[i];
        struct wide y = iteration->y;
        if (padded > 0 || state->is_empty)
            y = multiply_add(y, iteration->l2_key, nh(state->l1_key + 2 * i, state->block, padded));
        hashes[i] = compress(reduced(add_wide(y, length)), iteration->l3_keys);
    }
}

static const struct vhash vhash_portable = {sizeof(struct state), set_key, start, update, finish};

static const row rows[] = {VMAC_ROWS(vhash_portable, sizeof(struct state), ciphermark_aes_table,
                                     AES_TABLE_SCHEDULE_BYTES, "portable")};

KERNELS(ciphermark_vmac_portable_rows, rows);
