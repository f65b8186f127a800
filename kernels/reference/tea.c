/* TEA (Wheeler, Needham, TEA, a Tiny Encryption Algorithm, 1994), with big-endian words. */
#include "ciphers.h"
#include "ecb.h"
#include "tea.h"
#include "words.h"

#define BLOCK_BYTES 8

struct schedule {
    uint32_t k[4];
};

typedef char schedule_has_its_size[sizeof(struct schedule) == TEA_SCHEDULE_BYTES ? 1 : -1];

static void set_key(void *context, const uint8_t *key, size_t key_bytes)
{
    struct schedule *schedule = context;
    unsigned i;
    (void)key_bytes;
    for (i = 0; i < 4; i++)
        schedule->k[i] = load_be32(key + 4 * i);
}

static void encrypt_block(const uint32_t *k, uint8_t *output, const uint8_t *input)
{
    uint32_t y = load_be32(input), z = load_be32(input + 4), sum = 0;
    unsigned cycle;
    for (cycle = 0; cycle < TEA_CYCLES; cycle++) {
        sum += TEA_DELTA;
        y += tea_mixed(z, sum, k);
        z += tea_mixed(y, sum, k + 2);
    }
    store_be32(output, y);
    store_be32(output + 4, z);
}

static void decrypt_block(const uint32_t *k, uint8_t *output, const uint8_t *input)
{
    uint32_t y = load_be32(input), z = load_be32(input + 4), sum = TEA_CYCLES * TEA_DELTA;
    unsigned cycle;
    for (cycle = 0; cycle < TEA_CYCLES; cycle++) {
        z -= tea_mixed(y, sum, k + 2);
        y -= tea_mixed(z, sum, k);
        sum -= TEA_DELTA;
    }
    store_be32(output, y);
    store_be32(output + 4, z);
}

static void encrypt(const void *context, uint8_t *output, const uint8_t *input, size_t blocks)
{
    const struct schedule *schedule = context;
    for (; blocks > 0; blocks--, output += BLOCK_BYTES, input += BLOCK_BYTES)
        encrypt_block(schedule->k, output, input);
}

static void decrypt(const void *context, uint8_t *output, const uint8_t *input, size_t blocks)
{
    const struct schedule *schedule = context;
    for (; blocks > 0; blocks--, output += BLOCK_BYTES, input += BLOCK_BYTES)
        decrypt_block(schedule->k, output, input);
}

const struct block_cipher ciphermark_tea_reference = {
    BLOCK_BYTES, TEA_SCHEDULE_BYTES, set_key, set_key, encrypt, decrypt};

static const row rows[] = {ECB_ROWS("tea-ecb", 16, BLOCK_BYTES, ciphermark_tea_reference,
                                    TEA_SCHEDULE_BYTES, CIPHERMARK_CONSTANT_TIME, "reference")};

KERNELS(ciphermark_tea_reference_rows, rows);
