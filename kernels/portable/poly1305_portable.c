/* Poly1305 in words of 64 bits, the least significant first. */
#include "poly1305.h"

#include "halves.h"
#include "words.h"

struct state {
    uint64_t r0, r1;
    uint64_t a0, a1, a2; /* a2 is at most 4 */
    uint64_t s0, s1;
};

typedef char state_has_room[sizeof(struct state) <= MOST_POLY1305_STATE_BYTES ? 1 : -1];

/* RFC 8439, section 2.5.1: both words of r are below 2^60, and r1 is a multiple of four. */
static void set_key(void *context, const uint8_t *key)
{
    struct state *state = context;
    state->r0 = load_le64(key) & 0x0ffffffc0fffffff;
    state->r1 = load_le64(key + 8) & 0x0ffffffc0ffffffc;
    state->a0 = state->a1 = state->a2 = 0;
    state->s0 = load_le64(key + 16);
    state->s1 = load_le64(key + 24);
}

/* a += n0 + 2^64 n1 */
static inline void add(struct state *state, uint64_t n0, uint64_t n1)
{
    uint64_t carry;
    state->a0 += n0;
    carry = state->a0 < n0;
    state->a1 += carry;
    carry = state->a1 < carry;
    state->a1 += n1;
    state->a2 += carry + (state->a1 < n1);
}

/*
 * a = a r mod 2^130 - 5, but for a last subtraction, of an a2 of at most 6. Words a1 and r1 meet at
 * 2^128; as four divides r1, 2^128 r1 is 2^130 r1/4, which is 5 r1/4.
 */
static inline void multiply(struct state *state)
{
    const uint64_t r0 = state->r0, r1 = state->r1, r1_back = r1 + (r1 >> 2);
    const uint64_t a0 = state->a0, a1 = state->a1, a2 = state->a2;
    const struct wide product0 = add_wide(multiply_wide(a0, r0), multiply_wide(a1, r1_back));
    struct wide product1 = add_wide(multiply_wide(a0, r1), multiply_wide(a1, r0));
    uint64_t product2;
    /* a2 r1_back and a2 r0 are below 2^63, and the upper half of product1 is below 2^62. */
    product1 = add_wide(product1, widened(a2 * r1_back));
    product1 = add_wide(product1, widened(product0.high));
    product2 = a2 * r0 + product1.high;
    /* What is over 2^130 comes back five times, the 4 and the 1 of it apart. */
    state->a0 = product0.low;
    state->a1 = product1.low;
    state->a2 = product2 & 3;
    add(state, (product2 & ~(uint64_t)3) + (product2 >> 2), 0);
}

static void absorb(void *context, const uint8_t *blocks, size_t count, uint32_t top)
{
    struct state state = *(const struct state *)context;
    for (; count > 0; count--, blocks += POLY1305_BLOCK_BYTES) {
        add(&state, load_le64(blocks), load_le64(blocks + 8));
        state.a2 += top;
        multiply(&state);
    }
    *(struct state *)context = state;
}

/* a mod 2^130 - 5, which is a + 5 without bit 130 where that is reached, plus s, mod 2^128. */
static void finish(void *context, uint8_t *tag)
{
    struct state *state = context;
    struct state five_more = *state;
    add(&five_more, 5, 0);
    add(state, 5 * (five_more.a2 >> 2), 0);
    add(state, state->s0, state->s1);
    store_le64(tag, state->a0);
    store_le64(tag + 8, state->a1);
    state->a0 = state->a1 = state->a2 = 0;
}

const struct poly1305 ciphermark_poly1305_portable = {POLY1305_CALLS, set_key, absorb, finish};

static const row rows[] = {POLY1305_ROW(ciphermark_poly1305_portable, "portable")};

KERNELS(ciphermark_poly1305_portable_rows, rows);
