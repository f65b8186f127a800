/* RC6-32/20, several blocks side by side: while one waits for its products, others go on. */
#include "ciphers.h"
#include "ecb.h"
#include "fast_ciphers.h"
#include "rc6.h"

#define BLOCK_BYTES 16
/* Their words fill the registers of most 64-bit processors. */
#define LANES 4

struct lanes {
    uint32_t A[LANES], B[LANES], C[LANES], D[LANES];
};

static void load(struct lanes *x, const uint8_t *input)
{
    unsigned i;
    for (i = 0; i < LANES; i++, input += BLOCK_BYTES) {
        x->A[i] = load_le32(input);
        x->B[i] = load_le32(input + 4);
        x->C[i] = load_le32(input + 8);
        x->D[i] = load_le32(input + 12);
    }
}

static void store(uint8_t *output, const struct lanes *x)
{
    unsigned i;
    for (i = 0; i < LANES; i++, output += BLOCK_BYTES) {
        store_le32(output, x->A[i]);
        store_le32(output + 4, x->B[i]);
        store_le32(output + 8, x->C[i]);
        store_le32(output + 12, x->D[i]);
    }
}

/* Adds a to one word of each lane and b to another. */
static void add(uint32_t *x, uint32_t a, uint32_t *y, uint32_t b)
{
    unsigned i;
    for (i = 0; i < LANES; i++) {
        x[i] += a;
        y[i] += b;
    }
}

static void encrypt_lanes(const uint32_t *S, uint8_t *output, const uint8_t *input)
{
    struct lanes x;
    unsigned round, i;
    load(&x, input);
    add(x.B, S[0], x.D, S[1]);
    for (round = 1; round <= RC6_ROUNDS; round++) {
        for (i = 0; i < LANES; i++)
            rc6_round(&x.A[i], &x.B[i], &x.C[i], &x.D[i], S + 2 * round);
    }
    add(x.A, S[RC6_KEY_WORDS - 2], x.C, S[RC6_KEY_WORDS - 1]);
    store(output, &x);
}

static void decrypt_lanes(const uint32_t *S, uint8_t *output, const uint8_t *input)
{
    struct lanes x;
    unsigned round, i;
    load(&x, input);
    add(x.A, 0 - S[RC6_KEY_WORDS - 2], x.C, 0 - S[RC6_KEY_WORDS - 1]);
    for (round = RC6_ROUNDS; round >= 1; round--) {
        for (i = 0; i < LANES; i++)
            rc6_inverse_round(&x.A[i], &x.B[i], &x.C[i], &x.D[i], S + 2 * round);
    }
    add(x.B, 0 - S[0], x.D, 0 - S[1]);
    store(output, &x);
}

static void set_key(void *schedule, const uint8_t *key, size_t key_bytes)
{
    ciphermark_rc6_reference.set_encrypt_key(schedule, key, key_bytes);
}

BATCH_BY_BATCH(encrypt, encrypt_lanes, LANES, BLOCK_BYTES, ciphermark_rc6_reference.encrypt)
BATCH_BY_BATCH(decrypt, decrypt_lanes, LANES, BLOCK_BYTES, ciphermark_rc6_reference.decrypt)

const struct block_cipher ciphermark_rc6_portable = {
    BLOCK_BYTES, RC6_SCHEDULE_BYTES, set_key, set_key, encrypt, decrypt};

/* Variable time as its reference: words are rotated by secrets. */
#define ROWS(name, key_bytes) \
    ECB_ROWS(name, key_bytes, BLOCK_BYTES, ciphermark_rc6_portable, RC6_SCHEDULE_BYTES, \
             CIPHERMARK_VARIABLE_TIME, "portable")

static const row rows[] = {
    ROWS("rc6-32-20-16-ecb", 16), ROWS("rc6-32-20-24-ecb", 24), ROWS("rc6-32-20-32-ecb", 32)};

KERNELS(ciphermark_rc6_portable_rows, rows);
