/*
 * RC5-32 as a template, several blocks side by side: while one waits for a rotation, others go on.
 * Before a file includes it, it defines RC5_ROUNDS, RC5_PORTABLE, the name of the cipher that this
 * makes, and RC5_REFERENCE, its reference.
 */
#include "ciphers.h"
#include "ecb.h"
#include "fast_ciphers.h"
#include "rc5.h"

#define BLOCK_BYTES 8
#define SCHEDULE_BYTES RC5_SCHEDULE_BYTES(RC5_ROUNDS)
/* Their words and counts of rotations fill the registers of most 64-bit processors. */
#define LANES 4

struct lanes {
    uint32_t A[LANES], B[LANES];
};

static void load(struct lanes *lanes, const uint8_t *input)
{
    unsigned i;
    for (i = 0; i < LANES; i++, input += BLOCK_BYTES) {
        lanes->A[i] = load_le32(input);
        lanes->B[i] = load_le32(input + 4);
    }
}

static void store(uint8_t *output, const struct lanes *lanes)
{
    unsigned i;
    for (i = 0; i < LANES; i++, output += BLOCK_BYTES) {
        store_le32(output, lanes->A[i]);
        store_le32(output + 4, lanes->B[i]);
    }
}

/* Adds a to one word of each lane and b to the other. */
static void add(struct lanes *lanes, uint32_t a, uint32_t b)
{
    unsigned i;
    for (i = 0; i < LANES; i++) {
        lanes->A[i] += a;
        lanes->B[i] += b;
    }
}

static void encrypt_lanes(const uint32_t *S, uint8_t *output, const uint8_t *input)
{
    struct lanes lanes;
    unsigned round, i;
    load(&lanes, input);
    add(&lanes, S[0], S[1]);
    for (round = 1; round <= RC5_ROUNDS; round++) {
        for (i = 0; i < LANES; i++)
            rc5_round(&lanes.A[i], &lanes.B[i], S + 2 * round);
    }
    store(output, &lanes);
}

static void decrypt_lanes(const uint32_t *S, uint8_t *output, const uint8_t *input)
{
    struct lanes lanes;
    unsigned round, i;
    load(&lanes, input);
    for (round = RC5_ROUNDS; round >= 1; round--) {
        for (i = 0; i < LANES; i++)
            rc5_inverse_round(&lanes.A[i], &lanes.B[i], S + 2 * round);
    }
    add(&lanes, 0 - S[0], 0 - S[1]);
    store(output, &lanes);
}

static void set_key(void *schedule, const uint8_t *key, size_t key_bytes)
{
    RC5_REFERENCE.set_encrypt_key(schedule, key, key_bytes);
}

BATCH_BY_BATCH(encrypt, encrypt_lanes, LANES, BLOCK_BYTES, RC5_REFERENCE.encrypt)
BATCH_BY_BATCH(decrypt, decrypt_lanes, LANES, BLOCK_BYTES, RC5_REFERENCE.decrypt)

const struct block_cipher RC5_PORTABLE = {
    BLOCK_BYTES, SCHEDULE_BYTES, set_key, set_key, encrypt, decrypt};

/* Variable time as its reference: words are rotated by secrets. */
#define ROWS(name, key_bytes) \
    ECB_ROWS(name, key_bytes, BLOCK_BYTES, RC5_PORTABLE, SCHEDULE_BYTES, \
             CIPHERMARK_VARIABLE_TIME, "portable")
