/*
 * hash127 (Bernstein, 2000) by IFMA of AVX-512, as universal/hash127_powers.h has it for other
 * vectors: a message is a matrix whose rows are vectors of L words, and each column a polynomial in
 * R = r^L, by a table of powers of R; the words after the last row, or of a short message, are
 * multiplied by powers of r.
 *
 * Products here are of words without signs: 2^31 more than they are. What that adds is in a table of
 * sums of powers, and subtracted.
 */
#ifndef CIPHERMARK_HASH127_IFMA_H
#define CIPHERMARK_HASH127_IFMA_H

#include "ciphers.h"
#include "hash127.h"
#include "numbers127.h"
#include "words.h"

/* Words of a vector, and words of 64 bits. */
#define L 16
#define LANES 8
#define LIMBS 3

/* How many powers of r and of R there are in tables. */
#define NEAR_POWERS 112
#define STRIDES 112

/* The longest message that needs no powers of R: one power is for the 1 before it. */
#define MOST_NEAR_WORDS (NEAR_POWERS - 1u)

/* Of a message in pieces, whole rows: until there are more, it may be a short one. */
#define HELD_BYTES ((NEAR_POWERS - L) * HASH127_WORD_BYTES)

/* Places of r^NEAR_POWERS to r, of even numbers and of odd ones, then zeros. */
#define NEAR_PLACES ((NEAR_POWERS + L) / 2)

/* 2^31 times the sums of so many powers as the index says, from none on; there are some more. */
#define SUMS (NEAR_POWERS + LANES)

struct state {
    uint64_t near[2][LIMBS][NEAR_PLACES];
    uint64_t strides[LIMBS][STRIDES + 1]; /* R^STRIDES to 1 */
    uint64_t near_sums[LIMBS][SUMS], stride_sums[LIMBS][SUMS];
    struct wide k;
    uint64_t columns[2][LIMBS][LANES];
    uint8_t held[HELD_BYTES];
    uint32_t held_bytes;
    uint8_t has_columns;
};

typedef struct wide whole_number;

/* Those of even words, and of odd ones. */
struct columns {
    struct number halves[2];
};

/* ---- One number ------------------------------------------------------------------------------ */

/* x below 2^128 - 1 as at most 2^127 - 1, which is 0. */
static inline struct wide once_folded(struct wide x)
{
    const uint64_t over = x.high >> 63;
    x.high &= MASK63;
    return add_wide(x, widened(over));
}

/* The number that four signed words stand for: as words of 2^31 more, with that subtracted. */
static inline struct wide number_of_words(const uint8_t x[16])
{
    const uint64_t bias = 0x8000000080000000;
    const struct wide words = {load_le64(x + 8) ^ bias, load_le64(x) ^ bias};
    /* 2^127 + 2^95 + 2^63 + 2^31 is 1 + 2^31 + 2^63 + 2^95. */
    const struct wide minus_bias = {MASK63 - 0x80000000, UINT64_MAX - 0x8000000080000001};
    return once_folded(add_wide(once_folded(words), minus_bias));
}

/* Of numbers of at most 2^127 - 1, and so is the product. */
static inline struct wide multiply_numbers(struct wide x, struct wide y)
{
    const struct wide low = multiply_wide(x.low, y.low), high = multiply_wide(x.high, y.high);
    const struct wide middle =
        add_wide(multiply_wide(x.low, y.high), multiply_wide(x.high, y.low));
    const struct wide words12 = add_wide(middle, widened(low.high));
    const struct wide above = add_wide(high, widened(words12.high));
    /* 2^128 is 2. */
    const struct wide below = {words12.low, low.low};
    return once_folded(add_wide(once_folded(below), add_wide(above, above)));
}

static inline struct wide add_numbers(struct wide x, struct wide y)
{
    return once_folded(add_wide(x, y));
}

/* 2^31 x */
static inline struct wide times_bias(struct wide x)
{
    const struct wide it = {(x.high << 31 | x.low >> 33) & MASK63, x.low << 31 | x.high >> 32};
    return it;
}

/* Of at most 2^127 - 1, for whose bits alone all are set. */
static inline void store_number(uint8_t bytes[HASH127_BYTES], struct wide x)
{
    const uint64_t is_p = ((x.low & (x.high | (uint64_t)1 << 63)) + 1) == 0;
    store_le64(bytes, x.low & (is_p - 1));
    store_le64(bytes + 8, x.high & (is_p - 1));
}

