/*
 * Serpent (Anderson, Biham, Knudsen: Serpent, a proposal for the Advanced Encryption Standard,
 * 1998), four bits at a time.
 *
 * The block is four words, as in the paper's section on an efficient implementation: bits i of the
 * words X0 to X3 are the four bits that the S-box number i of a round takes, so there are no
 * initial and final permutations. Words are little-endian, the order of NESSIE and of other
 * libraries; the tables of the submission print blocks byte-reversed.
 */
#include "serpent.h"

#include "ciphers.h"
#include "ecb.h"
#include "table.h"
#include "words.h"

#define BLOCK_BYTES 16

typedef char schedule_has_its_size
    [sizeof(struct serpent_schedule) == SERPENT_SCHEDULE_BYTES ? 1 : -1];

/* Appendix A.5. */
static const uint8_t SBOXES[8][16] IN_FLASH = {
    {3, 8, 15, 1, 10, 6, 5, 11, 14, 13, 4, 2, 7, 0, 9, 12},
    {15, 12, 2, 7, 9, 0, 5, 10, 1, 11, 14, 8, 6, 13, 3, 4},
    {8, 6, 7, 9, 3, 12, 10, 15, 13, 1, 14, 4, 0, 11, 5, 2},
    {0, 15, 11, 8, 12, 9, 6, 3, 13, 1, 2, 4, 10, 7, 5, 14},
    {1, 15, 8, 3, 12, 0, 11, 6, 2, 5, 4, 10, 9, 14, 7, 13},
    {15, 5, 2, 11, 4, 10, 9, 12, 0, 3, 14, 8, 13, 6, 7, 1},
    {7, 2, 12, 5, 8, 4, 6, 11, 14, 9, 1, 15, 13, 3, 10, 0},
    {1, 13, 15, 0, 14, 8, 2, 11, 7, 4, 12, 10, 9, 3, 5, 6},
};

static const uint8_t INVERSE_SBOXES[8][16] IN_FLASH = {
    {13, 3, 11, 0, 10, 6, 5, 12, 1, 14, 4, 7, 15, 9, 8, 2},
    {5, 8, 2, 14, 15, 6, 12, 3, 11, 4, 7, 9, 1, 13, 10, 0},
    {12, 9, 15, 4, 11, 14, 1, 2, 0, 3, 6, 13, 5, 8, 10, 7},
    {0, 9, 10, 7, 11, 14, 6, 13, 3, 5, 12, 2, 4, 8, 15, 1},
    {5, 0, 8, 3, 10, 9, 7, 14, 2, 12, 11, 6, 4, 15, 13, 1},
    {8, 15, 2, 9, 4, 1, 13, 14, 11, 6, 5, 3, 7, 12, 10, 0},
    {15, 10, 1, 13, 5, 3, 6, 0, 4, 9, 14, 7, 2, 12, 8, 11},
    {3, 0, 6, 13, 9, 14, 15, 8, 5, 12, 11, 7, 10, 1, 4, 2},
};

/*
 * Substitutes each four bits that stand at one place of the four words. They leave the words at the
 * bottom and what becomes of them enters at the top: small processors shift by one place only.
 */
static void substitute(uint32_t x[4], const uint8_t sbox[16])
{
    unsigned place, i, bits;
    for (place = 0; place < 32; place++) {
        bits = 0;
        for (i = 0; i < 4; i++) {
            bits |= (unsigned)(x[i] & 1) << i;
            x[i] >>= 1;
        }
        bits = flash8(&sbox[bits]);
        for (i = 0; i < 4; i++)
            x[i] |= (uint32_t)(bits >> i & 1) << 31;
    }
}

static void xor_words(uint32_t x[4], const uint32_t key[4])
{
    unsigned i;
    for (i = 0; i < 4; i++)
        x[i] ^= key[i];
}

/* The linear transformation. */
static void transform(uint32_t x[4])
{
    x[0] = rotate_left32(x[0], 13);
    x[2] = rotate_left32(x[2], 3);
    x[1] ^= x[0] ^ x[2];
    x[3] ^= x[2] ^ x[0] << 3;
    x[1] = rotate_left32(x[1], 1);
    x[3] = rotate_left32(x[3], 7);
    x[0] ^= x[1] ^ x[3];
    x[2] ^= x[3] ^ x[1] << 7;
    x[0] = rotate_left32(x[0], 5);
    x[2] = rotate_left32(x[2], 22);
}

