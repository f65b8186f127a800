/*
 * TREYFER (Yuval, Reinventing the Travois: Encryption/MAC in 30 ROM Bytes, 1997).
 *
 * The paper leaves the S-box open: any 256 bytes do, permutation or not. The usual one here is that
 * of AES, and two more are variants.
 */
#include "aes_sbox.h"
#include "ecb.h"
#include "table.h"
#include "words.h"

#define BLOCK_BYTES 8
#define ROUNDS 32

/* The first 256 primes, modulo 256. */
static const uint8_t PRIMES[256] IN_FLASH = {
    0x02, 0x03, 0x05, 0x07, 0x0b, 0x0d, 0x11, 0x13, 0x17, 0x1d, 0x1f, 0x25, 0x29, 0x2b, 0x2f, 0x35,
    0x3b, 0x3d, 0x43, 0x47, 0x49, 0x4f, 0x53, 0x59, 0x61, 0x65, 0x67, 0x6b, 0x6d, 0x71, 0x7f, 0x83,
    0x89, 0x8b, 0x95, 0x97, 0x9d, 0xa3, 0xa7, 0xad, 0xb3, 0xb5, 0xbf, 0xc1, 0xc5, 0xc7, 0xd3, 0xdf,
    0xe3, 0xe5, 0xe9, 0xef, 0xf1, 0xfb, 0x01, 0x07, 0x0d, 0x0f, 0x15, 0x19, 0x1b, 0x25, 0x33, 0x37,
    0x39, 0x3d, 0x4b, 0x51, 0x5b, 0x5d, 0x61, 0x67, 0x6f, 0x75, 0x7b, 0x7f, 0x85, 0x8d, 0x91, 0x99,
    0xa3, 0xa5, 0xaf, 0xb1, 0xb7, 0xbb, 0xc1, 0xc9, 0xcd, 0xcf, 0xd3, 0xdf, 0xe7, 0xeb, 0xf3, 0xf7,
    0xfd, 0x09, 0x0b, 0x1d, 0x23, 0x2d, 0x33, 0x39, 0x3b, 0x41, 0x4b, 0x51, 0x57, 0x59, 0x5f, 0x65,
    0x69, 0x6b, 0x77, 0x81, 0x83, 0x87, 0x8d, 0x93, 0x95, 0xa1, 0xa5, 0xab, 0xb3, 0xbd, 0xc5, 0xcf,
    0xd7, 0xdd, 0xe3, 0xe7, 0xef, 0xf5, 0xf9, 0x01, 0x05, 0x13, 0x1d, 0x29, 0x2b, 0x35, 0x37, 0x3b,
    0x3d, 0x47, 0x55, 0x59, 0x5b, 0x5f, 0x6d, 0x71, 0x73, 0x77, 0x8b, 0x8f, 0x97, 0xa1, 0xa9, 0xad,
    0xb3, 0xb9, 0xc7, 0xcb, 0xd1, 0xd7, 0xdf, 0xe5, 0xf1, 0xf5, 0xfb, 0xfd, 0x07, 0x09, 0x0f, 0x19,
    0x1b, 0x25, 0x27, 0x2d, 0x3f, 0x43, 0x45, 0x49, 0x4f, 0x55, 0x5d, 0x63, 0x69, 0x7f, 0x81, 0x8b,
    0x93, 0x9d, 0xa3, 0xa9, 0xb1, 0xbd, 0xc1, 0xc7, 0xcd, 0xcf, 0xd5, 0xe1, 0xeb, 0xfd, 0xff, 0x03,
    0x09, 0x0b, 0x11, 0x15, 0x17, 0x1b, 0x27, 0x29, 0x2f, 0x51, 0x57, 0x5d, 0x65, 0x77, 0x81, 0x8f,
    0x93, 0x95, 0x99, 0x9f, 0xa7, 0xab, 0xad, 0xb3, 0xbf, 0xc9, 0xcb, 0xcf, 0xd1, 0xd5, 0xdb, 0xe7,
    0xf3, 0xfb, 0x07, 0x0d, 0x11, 0x17, 0x1f, 0x23, 0x2b, 0x2f, 0x3d, 0x41, 0x47, 0x49, 0x4d, 0x53,
};

