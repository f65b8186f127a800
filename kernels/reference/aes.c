/* AES (FIPS 197), byte by byte. */
#include "aes.h"

#include "aes_sbox.h"
#include "ciphers.h"
#include "ecb.h"
#include "table.h"
#include "words.h"

#define BLOCK_BYTES 16

#define ITSELF(value) value
static const uint8_t INVERSE_SBOX[256] IN_FLASH = {AES_INVERSE_SBOX(ITSELF)};

struct schedule {
    uint8_t keys[15][BLOCK_BYTES];
    uint8_t rounds;
};

typedef char schedule_has_its_size[sizeof(struct schedule) == AES_SCHEDULE_BYTES ? 1 : -1];

/* Multiplication by x (section 4.2.1). */
static uint8_t times_x(uint8_t a)
{
    return (uint8_t)((unsigned)a << 1 ^ (0x1bu & (0u - (a >> 7))));
}

/* Section 5.2: four bytes after four bytes. */
void ciphermark_aes_expand_key(uint8_t *keys, const uint8_t *key, size_t key_bytes,
                               void (*substitute_word)(uint8_t word[4]))
{
    const size_t keys_bytes = BLOCK_BYTES * (key_bytes / 4 + 7);
    uint8_t constant = 1;
    size_t i, of_key; /* i mod key_bytes */
    memcpy(keys, key, key_bytes);
    for (i = key_bytes, of_key = 0; i < keys_bytes; i += 4) {
        const uint8_t *before = keys + i - 4;
        uint8_t word[4] = {before[0], before[1], before[2], before[3]};
        if (of_key == 0) {
            const uint8_t rotated[4] = {before[1], before[2], before[3], before[0]};
            memcpy(word, rotated, 4);
            substitute_word(word);
            word[0] ^= constant;
            constant = times_x(constant);
        } else if (key_bytes == 32 && of_key == 16) {
            substitute_word(word);
        }
        xor_bytes(keys + i, keys + i - key_bytes, word, 4);
        of_key = of_key + 4 < key_bytes ? of_key + 4 : 0;
    }
}

static void substitute_word(uint8_t word[4])
{
    unsigned i;
    for (i = 0; i < 4; i++)
        word[i] = flash8(&ciphermark_aes_sbox[word[i]]);
}

static void set_key(void *context, const uint8_t *key, size_t key_bytes)
{
    struct schedule *schedule = context;
    schedule->rounds = (uint8_t)(key_bytes / 4 + 6);
    ciphermark_aes_expand_key(schedule->keys[0], key, key_bytes, substitute_word);
}

/*
 * Sections 5.1.1 and 5.1.2: the byte of row r and column c, which is number 4c + r, comes from
 * column c + r. With i = 4c + r that is number 4(c + r) + r, which modulo 16 is 5i.
 */
static void substitute_and_shift(uint8_t state[BLOCK_BYTES])
{
    uint8_t before[BLOCK_BYTES];
    unsigned i;
    memcpy(before, state, BLOCK_BYTES);
    for (i = 0; i < BLOCK_BYTES; i++)
        state[i] = flash8(&ciphermark_aes_sbox[before[5 * i % 16]]);
}

/* Section 5.1.3: each byte is 2a + 3b + c + d of its column, b, c and d being those below it. */
static void mix_columns(uint8_t state[BLOCK_BYTES])
{
    uint8_t *column;
    unsigned i;
    for (column = state; column < state + BLOCK_BYTES; column += 4) {
        const uint8_t first = column[0];
        const uint8_t all = (uint8_t)(column[0] ^ column[1] ^ column[2] ^ column[3]);
        for (i = 0; i < 4; i++) {
            const uint8_t below = i < 3 ? column[i + 1] : first;
            column[i] = (uint8_t)(column[i] ^ all ^ times_x((uint8_t)(column[i] ^ below)));
        }
    }
}

/* Sections 5.3.1 and 5.3.2. */
static void unshift_and_substitute(uint8_t state[BLOCK_BYTES])
{
    uint8_t before[BLOCK_BYTES];
    unsigned i;
    memcpy(before, state, BLOCK_BYTES);
    for (i = 0; i < BLOCK_BYTES; i++)
        state[5 * i % 16] = flash8(&INVERSE_SBOX[before[i]]);
}

/* Section 5.3.3: 14a + 11b + 13c + 9d is 2a + 3b + c + d of 5a + 4c, and so on down the column. */
static void unmix_columns(uint8_t state[BLOCK_BYTES])
{
    uint8_t *column;
    for (column = state; column < state + BLOCK_BYTES; column += 4) {
        const uint8_t even = times_x(times_x((uint8_t)(column[0] ^ column[2])));
        const uint8_t odd = times_x(times_x((uint8_t)(column[1] ^ column[3])));
        column[0] ^= even;
        column[1] ^= odd;
        column[2] ^= even;
        column[3] ^= odd;
    }
    mix_columns(state);
}

/* Section 5.1. */
static void encrypt_block(const struct schedule *schedule, uint8_t *output, const uint8_t *input)
{
    uint8_t state[BLOCK_BYTES];
    unsigned round;
    xor_bytes(state, input, schedule->keys[0], BLOCK_BYTES);
    for (round = 1; round < schedule->rounds; round++) {
        substitute_and_shift(state);
        mix_columns(state);
        xor_bytes(state, state, schedule->keys[round], BLOCK_BYTES);
    }
    substitute_and_shift(state);
    xor_bytes(output, state, schedule->keys[round], BLOCK_BYTES);
}

/* Section 5.3. */
static void decrypt_block(const struct schedule *schedule, uint8_t *output, const uint8_t *input)
{
    uint8_t state[BLOCK_BYTES];
    unsigned round = schedule->rounds;
    xor_bytes(state, input, schedule->keys[round], BLOCK_BYTES);
    while (--round > 0) {
        unshift_and_substitute(state);
        xor_bytes(state, state, schedule->keys[round], BLOCK_BYTES);
        unmix_columns(state);
    }
    unshift_and_substitute(state);
    xor_bytes(output, state, schedule->keys[0], BLOCK_BYTES);
}

BLOCK_BY_BLOCK(encrypt, encrypt_block, BLOCK_BYTES)
BLOCK_BY_BLOCK(decrypt, decrypt_block, BLOCK_BYTES)

const struct block_cipher ciphermark_aes_reference = {
    BLOCK_BYTES, AES_SCHEDULE_BYTES, set_key, set_key, encrypt, decrypt};

#define ROWS(name, key_bytes) \
    ECB_ROWS(name, key_bytes, BLOCK_BYTES, ciphermark_aes_reference, AES_SCHEDULE_BYTES, \
             CIPHERMARK_VARIABLE_TIME, "reference")

static const row rows[] = {
    ROWS("aes-128-ecb", 16), ROWS("aes-192-ecb", 24), ROWS("aes-256-ecb", 32)};

KERNELS(ciphermark_aes_reference_rows, rows);
