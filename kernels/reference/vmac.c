/* VMAC (draft-krovetz-vmac-01) and VHASH, its hash, in words of 32 bits. */
#include "vmac.h"

#include "ciphers.h"
#include "modular.h"
#include "words.h"

/* The message is taken by pairs of words of 64 bits. */
#define PAIR_BYTES 16

/* Numbers have their least significant word first. */
struct iteration {
    uint32_t nh[4]; /* of the block so far */
    uint32_t y[4];  /* the polynomial over blocks */
    uint32_t l2_key[4];
    uint32_t l3_keys[2][2];
};

struct state {
    struct iteration iterations[MOST_VHASH_ITERATIONS];
    uint64_t bytes; /* of the message so far */
    uint8_t pair[PAIR_BYTES];
    uint8_t l1_key[VHASH_BLOCK_BYTES + 16 * (MOST_VHASH_ITERATIONS - 1)];
};

/* 2^128 - 2 is twice the prime 2^127 - 1 of layer 2; 2^64 - 257 is that of layer 3. */
static const struct modulus TWICE_P127 = {4, 2};
static const struct modulus P64 = {2, 257};

static void split(uint32_t words[2], uint64_t number)
{
    words[0] = (uint32_t)number;
    words[1] = (uint32_t)(number >> 32);
}

static void set_key(void *context, const struct vhash_keys *keys, unsigned iterations)
{
    struct state *state = context;
    unsigned i, j;
    memcpy(state->l1_key, keys->l1, sizeof state->l1_key);
    for (i = 0; i < iterations; i++) {
        struct iteration *iteration = &state->iterations[i];
        for (j = 0; j < 4; j++)
            iteration->l2_key[j] = load_be32(keys->l2[i] + 12 - 4 * j) & 0x1fffffff;
        split(iteration->l3_keys[0], load_be64(keys->l3[i]));
        split(iteration->l3_keys[1], load_be64(keys->l3[i] + 8));
    }
}

static void start(void *context, unsigned iterations)
{
    struct state *state = context;
    unsigned i;
    state->bytes = 0;
    for (i = 0; i < iterations; i++) {
        struct iteration *iteration = &state->iterations[i];
        memset(iteration->nh, 0, sizeof iteration->nh);
        memset(iteration->y, 0, sizeof iteration->y);
        iteration->y[0] = 1;
    }
}

/* Layer 1: NH += (m1 + k1)(m2 + k2) modulo 2^128, sums being modulo 2^64. */
static void hash_pair(uint32_t nh[4], const uint8_t *key, const uint8_t *pair)
{
    uint32_t a[2], b[2], product[4];
    uint64_t carry = 0;
    unsigned i;
    split(a, load_le64(pair) + load_be64(key));
    split(b, load_le64(pair + 8) + load_be64(key + 8));
    ciphermark_multiply(product, a, b, 2);
    for (i = 0; i < 4; i++) {
        carry += (uint64_t)nh[i] + product[i];
        nh[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* Layer 2: the next term of the polynomial is NH modulo 2^126. */
static void end_block(struct iteration *iteration)
{
    iteration->nh[3] &= 0x3fffffff;
    ciphermark_multiply_add(&TWICE_P127, iteration->y, iteration->l2_key, iteration->nh);
    memset(iteration->nh, 0, sizeof iteration->nh);
}

/* Takes the pair that begins at a place of its block. */
static void take_pair(struct state *state, unsigned iterations, unsigned at)
{
    unsigned i;
    for (i = 0; i < iterations; i++) {
        struct iteration *iteration = &state->iterations[i];
        hash_pair(iteration->nh, state->l1_key + 16 * i + at, state->pair);
        if (at == VHASH_BLOCK_BYTES - PAIR_BYTES)
            end_block(iteration);
    }
}

static void update(void *context, unsigned iterations, const uint8_t *input, size_t bytes)
{
    struct state *state = context;
    while (bytes > 0) {
        const unsigned in_block = (unsigned)(state->bytes % VHASH_BLOCK_BYTES);
        const unsigned held = in_block % PAIR_BYTES;
        const unsigned wanted = PAIR_BYTES - held;
        const unsigned taken = bytes < wanted ? (unsigned)bytes : wanted;
        memcpy(state->pair + held, input, taken);
        if (taken == wanted)
            take_pair(state, iterations, in_block - held);
        state->bytes += taken;
        input += taken;
        bytes -= taken;
    }
}

/* dividend = remainder 2^32 + digit, divided by 2^32 - 1, which the remainder is less than. */
static uint32_t divide(uint32_t *remainder, uint32_t digit)
{
    const uint32_t divisor = 0xffffffff;
    const uint64_t sum = (uint64_t)*remainder + digit;
    const uint32_t more = sum >= divisor;
    const uint32_t quotient = *remainder + more;
    *remainder = (uint32_t)(sum - (more ? divisor : 0));
    return quotient;
}

/* Layer 3: y is split into quotient and remainder by 2^64 - 2^32 = 2^32 (2^32 - 1). */
static uint64_t compress(const struct iteration *iteration)
{
    static const uint32_t ONE[2] = {1, 0}, ZERO[2] = {0, 0};
    const uint32_t *y = iteration->y;
    uint32_t rest = y[3], a[2], b[2], quotient[2], remainder[2];
    quotient[1] = divide(&rest, y[2]);
    quotient[0] = divide(&rest, y[1]);
    remainder[1] = rest;
    remainder[0] = y[0];
    memcpy(a, iteration->l3_keys[0], sizeof a);
    memcpy(b, iteration->l3_keys[1], sizeof b);
    ciphermark_multiply_add(&P64, a, ONE, quotient);
    ciphermark_multiply_add(&P64, b, ONE, remainder);
    ciphermark_multiply_add(&P64, a, b, ZERO);
    return (uint64_t)a[1] << 32 | a[0];
}

/* What is missing in the last pair is zeros; a message without any block has one of value 0. */
static void finish(void *context, unsigned iterations, uint64_t *hashes)
{
    static const uint32_t ONE[4] = {1, 0, 0, 0};
    struct state *state = context;
    const unsigned in_block = (unsigned)(state->bytes % VHASH_BLOCK_BYTES);
    const unsigned held = in_block % PAIR_BYTES;
    const uint32_t bits[4] = {0, 0, 8 * (uint32_t)in_block, 0};
    unsigned i;
    if (held > 0) {
        memset(state->pair + held, 0, PAIR_BYTES - held);
        take_pair(state, iterations, in_block - held);
    }
    for (i = 0; i < iterations; i++) {
        struct iteration *iteration = &state->iterations[i];
        const int is_done = held > 0 && in_block > VHASH_BLOCK_BYTES - PAIR_BYTES;
        if (state->bytes == 0 || (in_block > 0 && !is_done))
            end_block(iteration);
        ciphermark_multiply_add(&TWICE_P127, iteration->y, ONE, bits);
        ciphermark_reduce_to_p127(iteration->y);
        hashes[i] = compress(iteration);
    }
}

static const struct vhash vhash_reference = {sizeof(struct state), set_key, start, update, finish};

static const row rows[] = {VMAC_ROWS(vhash_reference, sizeof(struct state),
                                     ciphermark_aes_reference, AES_SCHEDULE_BYTES,
                                     CIPHERMARK_VARIABLE_TIME, "reference")};

KERNELS(ciphermark_vmac_reference_rows, rows);
