/*
 * hash127 (Bernstein, 2000) by doubles, as its author computed it, beside the integers of
 * hash127_portable.c.
 *
 * A double holds integers of 53 bits exactly. Powers of r are eight limbs of 16 bits with a sign, so
 * that 64 products of a signed word of 32 bits with a limb, 2^52 together at most, add up without
 * rounding: in any order, with or without fused operations. After 64 words the sums become a number
 * of four words, which all that came before, times r^64, is added to.
 */
#include "rows.h"

#if !defined(__OCTEON__) /* has no floating point */

#include "hash127.h"

#include "ciphers.h"
#include "modular.h"
#include "words.h"

#define CHUNK_WORDS 64
#define CHUNK_BYTES ((size_t)CHUNK_WORDS * HASH127_WORD_BYTES)
#define LIMBS 8
#define LIMB_BITS 16
#define LAST_LIMB_BITS 15

/* 0 as 2^37 p, whose limbs are more than any sum is below 0. */
#define ZERO_LIMB ((uint64_t)0xffff << 37)
#define LAST_ZERO_LIMB ((uint64_t)0x7fff << 37)

typedef uint32_t number[4]; /* modulo twice p = 2^127 - 1, its least significant word first */

static const struct modulus TWICE_P127 = {4, 2};

struct state {
    double powers[CHUNK_WORDS][LIMBS]; /* from r^64 down to r */
    number whole[CHUNK_WORDS + 2];     /* from r^0 up to r^65 */
    number k;
    number sum; /* of what was taken, with one more r than a word that came then would have */
    uint64_t taken;
    uint32_t held_bytes;
    uint8_t held[CHUNK_BYTES];
};

/* ---- Numbers -------------------------------------------------------------------------------- */