/* ---- A number in each lane ------------------------------------------------------------------- */

static inline struct number load_numbers(const uint64_t *place, size_t row)
{
    const struct number it = {
        {load_vector(place), load_vector(place + row), load_vector(place + 2 * row)}};
    return it;
}

static inline struct number in_all_lanes(const uint64_t *place, size_t row)
{
    const struct number it = {
        {same64(place[0]), same64(place[row]), same64(place[2 * row])}};
    return it;
}

static inline void store_numbers(uint64_t *place, size_t row, const struct number *x)
{
    unsigned i;
    for (i = 0; i < LIMBS; i++)
        store_vector(place + i * row, x->limbs[i]);
}

/* Limbs that are not wider than they are worth. */
static inline struct number settled(struct number x)
{
    const vector mask = same64(MASK52);
    struct number it = {{add64(and2(x.limbs[0], mask), shift_right64(x.limbs[2], TOP_BITS)),
                         and2(x.limbs[1], mask), and2(x.limbs[2], same64(MASK_TOP))}};
    carry(&it);
    it.limbs[0] = and2(it.limbs[0], mask);
    it.limbs[1] = and2(it.limbs[1], mask);
    return it;
}

static inline struct number no_number(void)
{
    const struct number it = {{same64(0), same64(0), same64(0)}};
    return it;
}

/* 4 p less limbs of at most that, each. */
static inline struct number negated(struct number x)
{
    const struct number it = {{subtract64(same64(4 * MASK52), x.limbs[0]),
                               subtract64(same64(4 * MASK52), x.limbs[1]),
                               subtract64(same64(4 * (uint64_t)MASK_TOP), x.limbs[2])}};
    return it;
}

/* Sums for powers of 2^52 and, apart, of upper halves, so that none waits for another. */
struct word_sums {
    vector lower[LIMBS], upper[LIMBS];
};

static inline struct word_sums no_word_sums(void)
{
    const vector none = same64(0);
    const struct word_sums it = {{none, none, none}, {none, none, none}};
    return it;
}

static inline struct word_sums word_sums_of(struct number x)
{
    struct word_sums it = no_word_sums();
    it.lower[0] = x.limbs[0];
    it.lower[1] = x.limbs[1];
    it.lower[2] = x.limbs[2];
    return it;
}

/* Adds the products of words, each the lower half of one of 64 bits, and numbers. */
INLINED void add_words(struct word_sums *sums, vector words, const struct number *x)
{
    sums->lower[0] = add_lower52(sums->lower[0], words, x->limbs[0]);
    sums->lower[1] = add_lower52(sums->lower[1], words, x->limbs[1]);
    sums->lower[2] = add_lower52(sums->lower[2], words, x->limbs[2]);
    sums->upper[0] = add_upper52(sums->upper[0], words, x->limbs[0]);
    sums->upper[1] = add_upper52(sums->upper[1], words, x->limbs[1]);
    sums->upper[2] = add_upper52(sums->upper[2], words, x->limbs[2]);
}

static inline void join_sums(vector joined[4], const struct word_sums *sums)
{
    joined[0] = sums->lower[0];
    joined[1] = add64(sums->lower[1], sums->upper[0]);
    joined[2] = add64(sums->lower[2], sums->upper[1]);
    joined[3] = sums->upper[2];
}

/* Even and odd words of a row, without signs. */
struct row_words {
    vector even, odd;
};