static void transform_back(uint32_t x[4])
{
    x[2] = rotate_right32(x[2], 22);
    x[0] = rotate_right32(x[0], 5);
    x[2] ^= x[3] ^ x[1] << 7;
    x[0] ^= x[1] ^ x[3];
    x[3] = rotate_right32(x[3], 7);
    x[1] = rotate_right32(x[1], 1);
    x[3] ^= x[2] ^ x[0] << 3;
    x[1] ^= x[0] ^ x[2];
    x[2] = rotate_right32(x[2], 3);
    x[0] = rotate_right32(x[0], 13);
}

/* A shorter key gets a one bit at its end, then zeros. The affine recurrence makes the rest. */
void ciphermark_serpent_prekeys(struct serpent_schedule *schedule, const uint8_t *key,
                                size_t key_bytes)
{
    const uint32_t phi = UINT32_C(0x9e3779b9); /* the fraction of the golden ratio */
    uint8_t padded[32] = {0};
    uint32_t recent[8]; /* w_(i-8) to w_(i-1), at their number modulo 8 */
    unsigned i;
    memcpy(padded, key, key_bytes);
    if (key_bytes < sizeof padded)
        padded[key_bytes] = 1;
    for (i = 0; i < 8; i++)
        recent[i] = load_le32(padded + 4 * i);
    for (i = 0; i < 4 * (SERPENT_ROUNDS + 1); i++) {
        const uint32_t sum =
            recent[i % 8] ^ recent[(i + 3) % 8] ^ recent[(i + 5) % 8] ^ recent[(i + 7) % 8];
        recent[i % 8] = rotate_left32(sum ^ phi ^ i, 11);
        schedule->keys[i / 4][i % 4] = recent[i % 8];
    }
}

/* K_i takes the S-box S_(3 - i mod 8). */
static void set_key(void *context, const uint8_t *key, size_t key_bytes)
{
    struct serpent_schedule *schedule = context;
    unsigned i;
    ciphermark_serpent_prekeys(schedule, key, key_bytes);
    for (i = 0; i <= SERPENT_ROUNDS; i++)
        substitute(schedule->keys[i], SBOXES[(35 - i) % 8]);
}

static void load_block(uint32_t x[4], const uint8_t *input)
{
    unsigned i;
    for (i = 0; i < 4; i++)
        x[i] = load_le32(input + 4 * i);
}

static void store_block(uint8_t *output, const uint32_t x[4])
{
    unsigned i;
    for (i = 0; i < 4; i++)
        store_le32(output + 4 * i, x[i]);
}

static void encrypt_block(const struct serpent_schedule *schedule, uint8_t *output,
                          const uint8_t *input)
{
    uint32_t x[4];
    unsigned round;
    load_block(x, input);
    for (round = 0; round < SERPENT_ROUNDS; round++) {
        if (round > 0)
            transform(x);
        xor_words(x, schedule->keys[round]);
        substitute(x, SBOXES[round % 8]);
    }
    xor_words(x, schedule->keys[SERPENT_ROUNDS]);
    store_block(output, x);
}

static void decrypt_block(const struct serpent_schedule *schedule, uint8_t *output,
                          const uint8_t *input)
{
    uint32_t x[4];
    unsigned round;
    load_block(x, input);
    xor_words(x, schedule->keys[SERPENT_ROUNDS]);
    for (round = SERPENT_ROUNDS; round-- > 0;) {
        substitute(x, INVERSE_SBOXES[round % 8]);
        xor_words(x, schedule->keys[round]);
        if (round > 0)
            transform_back(x);
    }
    store_block(output, x);
}

BLOCK_BY_BLOCK(encrypt, encrypt_block, BLOCK_BYTES)
BLOCK_BY_BLOCK(decrypt, decrypt_block, BLOCK_BYTES)

const struct block_cipher ciphermark_serpent_reference = {
    BLOCK_BYTES, SERPENT_SCHEDULE_BYTES, set_key, set_key, encrypt, decrypt};

#define ROWS(name, key_bytes) \
    ECB_ROWS(name, key_bytes, BLOCK_BYTES, ciphermark_serpent_reference, SERPENT_SCHEDULE_BYTES, \
             CIPHERMARK_VARIABLE_TIME, "reference")

static const row rows[] = {
    ROWS("serpent-128-ecb", 16), ROWS("serpent-192-ecb", 24), ROWS("serpent-256-ecb", 32)};

KERNELS(ciphermark_serpent_reference_rows, rows);