/* y += x + over 2^128; returns what goes over. */
static uint32_t plus(number y, const number x, uint32_t over)
{
    uint64_t carry = (uint64_t)over * TWICE_P127.c;
    unsigned i;
    for (i = 0; i < 4; i++) {
        carry += (uint64_t)y[i] + x[i];
        y[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return (uint32_t)carry;
}

/* The same, reduced: less than the modulus. */
static void add(number y, const number x)
{
    static const number zero = {0}, c = {2, 0, 0, 0};
    uint32_t over = plus(y, x, 0), mask;
    number more;
    unsigned i;
    over = plus(y, zero, over);
    (void)plus(y, zero, over);
    memcpy(more, y, sizeof more);
    mask = 0 - plus(more, c, 0);
    for (i = 0; i < 4; i++)
        y[i] ^= (y[i] ^ more[i]) & mask;
}

/* The number that four signed words stand for: as words of 2^31 more, with that subtracted. */
static void load_number(number y, const uint8_t x[HASH127_BYTES])
{
    static const number less = {0x7ffffffe, 0x7fffffff, 0x7fffffff, 0x7fffffff};
    unsigned i;
    for (i = 0; i < 4; i++)
        y[i] = load_le32(x + 4 * i) ^ 0x80000000;
    add(y, less);
}

/* Limbs around 0; the one above the last is a 1 again, as 2^127 is. */
static void store_limbs(double limbs[LIMBS], const number x)
{
    number reduced;
    int32_t carry = 0;
    unsigned i;
    memcpy(reduced, x, sizeof reduced);
    ciphermark_reduce_to_p127(reduced);
    for (i = 0; i < LIMBS; i++) {
        const unsigned bits = i + 1 < LIMBS ? LIMB_BITS : LAST_LIMB_BITS;
        const int32_t half = (int32_t)1 << (bits - 1);
        const int32_t limb = (int32_t)(reduced[i / 2] >> 16 * (i % 2) & 0xffff) + carry;
        carry = (limb + half) >> bits;
        limbs[i] = (double)(limb - carry * ((int32_t)1 << bits));
    }
    limbs[0] += (double)carry;
}

/* ---- Messages ------------------------------------------------------------------------------- */

/* The sum of the products of at most CHUNK_WORDS words, the last of which is times r. */
static void sum_of_words(const struct state *state, const uint8_t *input, size_t words, number sum)
{
    const double(*power)[LIMBS] = state->powers + (CHUNK_WORDS - words);
    double sums[LIMBS] = {0};
    uint64_t carry = 0;
    uint32_t limbs[LIMBS];
    number over = {0};
    unsigned i;
    for (; words > 0; words--, power++, input += HASH127_WORD_BYTES) {
        const double word = (double)(int32_t)load_le32(input);
        for (i = 0; i < LIMBS; i++)
            sums[i] += word * (*power)[i];
    }
    for (i = 0; i < LIMBS; i++) {
        const unsigned bits = i + 1 < LIMBS ? LIMB_BITS : LAST_LIMB_BITS;
        carry += (uint64_t)(int64_t)sums[i] + (i + 1 < LIMBS ? ZERO_LIMB : LAST_ZERO_LIMB);
        limbs[i] = (uint32_t)carry & (((uint32_t)1 << bits) - 1);
        carry >>= bits;
    }
    for (i = 0; i < 4; i++)
        sum[i] = limbs[2 * i] | limbs[2 * i + 1] << 16;
    over[0] = (uint32_t)carry;
    over[1] = (uint32_t)(carry >> 32);
    (void)plus(sum, over, 0);
}

/* Before the message is a 1. */
static void take(struct state *state, const uint8_t *input, size_t words)
{
    number added;
    sum_of_words(state, input, words, added);
    if (state->taken == 0) {
        memcpy(state->sum, state->whole[words + 1], sizeof state->sum);
        add(state->sum, added);
    } else {
        ciphermark_multiply_add(&TWICE_P127, state->sum, state->whole[words], added);
    }
    state->taken += words;
}

static void set_key(void *context, const uint8_t r[HASH127_BYTES])
{
    static const number zero = {0}, one = {1, 0, 0, 0};
    struct state *state = context;
    number power;
    size_t i;
    load_number(power, r);
    memcpy(state->whole[0], one, sizeof one);
    for (i = 1; i < CHUNK_WORDS + 2; i++) {
        memcpy(state->whole[i], state->whole[i - 1], sizeof power);
        ciphermark_multiply_add(&TWICE_P127, state->whole[i], power, zero);
        if (i <= CHUNK_WORDS)
            store_limbs(state->powers[CHUNK_WORDS - i], state->whole[i]);
    }
}

static void start(void *context, const uint8_t k[HASH127_BYTES])
{
    struct state *state = context;
    load_number(state->k, k);
    state->taken = 0;
    state->held_bytes = 0;
}

static void update(void *context, const uint8_t *input, size_t bytes)
{
    struct state *state = context;
    while (bytes > 0) {
        const size_t room = CHUNK_BYTES - state->held_bytes;
        const size_t more = bytes < room ? bytes : room;
        if (more == CHUNK_BYTES) {
            take(state, input, CHUNK_WORDS);
        } else {
            memcpy(state->held + state->held_bytes, input, more);
            state->held_bytes += (uint32_t)more;
            if (state->held_bytes == CHUNK_BYTES) {
                take(state, state->held, CHUNK_WORDS);
                state->held_bytes = 0;
            }
        }
        input += more;
        bytes -= more;
    }
}

static void finish(void *context, uint8_t hash[HASH127_BYTES])
{
    struct state *state = context;
    const size_t words = (state->held_bytes + HASH127_WORD_BYTES - 1u) / HASH127_WORD_BYTES;
    unsigned i;
    memset(state->held + state->held_bytes, 0, words * HASH127_WORD_BYTES - state->held_bytes);
    if (words > 0 || state->taken == 0)
        take(state, state->held, words);
    add(state->sum, state->k);
    ciphermark_reduce_to_p127(state->sum);
    for (i = 0; i < 4; i++)
        store_le32(hash + 4 * i, state->sum[i]);
}

static const struct hash127 hash127_doubles = {
    sizeof(struct state), set_key, start, update, finish, NULL};

/* Processors without doubles compute them by code whose time depends on the numbers. */
static const row rows[] = {
    HASH127_ROW("hash127", ciphermark_hash127_start, hash127_doubles, NULL,
                CIPHERMARK_VARIABLE_TIME, 16, sizeof(struct state), ciphermark_hash127_set_key,
                HASH127_WORD_BYTES, ciphermark_incremental, "doubles"),
    HASH127_ROW("hash127-rc6", ciphermark_hash127_mac_start, hash127_doubles,
                &ciphermark_rc6_reference, CIPHERMARK_VARIABLE_TIME, 1,
                HASH127_MAC_CONTEXT_BYTES(sizeof(struct state), RC6_SCHEDULE_BYTES),
                ciphermark_hash127_mac_set_key, 1, ciphermark_incremental, "doubles"),
};

KERNELS(ciphermark_hash127_doubles_rows, rows);

#endif