INLINED struct row_words row_words(vector row)
{
    const vector words = xor2(row, all32(0x80000000));
    const struct row_words it = {and2(words, same64(UINT32_MAX)), shift_right64(words, 32)};
    return it;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Blocks of numbers, each of which follows from that at its other side: times x, and m added. */
static inline void fill_down(uint64_t *last, size_t row, size_t blocks, const struct factor *x)
{
    struct number it = load_numbers(last, row);
    while (--blocks > 0) {
        last -= LANES;
        it = settled(multiply_and_add(no_number(), &it, x));
        store_numbers(last, row, &it);
    }
}

static inline void fill_up(uint64_t *first, size_t blocks, struct number m, const struct factor *x)
{
    struct number it = load_numbers(first, SUMS);
    while (--blocks > 0) {
        first += LANES;
        it = settled(multiply_and_add(m, &it, x));
        store_numbers(first, SUMS, &it);
    }
}

/* Of powers, the first of which is powers[0]; their 8th multiplies what comes 8 later. */
static inline void fill_sums(uint64_t sums[LIMBS][SUMS], const struct wide *powers,
                             const struct wide *eighth)
{
    uint64_t sum_of_8[LIMBS], step[LIMBS];
    struct wide sum = {0, 0};
    struct factor x;
    unsigned i;
    for (i = 0; i < LANES; i++) {
        store_limbs(&sums[0][i], SUMS, sum);
        sum = add_numbers(sum, times_bias(powers[i]));
    }
    store_limbs(sum_of_8, 1, sum);
    store_limbs(step, 1, *eighth);
    x = factor(in_all_lanes(step, 1));
    fill_up(sums[0], SUMS / LANES, in_all_lanes(sum_of_8, 1), &x);
}

static void set_key(void *context, const uint8_t bytes[HASH127_BYTES])
{
    struct state *state = context;
    struct wide r[L + 1], strides[LANES + 1]; /* powers of r and of R */
    uint64_t limbs[2][LIMBS];
    struct factor row, rows;
    unsigned i;
    r[0] = strides[0] = widened(1);
    r[1] = number_of_words(bytes);
    for (i = 2; i <= L; i++)
        r[i] = multiply_numbers(r[i / 2], r[i - i / 2]);
    for (i = 1; i <= LANES; i++)
        strides[i] = i == 1 ? r[L] : multiply_numbers(strides[i / 2], strides[i - i / 2]);
    store_limbs(limbs[0], 1, strides[1]);
    store_limbs(limbs[1], 1, strides[LANES]);
    row = factor(in_all_lanes(limbs[0], 1));
    rows = factor(in_all_lanes(limbs[1], 1));
    memset(state->near, 0, sizeof state->near);
    for (i = 0; i < L; i++)
        store_limbs(&state->near[i % 2][0][NEAR_POWERS / 2 - LANES + i / 2], NEAR_PLACES, r[L - i]);
    for (i = 0; i < 2; i++)
        fill_down(&state->near[i][0][NEAR_POWERS / 2 - LANES], NEAR_PLACES, NEAR_POWERS / L, &row);
    for (i = 0; i <= LANES; i++)
        store_limbs(&state->strides[0][STRIDES - i], STRIDES + 1, strides[i]);
    fill_down(&state->strides[0][STRIDES - LANES], STRIDES + 1, STRIDES / LANES, &rows);
    fill_sums(state->near_sums, r + 1, &r[LANES]);
    fill_sums(state->stride_sums, strides, &strides[LANES]);
    leave_vectors();
}

/* ---- Whole rows ------------------------------------------------------------------------------ */

/* What so many rows' sums have beside products: what the bias adds, subtracted; and before the
 * message is a 1, as the last word of a row. */
static inline struct number beside_rows(const struct state *state, size_t rows, int is_after_1)
{
    struct number it = negated(in_all_lanes(state->stride_sums[0] + rows, SUMS));
    unsigned i;
    for (i = 0; i < LIMBS && is_after_1; i++)
        it.limbs[i] = add64(it.limbs[i], in_last_lane(state->strides[i][STRIDES - rows]));
    return it;
}

/* At most STRIDES rows; what came before is moved on by them. */
static inline struct columns take_rows(const struct state *state, const uint8_t *input, size_t rows,
                                       const struct columns *before)
{
    const uint64_t *place = state->strides[0] + STRIDES - rows;
    const struct factor power = factor(in_all_lanes(place, STRIDES + 1));
    struct word_sums even = word_sums_of(beside_rows(state, rows, 0));
    struct word_sums odd = word_sums_of(beside_rows(state, rows, before == NULL));
    struct columns it;
    vector joined[2][4];
    unsigned i;
    for (; rows > 0; rows--, input += VECTOR_BYTES) {
        const struct row_words words = row_words(load_vector(input));
        const struct number x = in_all_lanes(++place, STRIDES + 1);
        add_words(&even, words.even, &x);
        add_words(&odd, words.odd, &x);
    }
    join_sums(joined[0], &even);
    join_sums(joined[1], &odd);
    for (i = 0; i < 2; i++) {
        if (before != NULL)
            add_product_of(joined[i], &before->halves[i], &power);
        it.halves[i] = folded(joined[i]);
    }
    return it;
}

/* ---- The end --------------------------------------------------------------------------------- */

/* Powers of r for every other word, from that on which so many more words and its own follow. */
static inline struct number near_powers(const struct state *state, size_t words)
{
    const size_t place = NEAR_POWERS - words;
    return load_numbers(&state->near[place % 2][0][place / 2], NEAR_PLACES);
}

/* Adds the products of words and of their powers. */
static inline void add_rest(const struct state *state, struct word_sums *sums,
                            struct word_sums *others, const uint8_t *input, size_t bytes)
{
    size_t words = words_of(bytes);
    for (; bytes > 0; words -= L, input += VECTOR_BYTES) {
        const size_t taken = bytes < VECTOR_BYTES ? bytes : VECTOR_BYTES;
        const struct row_words row =
            row_words(taken < VECTOR_BYTES ? load_bytes(input, taken) : load_vector(input));
        const struct number even = near_powers(state, words), odd = near_powers(state, words - 1);
        add_words(sums, row.even, &even);
        add_words(others, row.odd, &odd);
        bytes -= taken;
    }
}

/* What the sums have beside products of so many words: k; what the bias adds, subtracted; and the
 * power for the 1 before a message that has no columns. */
static inline void find_beside(uint64_t beside[LIMBS], const struct state *state, struct wide k,
                               size_t words, int has_columns)
{
    static const uint64_t zero[LIMBS] = {4 * MASK52, 4 * MASK52, 4 * (uint64_t)MASK_TOP};
    const size_t first = NEAR_POWERS - 1 - words;
    unsigned i;
    store_limbs(beside, 1, k);
    for (i = 0; i < LIMBS; i++) {
        beside[i] += zero[i] - state->near_sums[i][words];
        if (!has_columns)
            beside[i] += state->near[first % 2][i][first / 2];
    }
}

/* The columns, if there are any, and the bytes after them: less than a row, or MOST_NEAR_WORDS. */
static inline void finish_hash(const struct state *state, const struct columns *columns,
                               const struct wide *k, const uint8_t *input, size_t bytes,
                               uint8_t hash[HASH127_BYTES])
{
    const size_t words = words_of(bytes);
    struct word_sums even = no_word_sums(), odd = no_word_sums();
    uint64_t sums[4], beside[LIMBS];
    vector joined[4];
    unsigned i;
    find_beside(beside, state, *k, words, columns != NULL);
    add_rest(state, &even, &odd, input, bytes);
    for (i = 0; i < LIMBS; i++) {
        even.lower[i] = add64(even.lower[i], odd.lower[i]);
        even.upper[i] = add64(even.upper[i], odd.upper[i]);
    }
    join_sums(joined, &even);
    if (columns != NULL) {
        const struct factor of_even = factor(near_powers(state, words + L));
        const struct factor of_odd = factor(near_powers(state, words + L - 1));
        add_product_of(joined, &columns->halves[0], &of_even);
        add_product_of(joined, &columns->halves[1], &of_odd);
    }
    sum_lanes(sums, joined);
    for (i = 0; i < LIMBS; i++)
        sums[i] += beside[i];
    store_number(hash, wide_of_sums(sums));
    leave_vectors();
}

static inline struct columns load_columns(const struct state *state)
{
    const struct columns it = {{load_numbers(state->columns[0][0], LANES),
                                load_numbers(state->columns[1][0], LANES)}};
    return it;
}

static inline void store_columns(struct state *state, const struct columns *columns)
{
    store_numbers(state->columns[0][0], LANES, &columns->halves[0]);
    store_numbers(state->columns[1][0], LANES, &columns->halves[1]);
    leave_vectors();
}

#include "hash127_pieces.h"

static const struct hash127 hash127_ifma = {
    sizeof(struct state), set_key, start, update, finish, hash_message};

#define HASH127_IFMA_ROWS(backend) \
    HASH127_ROWS(hash127_ifma, sizeof(struct state), ciphermark_rc6_reference, \
                 RC6_SCHEDULE_BYTES, ciphermark_hash127, backend)

#endif
