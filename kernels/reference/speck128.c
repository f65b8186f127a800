/*
 * Speck128/128 (Beaulieu and others, The Simon and Speck Families of Lightweight Block Ciphers,
 * 2013, section 4). Bytes are words as in the authors' Simon and Speck Implementation Guide, 2019:
 * little-endian, those on the right of the paper's lines first.
 */
#include "ciphers.h"
#include "ecb.h"
#include "speck128.h"
#include "words.h"

#define WORD_BYTES 8
#define BLOCK_BYTES (2 * WORD_BYTES)

struct schedule {
    uint64_t k[SPECK128_ROUNDS];
};

typedef char schedule_has_its_size[sizeof(struct schedule) == SPECK128_SCHEDULE_BYTES ? 1 : -1];

/* Section 4.2: the rounds expand the key too, with their own numbers as keys. */
static void set_key(void *context, const uint8_t *key, size_t key_bytes)
{
    struct schedule *schedule = context;
    uint64_t l = load_le64(key + WORD_BYTES);
    unsigned i;
    (void)key_bytes;
    schedule->k[0] = load_le64(key);
    for (i = 0; i + 1 < SPECK128_ROUNDS; i++) {
        schedule->k[i + 1] = schedule->k[i];
        speck128_mix(&l, &schedule->k[i + 1], i);
    }
}

static void encrypt_block(const struct schedule *schedule, uint8_t *output, const uint8_t *input)
{
    uint64_t x = load_le64(input + WORD_BYTES), y = load_le64(input);
    unsigned i;
    for (i = 0; i < SPECK128_ROUNDS; i++)
        speck128_mix(&x, &y, schedule->k[i]);
    store_le64(output, y);
    store_le64(output + WORD_BYTES, x);
}

static void decrypt_block(const struct schedule *schedule, uint8_t *output, const uint8_t *input)
{
    uint64_t x = load_le64(input + WORD_BYTES), y = load_le64(input);
    unsigned i;
    for (i = SPECK128_ROUNDS; i > 0; i--)
        speck128_unmix(&x, &y, schedule->k[i - 1]);
    store_le64(output, y);
    store_le64(output + WORD_BYTES, x);
}

BLOCK_BY_BLOCK(encrypt, encrypt_block, BLOCK_BYTES)
BLOCK_BY_BLOCK(decrypt, decrypt_block, BLOCK_BYTES)

const struct block_cipher ciphermark_speck128_reference = {
    BLOCK_BYTES, SPECK128_SCHEDULE_BYTES, set_key, set_key, encrypt, decrypt};

static const row rows[] = {
    ECB_ROWS("speck-128-128-ecb", 16, BLOCK_BYTES, ciphermark_speck128_reference,
             SPECK128_SCHEDULE_BYTES, CIPHERMARK_CONSTANT_TIME, "reference")};

KERNELS(ciphermark_speck128_reference_rows, rows);
