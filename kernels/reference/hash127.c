/* hash127 (Bernstein, 2000) by Horner's rule, a word of the message at a time. */
#include "hash127.h"

#include "ciphers.h"
#include "modular.h"
#include "words.h"

/* Numbers have their least significant word first. */
struct state {
    uint32_t r[4];
    uint32_t k[4];
    uint32_t y[4];
    uint8_t word[HASH127_WORD_BYTES]; /* of the message, as far as it is there */
    uint8_t held;
};

/* Twice the prime 2^127 - 1. */
static const struct modulus TWICE_P127 = {4, 2};

/* y = y k + word, which is signed: a negative one is that much less than the prime. */
static void multiply_add_signed(uint32_t y[4], const uint32_t k[4], uint32_t word)
{
    const uint32_t sign = word >> 31;
    const uint32_t m[4] = {word - sign, 0 - sign, 0 - sign, (0 - sign) >> 1};
    ciphermark_multiply_add(&TWICE_P127, y, k, m);
}

/* The number that four signed words stand for, sum of x[i] 2^(32 i). */
static void load_number(uint32_t number[4], const uint8_t x[HASH127_BYTES])
{
    static const uint32_t SHIFT[4] = {0, 1, 0, 0};
    unsigned i;
    memset(number, 0, 16);
    for (i = 4; i-- > 0;)
        multiply_add_signed(number, SHIFT, load_le32(x + 4 * i));
}

static void set_key(void *context, const uint8_t r[HASH127_BYTES])
{
    struct state *state = context;
    load_number(state->r, r);
}

static void start(void *context, const uint8_t k[HASH127_BYTES])
{
    struct state *state = context;
    load_number(state->k, k);
    memset(state->y, 0, sizeof state->y);
    state->y[0] = 1;
    state->held = 0;
}

static void update(void *context, const uint8_t *input, size_t bytes)
{
    struct state *state = context;
    for (; bytes > 0; bytes--) {
        state->word[state->held++] = *input++;
        if (state->held == HASH127_WORD_BYTES) {
            multiply_add_signed(state->y, state->r, load_le32(state->word));
            state->held = 0;
        }
    }
}

static void finish(void *context, uint8_t hash[HASH127_BYTES])
{
    static const uint8_t ZEROS[HASH127_WORD_BYTES - 1] = {0};
    struct state *state = context;
    unsigned i;
    if (state->held > 0)
        update(state, ZEROS, (size_t)HASH127_WORD_BYTES - state->held);
    ciphermark_multiply_add(&TWICE_P127, state->y, state->r, state->k);
    ciphermark_reduce_to_p127(state->y);
    for (i = 0; i < 4; i++)
        store_le32(hash + 4 * i, state->y[i]);
}

static const struct hash127 hash127_reference = {
    sizeof(struct state), set_key, start, update, finish, NULL};

static const row rows[] = {HASH127_ROWS(hash127_reference, sizeof(struct state),
                                        ciphermark_rc6_reference, RC6_SCHEDULE_BYTES,
                                        ciphermark_incremental, "reference")};

KERNELS(ciphermark_hash127_reference_rows, rows);
