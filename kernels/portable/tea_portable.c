/* TEA, as many blocks side by side as compilers make vectors of. */
#include "ciphers.h"
#include "ecb.h"
#include "fast_ciphers.h"
#include "tea.h"
#include "tea_lanes.h"

static void encrypt_lanes(const uint32_t *k, uint8_t *output, const uint8_t *input)
{
    struct lanes lanes;
    uint32_t sum = 0;
    unsigned cycle, i;
    load(&lanes, input);
    for (cycle = 0; cycle < TEA_CYCLES; cycle++) {
        sum += TEA_DELTA;
        for (i = 0; i < LANES; i++) {
            lanes.y[i] += tea_mixed(lanes.z[i], sum, k);
            lanes.z[i] += tea_mixed(lanes.y[i], sum, k + 2);
        }
    }
    store(output, &lanes);
}

static void decrypt_lanes(const uint32_t *k, uint8_t *output, const uint8_t *input)
{
    struct lanes lanes;
    uint32_t sum = TEA_CYCLES * TEA_DELTA;
    unsigned cycle, i;
    load(&lanes, input);
    for (cycle = 0; cycle < TEA_CYCLES; cycle++) {
        for (i = 0; i < LANES; i++) {
            lanes.z[i] -= tea_mixed(lanes.y[i], sum, k + 2);
            lanes.y[i] -= tea_mixed(lanes.z[i], sum, k);
        }
        sum -= TEA_DELTA;
    }
    store(output, &lanes);
}

static void set_key(void *schedule, const uint8_t *key, size_t key_bytes)
{
    ciphermark_tea_reference.set_encrypt_key(schedule, key, key_bytes);
}

BATCH_BY_BATCH(encrypt, encrypt_lanes, LANES, BLOCK_BYTES, ciphermark_tea_reference.encrypt)
BATCH_BY_BATCH(decrypt, decrypt_lanes, LANES, BLOCK_BYTES, ciphermark_tea_reference.decrypt)

const struct block_cipher ciphermark_tea_portable = {
    BLOCK_BYTES, TEA_SCHEDULE_BYTES, set_key, set_key, encrypt, decrypt};

static const row rows[] = {ECB_ROWS("tea-ecb", 16, BLOCK_BYTES, ciphermark_tea_portable,
                                    TEA_SCHEDULE_BYTES, CIPHERMARK_CONSTANT_TIME, "portable")};

KERNELS(ciphermark_tea_portable_rows, rows);
