/* RC5-32/12, several blocks side by side: while one waits for a rotation, others go on. */
#include "ciphers.h"
#include "ecb.h"
#include "fast_ciphers.h"
#include "rc5.h"

#define BLOCK_BYTES 8
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
    ciphermark_rc5_reference.set_encrypt_key(schedule, key, key_bytes);
}

BATCH_BY_BATCH(encrypt, encrypt_lanes, LANES, BLOCK_BYTES, ciphermark_rc5_reference.encrypt)
BATCH_BY_BATCH(decrypt, decrypt_lanes, LANES, BLOCK_BYTES, ciphermark_rc5_reference.decrypt)

const struct block_cipher ciphermark_rc5_portable = {
    BLOCK_BYTES, RC5_SCHEDULE_BYTES, set_key, set_key, encrypt, decrypt};

/* Variable time as its reference: words are rotated by secrets. */
#define ROWS(name, key_bytes) \
    ECB_ROWS(name, key_bytes, BLOCK_BYTES, ciphermark_rc5_portable, RC5_SCHEDULE_BYTES, \
             CIPHERMARK_VARIABLE_TIME, "portable")

static const row rows[] = {ROWS("rc5-32-12-8-ecb", 8), ROWS("rc5-32-12-16-ecb", 16)};

KERNELS(ciphermark_rc5_portable_rows, rows);
