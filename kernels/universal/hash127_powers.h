/*
 * hash127 (Bernstein, 2000) by tables of powers, for vectors of any width.
 *
 * A long message is a matrix whose rows are vectors of L words. Each column is a polynomial in
 * R = r^L, so that all lanes of a row are multiplied by the same power, and one table of a few
 * powers does for columns of any length: after STRIDES rows they are multiplied by R^STRIDES. At
 * the end each column gets the power of r that it is for, and the words after the last row get
 * theirs. Short messages have only such words.
 *
 * The file that includes this has a vector header before it, and defines
 *   NEAR_POWERS, STRIDES: how many powers of r and of R there are in tables, multiples of L and at
 *     most 120, or 60 where words are biased
 *   WORDS_ARE_BIASED: 1 where products(a, b) are of words without signs. Then words are taken as
 *     2^31 more than they are, and what that adds is subtracted
 *   load_row(bytes): words of a message, in the order of lanes
 *   products(a, b): 64 bits each of every other word; other_words(x): the words between, in the
 *     places of those; joined_words(a, b): words of both kinds, each from 64 bits
 */
#ifndef CIPHERMARK_HASH127_POWERS_H
#define CIPHERMARK_HASH127_POWERS_H

#include "ciphers.h"
#include "hash127.h"

#include "hash127_numbers.h"

/* Words of a vector. */
#define L (VECTOR_BYTES / HASH127_WORD_BYTES)

/* The longest message that needs no powers of R: one power is for the 1 before it. */
#define MOST_NEAR_WORDS (NEAR_POWERS - 1u)

/* Of a message in pieces, whole rows: until there are more, it may be a short one. */
#define HELD_BYTES ((NEAR_POWERS - L) * HASH127_WORD_BYTES)

struct state {
    /* r^NEAR_POWERS to r, then zeros, to be loaded with the last. */
    uint32_t near[LIMBS][NEAR_POWERS + L];
    /* R^STRIDES to 1 */
    uint32_t strides[LIMBS][STRIDES + 1];
#if WORDS_ARE_BIASED
    /* Sums of the last powers of each table, so many as the index says. */
    uint32_t near_sums[LIMBS][NEAR_POWERS + 1];
    uint32_t stride_sums[LIMBS][STRIDES + 1];
#endif
    struct limbs k;
    uint64_t columns[2][LIMBS][L / 2];
    uint8_t held[HELD_BYTES];
    uint32_t held_bytes;
    uint8_t has_columns;
};

typedef struct limbs whole_number;

/* The words that are multiplied at once, and the others. */
struct columns {
    struct numbers halves[2];
};

/* ---- Tables --------------------------------------------------------------------------------- */

/* As many powers as there are lanes; `row` is how far the next limb's are. */
static inline struct numbers powers_at(const uint32_t *place, size_t row)
{
    const struct numbers it = {{load_vector(place), load_vector(place + row),
                                load_vector(place + 2 * row), load_vector(place + 3 * row),
                                load_vector(place + 4 * row)}};
    return it;
}

static inline struct numbers others(const struct numbers *powers)
{
    const vector *l = powers->limbs;
    const struct numbers it = {{other_words(l[0]), other_words(l[1]), other_words(l[2]),
                                other_words(l[3]), other_words(l[4])}};
    return it;
}

/* The same power for all lanes. */
static inline struct numbers power_at(const uint32_t *place, size_t row)
{
    const struct numbers it = {{all32(place[0]), all32(place[row]), all32(place[2 * row]),
                                all32(place[3 * row]), all32(place[4 * row])}};
    return it;
}

static inline void store_powers(uint32_t *place, size_t row, const struct columns *x)
{
    const vector *one = x->halves[0].limbs, *other = x->halves[1].limbs;
    store_vector(place, joined_words(one[0], other[0]));
    store_vector(place + row, joined_words(one[1], other[1]));
    store_vector(place + 2 * row, joined_words(one[2], other[2]));
    store_vector(place + 3 * row, joined_words(one[3], other[3]));
    store_vector(place + 4 * row, joined_words(one[4], other[4]));
}

/* Both halves times the same number. */
static inline struct columns multiplied(const struct columns *x, const struct numbers *factor)
{
    struct columns sums = {{no_products(), no_products()}};
    add_products(&sums.halves[0], factor, &x->halves[0]);
    add_products(&sums.halves[1], factor, &x->halves[1]);
    sums.halves[0] = carried(&sums.halves[0]);
    sums.halves[1] = carried(&sums.halves[1]);
    return sums;
}

/*
 * Powers backwards from an end before which the first is: with n of them, the last ones times the
 * nth are the next ones.
 */
