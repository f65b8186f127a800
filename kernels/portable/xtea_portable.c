/* XTEA, as many blocks side by side as compilers make vectors of. */
#include "ciphers.h"
#include "ecb.h"
#include "fast_ciphers.h"
#include "tea_lanes.h"
#include "xtea.h"

static void encrypt_lanes(const uint32_t *k, uint8_t *output, const uint8_t *input)
{
    struct lanes lanes;
    uint32_t sum = 0;
    unsigned cycle, i;
    load(&lanes, input);
    for (cycle = 0; cycle < XTEA_CYCLES; cycle++) {
        const uint32_t before = sum;
        sum += XTEA_DELTA;
        for (i = 0; i < LANES; i++) {
            lanes.y[i] += xtea_mixed(lanes.z[i], before, k, 0);
            lanes.z[i] += xtea_mixed(lanes.y[i], sum, k, 11);
        }
    }
    store(output, &lanes);
}

static void decrypt_lanes(const uint32_t *k, uint8_t *output, const uint8_t *input)
{
    struct lanes lanes;
    uint32_t sum = XTEA_CYCLES * XTEA_DELTA;
    unsigned cycle, i;
    load(&lanes, input);
    for (cycle = 0; cycle < XTEA_CYCLES; cycle++) {
        const uint32_t after = sum;
        sum -= XTEA_DELTA;
        for (i = 0; i < LANES; i++) {
            lanes.z[i] -= xtea_mixed(lanes.y[i], after, k, 11);
            lanes.y[i] -= xtea_mixed(lanes.z[i], sum, k, 0);
        }
    }
    store(output, &lanes);
}

static void set_key(void *schedule, const uint8_t *key, size_t key_bytes)
{
    ciphermark_xtea_reference.set_encrypt_key(schedule, key, key_bytes);
}

BATCH_BY_BATCH(encrypt, encrypt_lanes, LANES, BLOCK_BYTES, ciphermark_xtea_reference.encrypt)
BATCH_BY_BATCH(decrypt, decrypt_lanes, LANES, BLOCK_BYTES, ciphermark_xtea_reference.decrypt)

const struct block_cipher ciphermark_xtea_portable = {
    BLOCK_BYTES, XTEA_SCHEDULE_BYTES, set_key, set_key, encrypt, decrypt};

static const row rows[] = {ECB_ROWS("xtea-ecb", 16, BLOCK_BYTES, ciphermark_xtea_portable,
                                    XTEA_SCHEDULE_BYTES, CIPHERMARK_CONSTANT_TIME, "portable")};

KERNELS(ciphermark_xtea_portable_rows, rows);
