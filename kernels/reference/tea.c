/* TEA (Wheeler, Needham, TEA, a Tiny Encryption Algorithm, 1994), with big-endian words. */
#include "ciphers.h"
#include "ecb.h"
#include "tea.h"
#include "words.h"

#define BLOCK_BYTES 8
#define KEY_WORDS 4

typedef char schedule_has_its_size[4 * KEY_WORDS == TEA_SCHEDULE_BYTES ? 1 : -1];

static void set_key(void *schedule, const uint8_t *key, size_t key_bytes)
{
    uint32_t *k = schedule;
    unsigned i;
    (void)key_bytes;
    for (i = 0; i < KEY_WORDS; i++)
        k[i] = load_be32(key + 4 * i);
}

static void encrypt_block(const uint32_t k[KEY_WORDS], uint8_t *output, const uint8_t *input)
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

static void decrypt_block(const uint32_t k[KEY_WORDS], uint8_t *output, const uint8_t *input)
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

BLOCK_BY_BLOCK(encrypt, encrypt_block, BLOCK_BYTES)
BLOCK_BY_BLOCK(decrypt, decrypt_block, BLOCK_BYTES)

const struct block_cipher ciphermark_tea_reference = {
    BLOCK_BYTES, TEA_SCHEDULE_BYTES, set_key, set_key, encrypt, decrypt};

static const row rows[] = {ECB_ROWS("tea-ecb", 16, BLOCK_BYTES, ciphermark_tea_reference,
                                    TEA_SCHEDULE_BYTES, CIPHERMARK_CONSTANT_TIME, "reference")};

KERNELS(ciphermark_tea_reference_rows, rows);
