/*
 * What x86/emulated.h emulates itself, against the instructions' definitions; and, under valgrind,
 * that nothing of it branches on what it is given. Ends with 1 where something is wrong.
 */
#include <stdio.h>
#include <valgrind/memcheck.h>

#include "../../x86/avx512.h"

#define TURNS 1000

struct bytes {
    uint8_t at[64];
};

static struct bytes random_bytes(void)
{
    static uint32_t state = 1;
    struct bytes it;
    unsigned i;
    for (i = 0; i < sizeof it.at; i++) {
        state = state * 1664525 + 1013904223; /* Numerical Recipes, 1986 */
        it.at[i] = (uint8_t)(state >> 24);
    }
    return it;
}

/* Few values, so that some are equal. */
static struct bytes rough(struct bytes it)
{
    unsigned i;
    for (i = 0; i < sizeof it.at; i++)
        it.at[i] &= 0xc1;
    return it;
}

static void make_secret(struct bytes *it)
{
    (void)VALGRIND_MAKE_MEM_UNDEFINED(it, sizeof *it);
}

static uint64_t known(uint64_t secret)
{
    (void)VALGRIND_MAKE_MEM_DEFINED(&secret, sizeof secret);
    return secret;
}

static int is_quarter(const uint8_t *given, const uint8_t *wanted)
{
    struct bytes copy;
    memcpy(copy.at, given, 16);
    (void)VALGRIND_MAKE_MEM_DEFINED(&copy, sizeof copy);
    return memcmp(copy.at, wanted, 16) == 0;
}

static int is_right(struct bytes one, struct bytes other)
{
    struct bytes a = one, b = other, shuffled;
    uint64_t less = 0, negative = 0;
    vector x, y;
    unsigned i;
    for (i = 0; i < 64; i++) {
        less |= (uint64_t)(one.at[i] < other.at[i]) << i;
        negative |= (uint64_t)(one.at[i] >> 7) << i;
    }
    make_secret(&a);
    make_secret(&b);
    x = load_vector(&a);
    y = load_vector(&b);
    store_vector(&shuffled, _mm512_shuffle_i64x2(x, y, 0x9c)); /* 0, 3; 1, 2 */
    return known(_mm512_movepi8_mask(x)) == negative &&
           known(_mm512_cmplt_epu8_mask(x, y)) == less &&
           is_quarter(shuffled.at, one.at) && is_quarter(shuffled.at + 16, one.at + 48) &&
           is_quarter(shuffled.at + 32, other.at + 16) &&
           is_quarter(shuffled.at + 48, other.at + 32);
}

int main(void)
{
    unsigned turn;
    for (turn = 0; turn < TURNS; turn++) {
        const struct bytes one = random_bytes(), other = random_bytes();
        if (!is_right(one, other) || !is_right(rough(one), rough(other))) {
            printf("an emulated instruction does not do what it is defined to do\n");
            return 1;
        }
    }
    return 0;
}
