/*
 * The polynomial of UIA2 (3GPP TS 35.215, section 4.5) by carry-less multiplication, several
 * blocks at once: each by its own power of P, so that a message is reduced once. To be included by
 * a file that has
 *
 *     wide, WIDE_BLOCKS       a vector of words of 64 bits, even and odd by turns, and how many
 *     load_wide(bytes), store_wide(bytes, x), all64(word), xor_wide(a, b)
 *     load_blocks(bytes)      words whose bytes stand in the order of the message
 *     multiply_even(a, b), multiply_odd(a, b), multiply_odd_even(a, b)
 *                             products, of 128 bits, of the even words of both, of the odd ones,
 *                             and of a's odd words by b's even ones
 *     even_words(a, b)        those of both, by turns
 *     total(x)                the sum of all words of 128 bits, as the first one
 *     first_word(x)
 *     uint64_t multiply(uint64_t a, uint64_t b)   modulo the polynomial, whose rest is X_TO_64
 */
#ifndef CIPHERMARK_UIA2_POLYNOMIAL_H
#define CIPHERMARK_UIA2_POLYNOMIAL_H

#include "uea2uia2.h"

/* Wide vectors of blocks between which the sum is multiplied by a power of P. */
#define BATCH 4

/* Powers of P in the order of the blocks that they are for: of[BATCH - 1] ends with P itself. */
struct powers {
    uint64_t of[BATCH][WIDE_BLOCKS];
    /* What a sum is multiplied by when a batch comes after it: for its low and its high half. */
    wide next;
};

/* Products modulo the polynomial, as even words; the odd ones mean nothing. */
static inline wide reduce(wide products)
{
    const wide polynomial = all64(X_TO_64);
    const wide once = multiply_odd_even(products, polynomial);
    return xor_wide(xor_wide(products, once), multiply_odd_even(once, polynomial));
}

static inline wide multiply_words(wide a, wide b)
{
    return even_words(reduce(multiply_even(a, b)), reduce(multiply_odd(a, b)));
}

static inline wide products(wide blocks, wide powers)
{
    return xor_wide(multiply_even(blocks, powers), multiply_odd(blocks, powers));
}

/* The powers for so many blocks, zeros for those beyond; of two, both, for that needs no memory. */
static inline void find_first_powers(uint64_t powers[WIDE_BLOCKS], uint64_t p, size_t blocks)
{
    const size_t needed = WIDE_BLOCKS > 2 && blocks < WIDE_BLOCKS ? blocks : WIDE_BLOCKS;
    uint64_t *end = powers + WIDE_BLOCKS;
    size_t i;
    memset(powers, 0, 8 * WIDE_BLOCKS);
    *(end - 1) = p;
    for (i = 2; i <= needed; i++)
        *(end - i) = multiply(*(end - i / 2), *(end - (i + 1) / 2));
}

/* The same for so many wide vectors of blocks; `next` where they are more than BATCH. */
static inline void find_powers(struct powers *powers, uint64_t p, size_t blocks, size_t wides)
{
    uint64_t next[WIDE_BLOCKS];
    wide step;
    size_t i;
    find_first_powers(powers->of[BATCH - 1], p, blocks);
    step = all64(powers->of[BATCH - 1][0]);
    for (i = 1; i < BATCH && i < wides; i++)
        store_wide(powers->of[BATCH - 1 - i],
                   multiply_words(load_wide(powers->of[BATCH - i]), step));
    if (wides <= BATCH)
        return;
    next[0] = powers->of[0][0];
    next[1] = multiply(next[0], X_TO_64);
    for (i = 2; i < WIDE_BLOCKS; i++)
        next[i] = next[i - 2];
    powers->next = load_wide(next);
}

/* The first wide vector of a message, which has so many blocks, at least one, after zeros. */
static inline wide first_blocks(const uint8_t *input, size_t blocks)
{
    uint8_t bytes[8 * WIDE_BLOCKS] = {0};
    memcpy(bytes + 8 * (WIDE_BLOCKS - blocks), input, 8 * blocks);
    return load_blocks(bytes);
}

/* The polynomial whose coefficients are so many whole blocks, without a constant term. */
static inline uint64_t evaluate_blocks(const uint8_t *input, size_t blocks, uint64_t p)
{
    const size_t wides = (blocks + WIDE_BLOCKS - 1) / WIDE_BLOCKS;
    const size_t first = blocks - (wides - 1) * WIDE_BLOCKS;
    struct powers powers;
    size_t left = wides - 1, i = BATCH - 1 - left % BATCH;
    wide sum;
    find_powers(&powers, p, blocks, wides);
    sum = products(first_blocks(input, first), load_wide(powers.of[i]));
    input += 8 * first;
    for (i++; i < BATCH; i++, left--, input += 8 * WIDE_BLOCKS)
        sum = xor_wide(sum, products(load_blocks(input), load_wide(powers.of[i])));
    for (; left > 0; left -= BATCH) {
        sum = products(sum, powers.next);
        for (i = 0; i < BATCH; i++, input += 8 * WIDE_BLOCKS)
            sum = xor_wide(sum, products(load_blocks(input), load_wide(powers.of[i])));
    }
    return first_word(reduce(total(sum)));
}

/* The polynomial of a message, whose last block has zeros after the message's end. */
static inline uint64_t evaluate(const message *m, uint64_t p)
{
    const size_t whole = (m->input_bytes - 1) / 8;
    const uint64_t e = whole == 0 ? 0 : evaluate_blocks(m->input, whole, p);
    return multiply(e ^ ciphermark_uia2_last_block(m, 8 * whole), p);
}

#endif