static inline void fill_powers(uint32_t *end, size_t row, size_t count)
{
    size_t n;
    for (n = 1; n < count; n += n < L ? n : L) {
        const struct numbers factor = power_at(end - n, row);
        struct columns last;
        last.halves[0] = powers_at(end - L, row);
        last.halves[1] = others(&last.halves[0]);
        last = multiplied(&last, &factor);
        store_powers(end - L - n, row, &last);
    }
}

#if WORDS_ARE_BIASED
static inline void fill_sums(uint32_t *sums, size_t sums_row, const uint32_t *last, size_t row,
                             size_t count)
{
    size_t i, n;
    for (i = 0; i < LIMBS; i++, sums += sums_row, last += row) {
        sums[0] = 0;
        for (n = 0; n < count; n++)
            sums[n + 1] = sums[n] + *(last - n);
    }
}
#endif

static void set_key(void *context, const uint8_t r[HASH127_BYTES])
{
    static const struct limbs one = {{1}};
    const size_t near_row = NEAR_POWERS + L, stride_row = STRIDES + 1;
    struct state *state = context;
    uint32_t *const near = state->near[0] + NEAR_POWERS;
    uint32_t *const strides = state->strides[0] + STRIDES;
    const struct limbs limbs = number_of_words(r);
    const struct numbers factor = in_all_lanes(&limbs);
    struct columns ones = {{in_all_lanes(&one), in_all_lanes(&one)}};
    size_t i;
    /* Zeros come after; of r, in all lanes, one is used. */
    ones = multiplied(&ones, &factor);
    store_powers(near - 1, near_row, &ones);
    for (i = 0; i < LIMBS; i++)
        memset(near + i * near_row, 0, L * sizeof(uint32_t));
    fill_powers(near, near_row, NEAR_POWERS);
    for (i = 0; i < LIMBS; i++) {
        uint32_t *const first = strides + i * stride_row;
        first[0] = one.of[i] != 0;
        *(first - 1) = *(near + i * near_row - L);
    }
    fill_powers(strides, stride_row, STRIDES);
#if WORDS_ARE_BIASED
    fill_sums(state->near_sums[0], NEAR_POWERS + 1, near - 1, near_row, NEAR_POWERS);
    fill_sums(state->stride_sums[0], STRIDES + 1, strides, stride_row, STRIDES);
#endif
}

/* ---- Whole rows ----------------------------------------------------------------------------- */

static inline vector biased(vector words)
{
#if WORDS_ARE_BIASED
    words = xor2(words, all32(0x80000000));
#endif
    return words;
}

/* What so many rows' sums begin with: what the bias adds, subtracted. */
static inline struct numbers no_rows(const struct state *state, size_t rows)
{
    struct numbers it = no_products();
#if WORDS_ARE_BIASED
    size_t i;
    for (i = 0; i < LIMBS; i++)
        it.limbs[i] = add64(it.limbs[i], same64(0 - ((uint64_t)state->stride_sums[i][rows] << 31)));
#else
    (void)state;
    (void)rows;
#endif
    return it;
}

/* What came before, moved on by so many rows; before the message is a 1. */
static inline void add_before(struct columns *sums, const struct columns *before,
                              const struct numbers *power)
{
    uint32_t row_of_1[L] = {0};
    if (before != NULL) {
        add_products(&sums->halves[0], power, &before->halves[0]);
        add_products(&sums->halves[1], power, &before->halves[1]);
    } else {
        row_of_1[L - 1] = 1;
        add_words(&sums->halves[1], other_words(load_vector(row_of_1)), power);
    }
}

/* A limb at a time, so that all sums stay in 16 registers. */
static inline void add_row(struct columns *sums, unsigned limb, vector words, vector other,
                           const uint32_t *place)
{
    const vector power = all32(place[limb * (STRIDES + 1)]);
    vector *one = &sums->halves[0].limbs[limb], *two = &sums->halves[1].limbs[limb];
    *one = add64(*one, products(words, power));
    *two = add64(*two, products(other, power));
}

/* At most STRIDES rows. */
static inline struct columns take_rows(const struct state *state, const uint8_t *input, size_t rows,
                                       const struct columns *before)
{
    const uint32_t *place = state->strides[0] + STRIDES - rows;
    struct columns sums = {{no_rows(state, rows), no_rows(state, rows)}};
    struct numbers power = power_at(place, STRIDES + 1);
    add_before(&sums, before, &power);
    for (; rows > 0; rows--, input += VECTOR_BYTES) {
        const vector words = biased(load_row(input)), other = other_words(words);
        place++;
        add_row(&sums, 0, words, other, place);
        add_row(&sums, 1, words, other, place);
        add_row(&sums, 2, words, other, place);
        add_row(&sums, 3, words, other, place);
        add_row(&sums, 4, words, other, place);
    }
    sums.halves[0] = carried(&sums.halves[0]);
    sums.halves[1] = carried(&sums.halves[1]);
    return sums;
}

