/* RC6-32/20 (Rivest, Robshaw, Sidney, Yin, The RC6 Block Cipher, 1998). */
#include "ciphers.h"
#include "ecb.h"
#include "rc6.h"
#include "rc_key.h"
#include "words.h"

#define BLOCK_BYTES 16
#define KEY_WORDS RC6_KEY_WORDS

typedef char schedule_has_its_size[4 * KEY_WORDS == RC6_SCHEDULE_BYTES ? 1 : -1];

static void set_key(void *schedule, const uint8_t *key, size_t key_bytes)
{
    ciphermark_rc_expand_key(schedule, KEY_WORDS, key, key_bytes);
}

/* Section 2.2, table 1. */
static void encrypt_block(const uint32_t S[KEY_WORDS], uint8_t *output, const uint8_t *input)
{
    uint32_t A = load_le32(input), B = load_le32(input + 4) + S[0];
    uint32_t C = load_le32(input + 8), D = load_le32(input + 12) + S[1];
    unsigned i;
    for (i = 1; i <= RC6_ROUNDS; i++)
        rc6_round(&A, &B, &C, &D, S + 2 * i);
    store_le32(output, A + S[KEY_WORDS - 2]);
    store_le32(output + 4, B);
    store_le32(output + 8, C + S[KEY_WORDS - 1]);
    store_le32(output + 12, D);
}

/* Section 2.2, table 2. */
static void decrypt_block(const uint32_t S[KEY_WORDS], uint8_t *output, const uint8_t *input)
{
    uint32_t A = load_le32(input) - S[KEY_WORDS - 2], B = load_le32(input + 4);
    uint32_t C = load_le32(input + 8) - S[KEY_WORDS - 1], D = load_le32(input + 12);
    unsigned i;
    for (i = RC6_ROUNDS; i >= 1; i--)
        rc6_inverse_round(&A, &B, &C, &D, S + 2 * i);
    store_le32(output, A);
    store_le32(output + 4, B - S[0]);
    store_le32(output + 8, C);
    store_le32(output + 12, D - S[1]);
}

BLOCK_BY_BLOCK(encrypt, encrypt_block, BLOCK_BYTES)
BLOCK_BY_BLOCK(decrypt, decrypt_block, BLOCK_BYTES)

const struct block_cipher ciphermark_rc6_reference = {
    BLOCK_BYTES, RC6_SCHEDULE_BYTES, set_key, set_key, encrypt, decrypt};

/* Words are rotated by secrets, which processors without a barrel shifter do bit by bit. */
#define ROWS(name, key_bytes) \
    ECB_ROWS(name, key_bytes, BLOCK_BYTES, ciphermark_rc6_reference, RC6_SCHEDULE_BYTES, \
             CIPHERMARK_VARIABLE_TIME, "reference")

static const row rows[] = {
    ROWS("rc6-32-20-16-ecb", 16), ROWS("rc6-32-20-24-ecb", 24), ROWS("rc6-32-20-32-ecb", 32)};

KERNELS(ciphermark_rc6_reference_rows, rows);
