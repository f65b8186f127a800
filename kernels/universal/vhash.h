/*
 * VHASH, of so many iterations as tags have words of 64 bits, for kernels that include first what
 * does layer 1 of many blocks:
 *
 *     #define VHASH_BATCH_BLOCKS 4
 *     INLINED void nh_batch(struct terms *terms, const uint64_t *key, const uint8_t *input,
 *                           unsigned iterations);
 *
 * or, with VHASH_TAKES_BATCHES defined, both layers, by powers of layer 2's key that it has in a
 * struct lane_powers: see take_batches and take_ragged of ../x86/vhash_ifma.h.
 *
 * Layer 2 takes up to four blocks at once, with powers of its key, so that sums and carries wait
 * for one another only once in four.
 */
#ifndef CIPHERMARK_VHASH_H
#define CIPHERMARK_VHASH_H

#include "halves.h"
#include "inlined.h"
#include "part.h"
#include "vhash_terms.h"

#define GROUP_BLOCKS 4
#define GROUP_BYTES ((size_t)GROUP_BLOCKS * VHASH_BLOCK_BYTES)
#define BATCH_BYTES ((size_t)VHASH_BATCH_BLOCKS * VHASH_BLOCK_BYTES)

#if defined(VHASH_TAKES_BATCHES)
#define POWERS (2 * VHASH_BATCH_BLOCKS - 1)
#else
#define POWERS GROUP_BLOCKS
#endif

struct iteration {
    struct wide y;              /* at most 2^127 + 2^8 */
    struct wide powers[POWERS]; /* k, k^2 and so on of layer 2, less than 2^127 */
    uint64_t l3_keys[2];
#if defined(VHASH_TAKES_BATCHES)
    struct lane_powers lane_powers;
#endif
};

struct state {
    struct iteration iterations[MOST_VHASH_ITERATIONS];
    uint64_t l1_key[L1_WORDS];
    uint8_t block[VHASH_BLOCK_BYTES]; /* the last one, as far as it is there */
    uint8_t held;
    uint8_t is_first; /* whether no block came before */
};

#if !defined(MASK63)
#define MASK63 (UINT64_MAX >> 1)
#endif

/*
 * A sum of products of numbers of 128 bits, not carried: for each of the first three powers of
 * 2^64 a sum of words that count so often, and one of products of high halves, for 2^128.
 */
struct products {
    struct wide words[3];
    struct wide high;
};

/* Stops compilers from multiplying everything first, for which there are not enough registers. */
#if defined(__SIZEOF_INT128__)
#define HELD(number) __asm__("" : "+r"((number).low), "+r"((number).high))
#else
#define HELD(number)
#endif

INLINED void add_word(struct wide *sum, uint64_t word)
{
    sum->low += word;
    sum->high += sum->low < word;
}

/*
 * sum + x k, of at most four products. k is less than 2^127. Of one x, which is y, the high half is
 * at most 2^63; and of the others, layer 1's, it is less than 2^62. So the sum of high products is
 * less than 2^126 + 3 2^125, and that of a product's middle ones less than 2^128.
 */
INLINED void add_product(struct products *sum, struct wide x, struct wide k)
{
    const struct wide low = multiply_wide(x.low, k.low);
    const struct wide middle = add_wide(multiply_wide(x.low, k.high), multiply_wide(x.high, k.low));
    add_word(&sum->words[0], low.low);
    add_word(&sum->words[1], low.high);
    add_word(&sum->words[1], middle.low);
    add_word(&sum->words[2], middle.high);
    sum->high = add_wide(sum->high, multiply_wide(x.high, k.high));
    HELD(sum->words[0]);
    HELD(sum->words[1]);
    HELD(sum->words[2]);
    HELD(sum->high);
}

/* sum + last modulo 2^127 - 1, so that 2^128 is 2, and at most 2^127 + 2^8. */
INLINED struct wide carried(const struct products *sum, struct wide last)
{
    const struct wide doubled = {sum->high.high >> 63,
                                 sum->high.high << 1 | sum->high.low >> 63};
    struct wide low = add_wide(sum->words[0], add_wide(sum->words[2], sum->words[2]));
    struct wide high = add_wide(sum->words[1], add_wide(doubled, widened(last.high)));
    struct wide y;
    low = add_wide(low, add_wide(widened(sum->high.low << 1), widened(last.low)));
    high = add_wide(high, widened(low.high));
    y.high = high.low & MASK63;
    y.low = low.low;
    return add_wide(y, widened(high.high << 1 | high.low >> 63));
}

