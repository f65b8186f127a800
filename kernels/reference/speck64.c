/*
 * Speck64/128 (Beaulieu and others, The Simon and Speck Families of Lightweight Block Ciphers,
 * 2013, section 4). Bytes are words as in the authors' Simon and Speck Implementation Guide, 2019:
 * little-endian, those on the right of the paper's lines first.
 */
#include "ciphers.h"
#include "ecb.h"
#include "words.h"

#define WORD_BYTES 4
#define BLOCK_BYTES (2 * WORD_BYTES)
#define ROUNDS 27
/* m and the rotations α and β of section 4.1. */
#define KEY_WORDS 4
#define ALPHA 8
#define BETA 3

struct schedule {
    uint32_t k[ROUNDS];
};

typedef char schedule_has_its_size[sizeof(struct schedule) == SPECK64_SCHEDULE_BYTES ? 1 : -1];

/* The round function R of section 4.1. */
static void mix(uint32_t *x, uint32_t *y, uint32_t k)
{
    *x = (rotate_right32(*x, ALPHA) + *y) ^ k;
    *y = rotate_left32(*y, BETA) ^ *x;
}

static void unmix(uint32_t *x, uint32_t *y, uint32_t k)
{
    *y = rotate_right32(*y ^ *x, BETA);
    *x = rotate_left32((*x ^ k) - *y, ALPHA);
}

/* Section 4.2: the rounds expand the key too, with their own numbers as keys. */
static void set_key(void *context, const uint8_t *key, size_t key_bytes)
{
    struct schedule *schedule = context;
    uint32_t l[KEY_WORDS - 1];
    unsigned i, j;
    (void)key_bytes;
    schedule->k[0] = load_le32(key);
    for (i = 0; i < KEY_WORDS - 1; i++)
        l[i] = load_le32(key + WORD_BYTES * (i + 1));
    for (i = j = 0; i + 1 < ROUNDS; i++) {
        schedule->k[i + 1] = schedule->k[i];
        mix(&l[j], &schedule->k[i + 1], i);
        j = j + 1 < KEY_WORDS - 1 ? j + 1 : 0;
    }
}

static void encrypt_block(const struct schedule *schedule, uint8_t *output, const uint8_t *input)
{
    uint32_t x = load_le32(input + WORD_BYTES), y = load_le32(input);
    unsigned i;
    for (i = 0; i < ROUNDS; i++)
        mix(&x, &y, schedule->k[i]);
    store_le32(output, y);
    store_le32(output + WORD_BYTES, x);
}

static void decrypt_block(const struct schedule *schedule, uint8_t *output, const uint8_t *input)
{
    uint32_t x = load_le32(input + WORD_BYTES), y = load_le32(input);
    unsigned i;
    for (i = ROUNDS; i > 0; i--)
        unmix(&x, &y, schedule->k[i - 1]);
    store_le32(output, y);
    store_le32(output + WORD_BYTES, x);
}

BLOCK_BY_BLOCK(encrypt, encrypt_block, BLOCK_BYTES)
BLOCK_BY_BLOCK(decrypt, decrypt_block, BLOCK_BYTES)

const struct block_cipher ciphermark_speck64_reference = {
    BLOCK_BYTES, SPECK64_SCHEDULE_BYTES, set_key, set_key, encrypt, decrypt};

static const row rows[] = {
    ECB_ROWS("speck-64-128-ecb", 16, BLOCK_BYTES, ciphermark_speck64_reference,
             SPECK64_SCHEDULE_BYTES, CIPHERMARK_CONSTANT_TIME, "reference")};

KERNELS(ciphermark_speck64_reference_rows, rows);
