/* Speck128/128, as many blocks side by side as compilers make vectors of. */
#include "ciphers.h"
#include "ecb.h"
#include "fast_ciphers.h"
#include "speck128.h"

#define BLOCK_BYTES 16
/* Several vectors of 128 bits, so that one does not wait for another. */
#define LANES 8

struct lanes {
    uint64_t x[LANES], y[LANES];
};

static void load(struct lanes *lanes, const uint8_t *input)
{
    unsigned i;
    for (i = 0; i < LANES; i++, input += BLOCK_BYTES) {
        lanes->y[i] = load_le64(input);
        lanes->x[i] = load_le64(input + 8);
    }
}

static void store(uint8_t *output, const struct lanes *lanes)
{
    unsigned i;
    for (i = 0; i < LANES; i++, output += BLOCK_BYTES) {
        store_le64(output, lanes->y[i]);
        store_le64(output + 8, lanes->x[i]);
    }
}

static void encrypt_lanes(const uint64_t *k, uint8_t *output, const uint8_t *input)
{
    struct lanes lanes;
    unsigned round, i;
    load(&lanes, input);
    for (round = 0; round < SPECK128_ROUNDS; round++) {
        for (i = 0; i < LANES; i++)
            speck128_mix(&lanes.x[i], &lanes.y[i], k[round]);
    }
    store(output, &lanes);
}

static void decrypt_lanes(const uint64_t *k, uint8_t *output, const uint8_t *input)
{
    struct lanes lanes;
    unsigned round, i;
    load(&lanes, input);
    for (round = SPECK128_ROUNDS; round > 0; round--) {
        for (i = 0; i < LANES; i++)
            speck128_unmix(&lanes.x[i], &lanes.y[i], k[round - 1]);
    }
    store(output, &lanes);
}

static void set_key(void *schedule, const uint8_t *key, size_t key_bytes)
{
    ciphermark_speck128_reference.set_encrypt_key(schedule, key, key_bytes);
}

BATCH_BY_BATCH(encrypt, encrypt_lanes, LANES, BLOCK_BYTES, ciphermark_speck128_reference.encrypt)
BATCH_BY_BATCH(decrypt, decrypt_lanes, LANES, BLOCK_BYTES, ciphermark_speck128_reference.decrypt)

const struct block_cipher ciphermark_speck128_portable = {
    BLOCK_BYTES, SPECK128_SCHEDULE_BYTES, set_key, set_key, encrypt, decrypt};

static const row rows[] = {
    ECB_ROWS("speck-128-128-ecb", 16, BLOCK_BYTES, ciphermark_speck128_portable,
             SPECK128_SCHEDULE_BYTES, CIPHERMARK_CONSTANT_TIME, "portable")};

KERNELS(ciphermark_speck128_portable_rows, rows);