/*
 * Layer 2 of at most four blocks: y k^n + m1 k^(n-1) + ... + mn. Before the first block y is 1.
 * The power and layer 1's last, which is less than 2^126, are less than 2^128.
 */
INLINED struct wide take_terms(const struct iteration *iteration, struct wide y, int is_first,
                               const struct terms *terms, unsigned at, unsigned count)
{
    const struct wide *power = &iteration->powers[count - 1];
    struct products sum = {{{0, 0}, {0, 0}, {0, 0}}, {0, 0}};
    struct wide last = term(terms, at + count - 1);
    unsigned i;
    if (is_first)
        last = add_wide(last, *power);
    else
        add_product(&sum, y, *power);
    for (i = at; i < at + count - 1; i++)
        add_product(&sum, term(terms, i), *--power);
    return carried(&sum, last);
}

/* y less than 2^127 - 1, of y at most 2^127 + 2^80. */
INLINED struct wide reduced(struct wide y)
{
    const uint64_t over = y.high >> 63;
    uint64_t is_less;
    y.high &= MASK63;
    y = add_wide(y, widened(over));
    is_less = (add_wide(y, widened(1)).high >> 63) - 1;
    y.high &= is_less;
    y.low &= is_less;
    return y;
}

/* a + b modulo 2^64 - 257, which b is less than, as some number less than 2^64. */
INLINED uint64_t add_modulo(uint64_t a, uint64_t b)
{
    const struct wide sum = add_wide(widened(a), widened(b));
    return sum.low + (257 & (0 - sum.high));
}

/* a b modulo 2^64 - 257, and less than that. */
INLINED uint64_t multiply_modulo(uint64_t a, uint64_t b)
{
    const struct wide product = multiply_wide(a, b);
    const struct wide once = add_wide(multiply_wide(product.high, 257), widened(product.low));
    /* Less than 2^64 + 257^2 - 1, so once more than 2^64 and twice than the prime at most. */
    const struct wide twice = add_wide(widened(once.low), widened(once.high * 257));
    const uint64_t rest = twice.low + (257 & (0 - twice.high));
    const struct wide beyond = add_wide(widened(rest), widened(257));
    return rest + (257 & (0 - beyond.high));
}

/* Layer 3: y is split into quotient and remainder by 2^64 - 2^32. */
INLINED uint64_t compress(struct wide y, const uint64_t keys[2])
{
    const uint64_t divisor = 0 - ((uint64_t)1 << 32);
    /* 2^64 is the divisor and 2^32, so y.high times it leaves 2^32 y.high, and so on. */
    const struct wide left = {y.high >> 32, y.high << 32};
    const struct wide rest = add_wide(left, widened(y.low));
    const struct wide last = add_wide(widened(rest.high << 32), widened(rest.low));
    const uint64_t remainder = last.low + (last.high << 32);
    /* Then the upper half is all ones. */
    const uint64_t more = ((remainder >> 32) + 1) >> 32;
    const uint64_t quotient = y.high + rest.high + last.high + more;
    return multiply_modulo(add_modulo(quotient, keys[0]),
                           add_modulo(remainder - (divisor & (0 - more)), keys[1]));
}

/* The bits of the last block, none if it is whole, count 2^64 each. */
INLINED uint64_t ended(const struct iteration *iteration, struct wide y, size_t bytes)
{
    y.high += 8 * (bytes % VHASH_BLOCK_BYTES);
    return compress(reduced(y), iteration->l3_keys);
}

