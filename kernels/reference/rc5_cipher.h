/*
 * RC5-32 (Rivest, The RC5 Encryption Algorithm, 1994) as a template. Before a file includes it, it
 * defines RC5_ROUNDS, which is a constant of the code so that compilers can unroll by it, and
 * RC5_REFERENCE, the name of the cipher that this makes.
 */
#include "ciphers.h"
#include "ecb.h"
#include "rc5.h"
#include "rc_key.h"
#include "words.h"

#define BLOCK_BYTES 8
#define KEY_WORDS (2 * RC5_ROUNDS + 2)
#define SCHEDULE_BYTES RC5_SCHEDULE_BYTES(RC5_ROUNDS)

typedef char schedule_has_its_size[4 * KEY_WORDS == SCHEDULE_BYTES ? 1 : -1];

static void set_key(void *schedule, const uint8_t *key, size_t key_bytes)
{
    ciphermark_rc_expand_key(schedule, KEY_WORDS, key, key_bytes);
}

/* Section 4.1. */
static void encrypt_block(const uint32_t S[KEY_WORDS], uint8_t *output, const uint8_t *input)
{
    uint32_t A = load_le32(input) + S[0], B = load_le32(input + 4) + S[1];
    unsigned i;
    for (i = 1; i <= RC5_ROUNDS; i++)
        rc5_round(&A, &B, S + 2 * i);
    store_le32(output, A);
    store_le32(output + 4, B);
}

/* Section 4.2. */
static void decrypt_block(const uint32_t S[KEY_WORDS], uint8_t *output, const uint8_t *input)
{
    uint32_t A = load_le32(input), B = load_le32(input + 4);
    unsigned i;
    for (i = RC5_ROUNDS; i >= 1; i--)
        rc5_inverse_round(&A, &B, S + 2 * i);
    store_le32(output, A - S[0]);
    store_le32(output + 4, B - S[1]);
}

BLOCK_BY_BLOCK(encrypt, encrypt_block, BLOCK_BYTES)
BLOCK_BY_BLOCK(decrypt, decrypt_block, BLOCK_BYTES)

const struct block_cipher RC5_REFERENCE = {
    BLOCK_BYTES, SCHEDULE_BYTES, set_key, set_key, encrypt, decrypt};

/* Words are rotated by secrets, which processors without a barrel shifter do bit by bit. */
#define ROWS(name, key_bytes) \
    ECB_ROWS(name, key_bytes, BLOCK_BYTES, RC5_REFERENCE, SCHEDULE_BYTES, \
             CIPHERMARK_VARIABLE_TIME, "reference")
