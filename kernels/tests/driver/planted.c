/*
 * Kernels with faults that the tests have to find, and one without. They stand in for the list of
 * all kernels.
 */
#include "ecb.h"

static void set_key(void *schedule, const uint8_t *key, size_t key_bytes)
{
    uint8_t *kept = schedule;
    size_t i;
    for (i = 0; i < key_bytes; i++)
        kept[i] = key[i];
}

/* A product of polynomials, with a branch for each bit of the key that is set. */
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
    static const uint8_t SQUARES[8] = {0, 1, 4, 9, 16, 25, 36, 49};
    const uint8_t *key = schedule;
    for (; blocks > 0; blocks--, input++, output++)
        *output = SQUARES[(*input ^ key[0]) & 7];
}

static void encrypt_by_sums(const void *schedule, uint8_t *output, const uint8_t *input,
                            size_t blocks)
{
    const uint8_t *key = schedule;
    for (; blocks > 0; blocks--, input++, output++)
        *output = (uint8_t)(*input + key[0]);
}

/* Looks at the byte behind its input. */
static void encrypt_too_far(const void *schedule, uint8_t *output, const uint8_t *input,
                            size_t blocks)
{
    const uint8_t *key = schedule;
    for (; blocks > 0; blocks--, input++, output++)
        *output = (uint8_t)(*input + key[0] + input[1]);
}

/* As encrypt_by_sums, but for one key in 256. */
static void encrypt_rarely_wrong(const void *schedule, uint8_t *output, const uint8_t *input,
                                 size_t blocks)
{
    const uint8_t *key = schedule;
    encrypt_by_sums(schedule, output, input, blocks);
    if (blocks > 0)
        output[0] = (uint8_t)(output[0] ^ (key[0] == 0x5a));
}

#define CIPHER(encrypt) {1, 16, set_key, set_key, encrypt, NULL}

static const struct block_cipher branch = CIPHER(encrypt_by_branch);
static const struct block_cipher table = CIPHER(encrypt_by_table);
static const struct block_cipher sums = CIPHER(encrypt_by_sums);
static const struct block_cipher too_far = CIPHER(encrypt_too_far);
static const struct block_cipher rarely_wrong = CIPHER(encrypt_rarely_wrong);

#define ROW(name, cipher, timing, backend) \
    ECB_ROW(name, ENCRYPT, encrypt, 16, 1, cipher, 16, timing, backend)

static const row rows[] = {
    ROW("sums", sums, CIPHERMARK_CONSTANT_TIME, "right"),
    ROW("branch", branch, CIPHERMARK_CONSTANT_TIME, "leaks"),
    ROW("table", table, CIPHERMARK_CONSTANT_TIME, "leaks"),
    ROW("too-far", too_far, CIPHERMARK_VARIABLE_TIME, "reads"),
    ROW("sums", rarely_wrong, CIPHERMARK_VARIABLE_TIME, "wrong"),
};

static KERNELS(planted, rows);

const struct ciphermark_kernels *const ciphermark_kernels[] = {&planted};
const size_t ciphermark_kernels_count = 1;