/* Up to four blocks, the last of which need not be whole. */
INLINED void take_group(const struct state *state, unsigned iterations, struct wide *y,
                        int is_first, const uint8_t *input, size_t bytes)
{
    struct terms terms[MOST_VHASH_ITERATIONS];
    unsigned i, count = 0;
    for (; bytes > VHASH_BLOCK_BYTES; bytes -= VHASH_BLOCK_BYTES, input += VHASH_BLOCK_BYTES)
        nh_block(terms, count++, state->l1_key, input, iterations);
    nh_part(terms, count++, state->l1_key, input, bytes, iterations);
    for (i = 0; i < iterations; i++)
        y[i] = take_terms(&state->iterations[i], y[i], is_first, &terms[i], 0, count);
}

#if defined(VHASH_TAKES_BATCHES)
/* y k^8, of y that is 1 before the first block. */
INLINED struct wide moved(const struct iteration *iteration, struct wide y, int is_first)
{
    struct products sum = {{{0, 0}, {0, 0}, {0, 0}}, {0, 0}};
    if (is_first)
        return iteration->powers[VHASH_BATCH_BLOCKS - 1];
    add_product(&sum, y, iteration->powers[VHASH_BATCH_BLOCKS - 1]);
    return carried(&sum, widened(0));
}

/*
 * As many batches as there are, and what is behind them unless the blocks themselves are faster; the
 * bytes taken.
 */
INLINED size_t take_in_batches(const struct state *state, unsigned iterations, struct wide *y,
                               int is_first, const uint8_t *input, size_t bytes)
{
    const size_t rest = bytes % BATCH_BYTES;
    const unsigned rest_blocks = (unsigned)((rest + VHASH_BLOCK_BYTES - 1) / VHASH_BLOCK_BYTES);
    const unsigned absent = VHASH_BATCH_BLOCKS - rest_blocks;
    const int is_ragged = rest >= LEAST_RAGGED_BYTES;
    unsigned i;
    if (bytes < LEAST_RAGGED_BYTES)
        return 0;
    if (!is_ragged)
        bytes -= rest;
    for (i = 0; i < iterations; i++) {
        const struct iteration *iteration = &state->iterations[i];
        const struct lane_powers *powers = &iteration->lane_powers;
        const uint64_t *l1_key = state->l1_key + 2 * i;
        if (!is_ragged)
            y[i] = take_batches(powers, l1_key, moved(iteration, y[i], is_first), input,
                                bytes / BATCH_BYTES);
        else
            y[i] = take_ragged(powers, l1_key,
                               absent == 0 ? moved(iteration, y[i], is_first) : y[i], input, bytes,
                               absent);
    }
    return bytes;
}
#else
/* A function of its own, in which all sums have registers. */
static __attribute__((noinline)) struct wide take_four(const struct iteration *iteration,
                                                       struct wide y, const struct terms *terms,
                                                       unsigned at)
{
    return take_terms(iteration, y, 0, terms, at, GROUP_BLOCKS);
}

INLINED void take_batch(const struct state *state, unsigned iterations, struct wide *y,
                        const uint8_t *input)
{
    struct terms terms[MOST_VHASH_ITERATIONS];
    unsigned i, at;
    nh_batch(terms, state->l1_key, input, iterations);
    for (i = 0; i < iterations; i++) {
        for (at = 0; at < VHASH_BATCH_BLOCKS; at += GROUP_BLOCKS)
            y[i] = take_four(&state->iterations[i], y[i], &terms[i], at);
    }
}

INLINED size_t take_in_batches(const struct state *state, unsigned iterations, struct wide *y,
                               int is_first, const uint8_t *input, size_t bytes)
{
    size_t taken;
    (void)is_first;
    for (taken = 0; bytes - taken >= BATCH_BYTES; taken += BATCH_BYTES)
        take_batch(state, iterations, y, input + taken);
    return taken;
}
#endif

/* Any bytes but none, of which only the last block need not be whole. y is 1 at first. */
INLINED void take(const struct state *state, unsigned iterations, struct wide *y, int is_first,
                  const uint8_t *input, size_t bytes)
{
    const size_t in_batches = take_in_batches(state, iterations, y, is_first, input, bytes);
    is_first = is_first && in_batches == 0;
    input += in_batches;
    bytes -= in_batches;
    while (bytes > 0) {
        const size_t taken = bytes < GROUP_BYTES ? bytes : GROUP_BYTES;
        take_group(state, iterations, y, is_first, input, taken);
        is_first = 0;
        input += taken;
        bytes -= taken;
    }
}

