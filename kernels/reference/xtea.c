/* XTEA (Needham, Wheeler, Tea Extensions, 1997), 32 cycles, with big-endian words. */
#include "ciphers.h"
#include "ecb.h"
#include "xtea.h"
#include "words.h"

#define BLOCK_BYTES 8
#define KEY_WORDS 4

typedef char schedule_has_its_size[4 * KEY_WORDS == XTEA_SCHEDULE_BYTES ? 1 : -1];

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
    for (cycle = 0; cycle < XTEA_CYCLES; cycle++) {
        y += xtea_mixed(z, sum, k, 0);
        sum += XTEA_DELTA;
        z += xtea_mixed(y, sum, k, 11);
    }
    store_be32(output, y);
    store_be32(output + 4, z);
}

static void decrypt_block(const uint32_t k[KEY_WORDS], uint8_t *output, const uint8_t *input)
{
    uint32_t y = load_be32(input), z = load_be32(input + 4), sum = XTEA_CYCLES * XTEA_DELTA;
    unsigned cycle;
    for (cycle = 0; cycle < XTEA_CYCLES; cycle++) {
        z -= xtea_mixed(y, sum, k, 11);
        sum -= XTEA_DELTA;
        y -= xtea_mixed(z, sum, k, 0);
    }
    store_be32(output, y);
    store_be32(output + 4, z);
}

BLOCK_BY_BLOCK(encrypt, encrypt_block, BLOCK_BYTES)
BLOCK_BY_BLOCK(decrypt, decrypt_block, BLOCK_BYTES)

const struct block_cipher ciphermark_xtea_reference = {
    BLOCK_BYTES, XTEA_SCHEDULE_BYTES, set_key, set_key, encrypt, decrypt};

static const row rows[] = {ECB_ROWS("xtea-ecb", 16, BLOCK_BYTES, ciphermark_xtea_reference,
                                    XTEA_SCHEDULE_BYTES, CIPHERMARK_CONSTANT_TIME, "reference")};

KERNELS(ciphermark_xtea_reference_rows, rows);
