/*
 * Kernels that state constant time and have none, each by a way in which real code loses it, and one
 * that has it. They stand in for the list of all kernels.
 */
#include "ecb.h"

static void set_key(void *schedule, const uint8_t *key, size_t key_bytes)
{
    uint8_t *kept = schedule;
    size_t i;
    for (i = 0; i < key_bytes; i++)
        kept[i] = key[i];
}

/* A product in the field of AES, with a branch for each bit of the key that is set. */
static void encrypt_by_branch(const void *schedule, uint8_t *output, const uint8_t *input,
                              size_t blocks)
{
    const uint8_t *key = schedule;
    for (; blocks > 0; blocks--, input++, output++) {
        volatile uint8_t product = 0;
        unsigned bit;
        for (bit = 0; bit < 8; bit++) {
            if (key[0] >> bit & 1)
                product = (uint8_t)(product ^ *input << bit);
        }
        *output = product;
    }
}

static void encrypt_by_table(const void *schedule, uint8_t *output, const uint8_t *input,
                             size_t blocks)
{
    static const uint8_t SQUARES[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};
    const uint8_t *key = schedule;
    for (; blocks > 0; blocks--, input++, output++)
        *output = SQUARES[(*input ^ key[0]) & 15];
}

static void encrypt_by_sums(const void *schedule, uint8_t *output, const uint8_t *input,
                            size_t blocks)
{
    const uint8_t *key = schedule;
    for (; blocks > 0; blocks--, input++, output++)
        *output = (uint8_t)(*input + key[0]);
}

static const struct block_cipher branch = {1, 16, set_key, set_key, encrypt_by_branch, NULL};
static const struct block_cipher table = {1, 16, set_key, set_key, encrypt_by_table, NULL};
static const struct block_cipher sums = {1, 16, set_key, set_key, encrypt_by_sums, NULL};

#define ROW(name, cipher) \
    ECB_ROW(name, ENCRYPT, encrypt, 16, 1, cipher, 16, CIPHERMARK_CONSTANT_TIME, "planted")

static const row rows[] = {ROW("branch", branch), ROW("table", table), ROW("sums", sums)};

static KERNELS(planted, rows);

const struct ciphermark_kernels *const ciphermark_kernels[] = {&planted};
const size_t ciphermark_kernels_count = 1;