/* Hashes of a whole message. One without any block is one whose result is zero. */
INLINED void hash(const struct state *state, unsigned iterations, const uint8_t *input,
                  size_t bytes, uint64_t *hashes)
{
    struct terms terms[MOST_VHASH_ITERATIONS];
    struct wide y[MOST_VHASH_ITERATIONS] = {{0, 1}, {0, 1}};
    unsigned i;
    if (bytes > VHASH_BLOCK_BYTES)
        take(state, iterations, y, 1, input, bytes);
    else
        nh_part(terms, 0, state->l1_key, input, bytes, iterations);
    for (i = 0; i < iterations; i++) {
        const struct iteration *iteration = &state->iterations[i];
        if (bytes <= VHASH_BLOCK_BYTES)
            y[i] = add_wide(iteration->powers[0], term(&terms[i], 0));
        hashes[i] = ended(iteration, y[i], bytes);
    }
}

static void set_powers(struct wide powers[POWERS])
{
    unsigned i;
    for (i = 1; i < POWERS; i++) {
        struct products product = {{{0, 0}, {0, 0}, {0, 0}}, {0, 0}};
        add_product(&product, powers[i - 1], powers[0]);
        powers[i] = reduced(carried(&product, widened(0)));
    }
}

static void set_key(void *context, const struct vhash_keys *keys, unsigned iterations)
{
    const uint64_t mask = 0x1fffffff1fffffff;
    struct state *state = context;
    unsigned i;
    for (i = 0; i < L1_WORDS; i++)
        state->l1_key[i] = load_be64(keys->l1 + 8 * i);
    for (i = 0; i < iterations; i++) {
        struct iteration *iteration = &state->iterations[i];
        iteration->powers[0].high = load_be64(keys->l2[i]) & mask;
        iteration->powers[0].low = load_be64(keys->l2[i] + 8) & mask;
        set_powers(iteration->powers);
#if defined(VHASH_TAKES_BATCHES)
        set_lane_powers(&iteration->lane_powers, iteration->powers);
#endif
        iteration->l3_keys[0] = load_be64(keys->l3[i]);
        iteration->l3_keys[1] = load_be64(keys->l3[i] + 8);
    }
}

static void start(void *context, unsigned iterations)
{
    struct state *state = context;
    unsigned i;
    state->held = 0;
    state->is_first = 1;
    for (i = 0; i < iterations; i++)
        state->iterations[i].y = widened(1);
}

INLINED void take_next(struct state *state, unsigned iterations, const uint8_t *input,
                       size_t bytes)
{
    struct wide y[MOST_VHASH_ITERATIONS];
    unsigned i;
    for (i = 0; i < iterations; i++)
        y[i] = state->iterations[i].y;
    take(state, iterations, y, state->is_first, input, bytes);
    state->is_first = 0;
    for (i = 0; i < iterations; i++)
        state->iterations[i].y = y[i];
}

INLINED void update_iterations(struct state *state, unsigned iterations, const uint8_t *input,
                               size_t bytes)
{
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
        take_next(state, iterations, state->block, VHASH_BLOCK_BYTES);
        state->held = 0;
    }
    whole = bytes / VHASH_BLOCK_BYTES * VHASH_BLOCK_BYTES;
    if (whole > 0)
        take_next(state, iterations, input, whole);
    memcpy(state->block, input + whole, bytes - whole);
    state->held = (uint8_t)(bytes - whole);
}

static void update(void *context, unsigned iterations, const uint8_t *input, size_t bytes)
{
    if (iterations == 1)
        update_iterations(context, 1, input, bytes);
    else
        update_iterations(context, 2, input, bytes);
}

static void finish(void *context, unsigned iterations, uint64_t *hashes)
{
    struct state *state = context;
    const size_t held = state->held;
    unsigned i;
    if (state->is_first) {
        hash(state, iterations, state->block, held, hashes);
        return;
    }
    if (held > 0)
        take_next(state, iterations, state->block, held);
    for (i = 0; i < iterations; i++)
        hashes[i] = ended(&state->iterations[i], state->iterations[i].y, held);
}

static const struct vhash vhash = {sizeof(struct state), set_key, start, update, finish};

#endif