struct schedule {
    const uint8_t *sbox; /* null where a byte stands for itself */
    uint8_t k[BLOCK_BYTES];
};

static void set_key_aes_sbox(void *context, const uint8_t *key, size_t key_bytes)
{
    struct schedule *schedule = context;
    schedule->sbox = ciphermark_aes_sbox;
    memcpy(schedule->k, key, key_bytes);
}

static void set_key_primes(void *context, const uint8_t *key, size_t key_bytes)
{
    struct schedule *schedule = context;
    schedule->sbox = PRIMES;
    memcpy(schedule->k, key, key_bytes);
}

static void set_key_identity(void *context, const uint8_t *key, size_t key_bytes)
{
    struct schedule *schedule = context;
    schedule->sbox = NULL;
    memcpy(schedule->k, key, key_bytes);
}

/* What byte i adds to the one after it. */
static uint8_t substituted(const struct schedule *schedule, const uint8_t *t, unsigned i)
{
    const uint8_t sum = (uint8_t)(t[i] + schedule->k[i]);
    return schedule->sbox == NULL ? sum : flash8(&schedule->sbox[sum]);
}

static void encrypt_block(const struct schedule *schedule, uint8_t *output, const uint8_t *input)
{
    uint8_t t[BLOCK_BYTES];
    unsigned round, i;
    memcpy(t, input, BLOCK_BYTES);
    for (round = 0; round < ROUNDS; round++) {
        for (i = 0; i < BLOCK_BYTES; i++) {
            uint8_t *next = &t[(i + 1) % BLOCK_BYTES];
            *next = rotate_left8((uint8_t)(*next + substituted(schedule, t, i)), 1);
        }
    }
    memcpy(output, t, BLOCK_BYTES);
}

static void decrypt_block(const struct schedule *schedule, uint8_t *output, const uint8_t *input)
{
    uint8_t t[BLOCK_BYTES];
    unsigned round, i;
    memcpy(t, input, BLOCK_BYTES);
    for (round = 0; round < ROUNDS; round++) {
        for (i = BLOCK_BYTES; i-- > 0;) {
            uint8_t *next = &t[(i + 1) % BLOCK_BYTES];
            *next = (uint8_t)(rotate_right8(*next, 1) - substituted(schedule, t, i));
        }
    }
    memcpy(output, t, BLOCK_BYTES);
}

BLOCK_BY_BLOCK(encrypt, encrypt_block, BLOCK_BYTES)
BLOCK_BY_BLOCK(decrypt, decrypt_block, BLOCK_BYTES)

#define CIPHER(set_key) \
    {BLOCK_BYTES, sizeof(struct schedule), set_key, set_key, encrypt, decrypt}

static const struct block_cipher with_aes_sbox = CIPHER(set_key_aes_sbox);
static const struct block_cipher with_primes = CIPHER(set_key_primes);
static const struct block_cipher with_identity = CIPHER(set_key_identity);

#define ROW(does, way, cipher, timing_, variant_) \
    {.algorithm = "treyfer-ecb", .operation = does, .timing = timing_, .key_bytes = {8, 8}, \
     .lanes = 1, .context_bytes = sizeof(struct schedule), \
     .context_alignment = CONTEXT_ALIGNMENT, .parameters = &(cipher), \
     .set_key = ciphermark_ecb_set_##way##_key, .process = ciphermark_ecb_##way, \
     .backend = "reference", .input_bytes = {BLOCK_BYTES, SIZE_MAX}, .block_bytes = BLOCK_BYTES, \
     .variant = variant_}

#define ROWS(cipher, timing, variant) \
    ROW(ENCRYPT, encrypt, cipher, timing, variant), ROW(DECRYPT, decrypt, cipher, timing, variant)

static const row rows[] = {
    ROWS(with_aes_sbox, CIPHERMARK_VARIABLE_TIME, NULL),
    ROWS(with_primes, CIPHERMARK_VARIABLE_TIME, "sbox primes-mod-256"),
    ROWS(with_identity, CIPHERMARK_CONSTANT_TIME, "sbox identity"),
};

KERNELS(ciphermark_treyfer_reference_rows, rows);