/* ---- The end -------------------------------------------------------------------------------- */

/* Adds the products of words and of their powers. */
static inline void add_rest(const struct state *state, struct numbers *sums, const uint8_t *input,
                            size_t bytes)
{
    const uint32_t *place = state->near[0] + NEAR_POWERS - words_of(bytes);
    for (; bytes > 0; place += L, input += VECTOR_BYTES) {
        const size_t taken = bytes < VECTOR_BYTES ? bytes : VECTOR_BYTES;
        const vector row =
            biased(taken < VECTOR_BYTES ? load_bytes(input, taken) : load_row(input));
        const struct numbers powers = powers_at(place, NEAR_POWERS + L), other = others(&powers);
        add_words(sums, row, &powers);
        add_words(sums, other_words(row), &other);
        bytes -= taken;
    }
}

/* Adds columns that so many words come after. */
static inline void add_columns(const struct state *state, struct numbers *sums,
                               const struct columns *columns, size_t words)
{
    const uint32_t *place = state->near[0] + NEAR_POWERS - L - words;
    const struct numbers powers = powers_at(place, NEAR_POWERS + L), other = others(&powers);
    add_products(sums, &powers, &columns->halves[0]);
    add_products(sums, &other, &columns->halves[1]);
}

/*
 * What is added to the sums of products of so many words: k, 0, and what the bias adds, subtracted;
 * and the power for the 1 before a message that has no columns.
 */
static inline struct limbs beside_products(const struct state *state, const struct limbs *k,
                                           size_t words, int has_columns)
{
    static const struct limbs zero = {
        {ZERO_LIMB, ZERO_LIMB, ZERO_LIMB, ZERO_LIMB, LAST_ZERO_LIMB}};
    struct limbs it;
    size_t i;
    for (i = 0; i < LIMBS; i++) {
        it.of[i] = k->of[i] + zero.of[i];
        if (!has_columns)
            it.of[i] += (uint64_t)(int32_t)state->near[i][NEAR_POWERS - 1 - words];
#if WORDS_ARE_BIASED
        it.of[i] -= (uint64_t)state->near_sums[i][words] << 31;
#endif
    }
    return it;
}

/* The columns, if there are any, and the bytes after them: less than a row, or MOST_NEAR_WORDS. */
static inline void finish_hash(const struct state *state, const struct columns *columns,
                               const struct limbs *k, const uint8_t *input, size_t bytes,
                               uint8_t hash[HASH127_BYTES])
{
    const size_t words = words_of(bytes);
    const vector none = all32(0);
    struct numbers sums = {{none, none, none, none, none}};
    struct limbs sum = beside_products(state, k, words, columns != NULL);
    if (columns != NULL)
        add_columns(state, &sums, columns, words);
    add_rest(state, &sums, input, bytes);
    sum.of[0] += sum_of64(sums.limbs[0]);
    sum.of[1] += sum_of64(sums.limbs[1]);
    sum.of[2] += sum_of64(sums.limbs[2]);
    sum.of[3] += sum_of64(sums.limbs[3]);
    sum.of[4] += sum_of64(sums.limbs[4]);
    store_number(hash, &sum);
}

static inline struct columns load_columns(const struct state *state)
{
    struct columns it;
    size_t i;
    for (i = 0; i < LIMBS; i++) {
        it.halves[0].limbs[i] = load_vector(state->columns[0][i]);
        it.halves[1].limbs[i] = load_vector(state->columns[1][i]);
    }
    return it;
}

static inline void store_columns(struct state *state, const struct columns *columns)
{
    size_t i;
    for (i = 0; i < LIMBS; i++) {
        store_vector(state->columns[0][i], columns->halves[0].limbs[i]);
        store_vector(state->columns[1][i], columns->halves[1].limbs[i]);
    }
}

#include "hash127_pieces.h"

static const struct hash127 hash127_powers = {
    sizeof(struct state), set_key, start, update, finish, hash_message};

#define HASH127_POWERS_ROWS(backend) \
    HASH127_ROWS(hash127_powers, sizeof(struct state), ciphermark_rc6_reference, \
                 RC6_SCHEDULE_BYTES, ciphermark_hash127, backend)

#endif
