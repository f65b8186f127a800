/* AES (FIPS 197), byte by byte. */
#include "aes_sbox.h"
#include "ciphers.h"
#include "ecb.h"
#include "table.h"
#include "words.h"

#define BLOCK_BYTES 16

#define ENTRY(s) s,
static const uint8_t INVERSE_SBOX[256] IN_FLASH = {AES_INVERSE_SBOX(ENTRY)};
/* Section 5.1.1, figure 7. */
#define ITSELF(value) value
static const uint8_t SBOX[256] IN_FLASH = {AES_SBOX(ITSELF)};

/* Section 5.3.2, figure 14. */
static const uint8_t INVERSE_SBOX[256] IN_FLASH = {
    0x52, 0x09, 0x6a, 0xd5, 0x30, 0x36, 0xa5, 0x38, 0xbf, 0x40, 0xa3, 0x9e, 0x81, 0xf3, 0xd7, 0xfb,
    0x7c, 0xe3, 0x39, 0x82, 0x9b, 0x2f, 0xff, 0x87, 0x34, 0x8e, 0x43, 0x44, 0xc4, 0xde, 0xe9, 0xcb,
    0x54, 0x7b, 0x94, 0x32, 0xa6, 0xc2, 0x23, 0x3d, 0xee, 0x4c, 0x95, 0x0b, 0x42, 0xfa, 0xc3, 0x4e,
    0x08, 0x2e, 0xa1, 0x66, 0x28, 0xd9, 0x24, 0xb2, 0x76, 0x5b, 0xa2, 0x49, 0x6d, 0x8b, 0xd1, 0x25,
    0x72, 0xf8, 0xf6, 0x64, 0x86, 0x68, 0x98, 0x16, 0xd4, 0xa4, 0x5c, 0xcc, 0x5d, 0x65, 0xb6, 0x92,
    0x6c, 0x70, 0x48, 0x50, 0xfd, 0xed, 0xb9, 0xda, 0x5e, 0x15, 0x46, 0x57, 0xa7, 0x8d, 0x9d, 0x84,
    0x90, 0xd8, 0xab, 0x00, 0x8c, 0xbc, 0xd3, 0x0a, 0xf7, 0xe4, 0x58, 0x05, 0xb8, 0xb3, 0x45, 0x06,
    0xd0, 0x2c, 0x1e, 0x8f, 0xca, 0x3f, 0x0f, 0x02, 0xc1, 0xaf, 0xbd, 0x03, 0x01, 0x13, 0x8a, 0x6b,
    0x3a, 0x91, 0x11, 0x41, 0x4f, 0x67, 0xdc, 0xea, 0x97, 0xf2, 0xcf, 0xce, 0xf0, 0xb4, 0xe6, 0x73,
    0x96, 0xac, 0x74, 0x22, 0xe7, 0xad, 0x35, 0x85, 0xe2, 0xf9, 0x37, 0xe8, 0x1c, 0x75, 0xdf, 0x6e,
    0x47, 0xf1, 0x1a, 0x71, 0x1d, 0x29, 0xc5, 0x89, 0x6f, 0xb7, 0x62, 0x0e, 0xaa, 0x18, 0xbe, 0x1b,
    0xfc, 0x56, 0x3e, 0x4b, 0xc6, 0xd2, 0x79, 0x20, 0x9a, 0xdb, 0xc0, 0xfe, 0x78, 0xcd, 0x5a, 0xf4,
    0x1f, 0xdd, 0xa8, 0x33, 0x88, 0x07, 0xc7, 0x31, 0xb1, 0x12, 0x10, 0x59, 0x27, 0x80, 0xec, 0x5f,
    0x60, 0x51, 0x7f, 0xa9, 0x19, 0xb5, 0x4a, 0x0d, 0x2d, 0xe5, 0x7a, 0x9f, 0x93, 0xc9, 0x9c, 0xef,
    0xa0, 0xe0, 0x3b, 0x4d, 0xae, 0x2a, 0xf5, 0xb0, 0xc8, 0xeb, 0xbb, 0x3c, 0x83, 0x53, 0x99, 0x61,
    0x17, 0x2b, 0x04, 0x7e, 0xba, 0x77, 0xd6, 0x26, 0xe1, 0x69, 0x14, 0x63, 0x55, 0x21, 0x0c, 0x7d,
};

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
static void set_key(void *context, const uint8_t *key, size_t key_bytes)
{
    struct schedule *schedule = context;
    uint8_t *w = schedule->keys[0], constant = 1;
    size_t i, j;
    schedule->rounds = (uint8_t)(key_bytes / 4 + 6);
    memcpy(w, key, key_bytes);
    for (i = key_bytes; i < BLOCK_BYTES * (schedule->rounds + 1u); i += 4) {
        const uint8_t *before = w + i - 4;
        uint8_t word[4] = {before[0], before[1], before[2], before[3]};
        if (i % key_bytes == 0) {
            word[0] = (uint8_t)(flash8(&ciphermark_aes_sbox[before[1]]) ^ constant);
            word[1] = flash8(&ciphermark_aes_sbox[before[2]]);
            word[2] = flash8(&ciphermark_aes_sbox[before[3]]);
            word[3] = flash8(&ciphermark_aes_sbox[before[0]]);
            constant = times_x(constant);
        } else if (key_bytes == 32 && i % key_bytes == 16) {
            for (j = 0; j < 4; j++)
                word[j] = flash8(&ciphermark_aes_sbox[before[j]]);
        }
        xor_bytes(w + i, w + i - key_bytes, word, 4);
    }
}

/* Sections 5.1.1 and 5.1.2: the byte of row r and column c comes from column c + r. */
static void substitute_and_shift(uint8_t state[BLOCK_BYTES])
{
    uint8_t before[BLOCK_BYTES];
    unsigned i;
    memcpy(before, state, BLOCK_BYTES);
    for (i = 0; i < BLOCK_BYTES; i++)
        state[i] = flash8(&ciphermark_aes_sbox[before[(i + 4 * (i % 4)) % 16]]);
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
        state[(i + 4 * (i % 4)) % 16] = flash8(&INVERSE_SBOX[before[i]]);
}

/* Section 5.3.3: 14a + 11b + 13c + 9d is (2a + 3b + c + d) of 5a + 4c, and so on round the column. */
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

static void encrypt(const void *schedule, uint8_t *output, const uint8_t *input, size_t blocks)
{
    for (; blocks > 0; blocks--, output += BLOCK_BYTES, input += BLOCK_BYTES)
        encrypt_block(schedule, output, input);
}

static void decrypt(const void *schedule, uint8_t *output, const uint8_t *input, size_t blocks)
{
    for (; blocks > 0; blocks--, output += BLOCK_BYTES, input += BLOCK_BYTES)
        decrypt_block(schedule, output, input);
}

const struct block_cipher ciphermark_aes_reference = {
    BLOCK_BYTES, AES_SCHEDULE_BYTES, set_key, set_key, encrypt, decrypt};

#define ROWS(name, key_bytes) \
    ECB_ROWS(name, key_bytes, BLOCK_BYTES, ciphermark_aes_reference, AES_SCHEDULE_BYTES, \
             CIPHERMARK_VARIABLE_TIME, "reference")

static const row rows[] = {
    ROWS("aes-128-ecb", 16), ROWS("aes-192-ecb", 24), ROWS("aes-256-ecb", 32)};

KERNELS(ciphermark_aes_reference_rows, rows);
