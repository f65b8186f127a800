/*
 * Poly1305 (RFC 8439, section 2.5) in limbs of 26 bits, the least significant first: products of
 * two 32-bit words are all that it needs.
 */
#include "poly1305.h"

#include "table.h"
#include "words.h"

#define LIMBS 5
#define LIMB_BITS 26
#define LIMB_MASK 0x3ffffff

struct state {
    uint32_t r[LIMBS];
    uint32_t a[LIMBS]; /* below 2^26, but for a[1], which is below 2^26 + 2^6 */
    uint32_t s[4];
};

typedef char state_has_room[sizeof(struct state) <= MOST_POLY1305_STATE_BYTES ? 1 : -1];

/* The number that 16 bytes are. Limb i begins with bit 26 i, which is bit 2 i of byte 3 i. */
static void load_limbs(uint32_t limbs[LIMBS], const uint8_t *bytes)
{
    unsigned i;
    for (i = 0; i < LIMBS; i++)
        limbs[i] = load_le32(bytes + 3 * i) >> 2 * i & LIMB_MASK;
}

/* The bits of r that are kept (section 2.5.1, clamp). */
static const uint32_t KEPT[LIMBS] IN_FLASH = {
    0x3ffffff, 0x3ffff03, 0x3ffc0ff, 0x3f03fff, 0x00fffff};

static void set_key(void *context, const uint8_t *key)
{
    struct state *state = context;
    unsigned i;
    load_limbs(state->r, key);
    for (i = 0; i < LIMBS; i++) {
        state->r[i] &= flash32(&KEPT[i]);
        state->a[i] = 0;
    }
    for (i = 0; i < 4; i++)
        state->s[i] = load_le32(key + 16 + 4 * i);
}

/*
 * a = product mod 2^130 - 5, where 2^130 is 5: what goes over the last limb comes back to the
 * first. Limbs of a product are below 2^58, and the last, of which none is five times, below 2^56:
 * what goes over it is below 2^30, and five times that below 2^32.
 */
static void carry(uint32_t a[LIMBS], const uint64_t product[LIMBS])
{
    uint64_t over = 0;
    unsigned i;
    for (i = 0; i < LIMBS; i++) {
        over += product[i];
        a[i] = (uint32_t)over & LIMB_MASK;
        over >>= LIMB_BITS;
    }
    over = 5 * over + a[0];
    a[0] = (uint32_t)over & LIMB_MASK;
    a[1] += (uint32_t)(over >> LIMB_BITS);
}

/*
 * a = a r. Limbs i and j meet in limb i + j of the product, or five times in limb i + j - 5: limb k
 * has the products of limbs i of a and k - i of r, where limb j - 5 of r is five times limb j.
 */
static void multiply(struct state *state)
{
    uint32_t fives_and_r[2 * LIMBS], *r = fives_and_r + LIMBS;
    uint64_t product[LIMBS] = {0};
    unsigned i, k;
    for (i = 0; i < LIMBS; i++) {
        fives_and_r[i] = 5 * state->r[i];
        r[i] = state->r[i];
    }
    for (i = 0; i < LIMBS; i++, r--) {
        for (k = 0; k < LIMBS; k++)
            product[k] += (uint64_t)state->a[i] * r[k];
    }
    carry(state->a, product);
}

static void absorb(void *context, const uint8_t *blocks, size_t count, uint32_t top)
{
    struct state *state = context;
    uint32_t block[LIMBS];
    unsigned i;
    for (; count > 0; count--, blocks += POLY1305_BLOCK_BYTES) {
        load_limbs(block, blocks);
        block[LIMBS - 1] |= top << 24;
        for (i = 0; i < LIMBS; i++)
            state->a[i] += block[i];
        multiply(state);
    }
}

/* a mod 2^130 - 5: two passes leave it below 2^130, and then it has the prime at most once. */
static void reduce(uint32_t a[LIMBS])
{
    uint64_t product[LIMBS], over = 5;
    unsigned i, pass;
    for (pass = 0; pass < 2; pass++) {
        for (i = 0; i < LIMBS; i++)
            product[i] = a[i];
        carry(a, product);
    }
    for (i = 0; i < LIMBS; i++)
        over = (over + a[i]) >> LIMB_BITS;
    /* 1 where a + 5 reaches 2^130, so that a - p is a + 5 without that bit; else 0. */
    over *= 5;
    for (i = 0; i < LIMBS; i++) {
        over += a[i];
        a[i] = (uint32_t)over & LIMB_MASK;
        over >>= LIMB_BITS;
    }
}

/* a + s mod 2^128. Word i has limb i from bit 6 i on, and above it the lower bits of the next. */
static void finish(void *context, uint8_t *tag)
{
    struct state *state = context;
    uint64_t over = 0;
    unsigned i;
    reduce(state->a);
    for (i = 0; i < 4; i++) {
        const uint32_t word = state->a[i] >> 6 * i | state->a[i + 1] << (LIMB_BITS - 6 * i);
        over += (uint64_t)word + state->s[i];
        store_le32(tag + 4 * i, (uint32_t)over);
        over >>= 32;
    }
    memset(state->a, 0, sizeof state->a);
}

const struct poly1305 ciphermark_poly1305_reference = {POLY1305_CALLS, set_key, absorb, finish};

static const row rows[] = {POLY1305_ROW(ciphermark_poly1305_reference, "reference")};

KERNELS(ciphermark_poly1305_reference_rows, rows);
