/* KASUMI (3GPP TS 35.202). */
#include "ciphers.h"
#include "ecb.h"
#include "f8f9.h"
#include "kasumi.h"
#include "table.h"
#include "words.h"

#define BLOCK_BYTES KASUMI_BLOCK_BYTES

/* Section 4.5. */
#define VALUE(index, value) value
static const uint8_t S7[128] IN_FLASH = {KASUMI_S7(VALUE)};
#define ITSELF(value) value
static const uint16_t S9[512] IN_FLASH = {KASUMI_S9(ITSELF)};

static uint8_t s7(unsigned seven)
{
    return flash8(&S7[seven]);
}

static uint16_t s9(unsigned nine)
{
    return flash16(&S9[nine]);
}

/* Section 4.6, table 1: a constant for each 16 bits of the key. */
static const uint16_t CONSTANTS[8] IN_FLASH = {
    0x0123, 0x4567, 0x89ab, 0xcdef, 0xfedc, 0xba98, 0x7654, 0x3210};

struct schedule {
    struct kasumi_round_keys rounds[KASUMI_ROUNDS];
};

typedef char schedule_has_its_size[sizeof(struct schedule) == KASUMI_SCHEDULE_BYTES ? 1 : -1];

/* Section 4.6, table 2. */
void ciphermark_kasumi_set_key(struct kasumi_round_keys rounds[KASUMI_ROUNDS], const uint8_t *key)
{
    uint16_t k[8], changed[8];
    unsigned i;
    for (i = 0; i < 8; i++) {
        k[i] = load_be16(key + 2 * i);
        changed[i] = k[i] ^ flash16(&CONSTANTS[i]);
    }
    for (i = 0; i < 8; i++) {
        rounds[i].kl[0] = rotate_left16(k[i], 1);
        rounds[i].kl[1] = changed[(i + 2) % 8];
        rounds[i].ko[0] = rotate_left16(k[(i + 1) % 8], 5);
        rounds[i].ko[1] = rotate_left16(k[(i + 5) % 8], 8);
        rounds[i].ko[2] = rotate_left16(k[(i + 6) % 8], 13);
        rounds[i].ki[0] = changed[(i + 4) % 8];
        rounds[i].ki[1] = changed[(i + 3) % 8];
        rounds[i].ki[2] = changed[(i + 7) % 8];
    }
}

static void set_key(void *context, const uint8_t *key, size_t key_bytes)
{
    struct schedule *schedule = context;
    (void)key_bytes;
    ciphermark_kasumi_set_key(schedule->rounds, key);
}

/* Section 4.2. */
static uint32_t fl(uint32_t input, const uint16_t kl[2])
{
    uint16_t left = (uint16_t)(input >> 16), right = (uint16_t)input;
    right ^= rotate_left16(left & kl[0], 1);
    left ^= rotate_left16(right | kl[1], 1);
    return (uint32_t)left << 16 | right;
}

/* Section 4.4: nine bits and seven, which change places without moving. */
static uint16_t fi(uint16_t input, uint16_t ki)
{
    unsigned nine = input >> 7, seven = input & 0x7f;
    nine = s9(nine) ^ seven;
    seven = s7(seven) ^ (nine & 0x7f);
    seven ^= ki >> 9;
    nine ^= ki & 0x1ff;
    nine = s9(nine) ^ seven;
    seven = s7(seven) ^ (nine & 0x7f);
    return (uint16_t)(seven << 9 | nine);
}

/* Section 4.3. */
static uint32_t fo(uint32_t input, const uint16_t ko[3], const uint16_t ki[3])
{
    uint16_t left = (uint16_t)(input >> 16), right = (uint16_t)input, next;
    unsigned j;
    for (j = 0; j < 3; j++) {
        next = fi(left ^ ko[j], ki[j]) ^ right;
        left = right;
        right = next;
    }
    return (uint32_t)left << 16 | right;
}

/* Section 4.1; the first round is round 1. */
static uint32_t f(uint32_t input, const struct kasumi_round_keys *keys, unsigned round)
{
    if (round % 2 == 1)
        return fo(fl(input, keys->kl), keys->ko, keys->ki);
    return fl(fo(input, keys->ko, keys->ki), keys->kl);
}

/* Section 3.2: two rounds at a time, so that the halves need not change places. */
static void encrypt_block(const struct schedule *schedule, uint8_t *output, const uint8_t *input)
{
    uint32_t left = load_be32(input), right = load_be32(input + 4);
    unsigned round;
    for (round = 1; round <= 8; round += 2) {
        right ^= f(left, &schedule->rounds[round - 1], round);
        left ^= f(right, &schedule->rounds[round], round + 1);
    }
    store_be32(output, left);
    store_be32(output + 4, right);
}

/* The same rounds backwards. */
static void decrypt_block(const struct schedule *schedule, uint8_t *output, const uint8_t *input)
{
    uint32_t left = load_be32(input), right = load_be32(input + 4);
    unsigned round;
    for (round = 8; round > 0; round -= 2) {
        left ^= f(right, &schedule->rounds[round - 1], round);
        right ^= f(left, &schedule->rounds[round - 2], round - 1);
    }
    store_be32(output, left);
    store_be32(output + 4, right);
}

BLOCK_BY_BLOCK(encrypt, encrypt_block, BLOCK_BYTES)
BLOCK_BY_BLOCK(decrypt, decrypt_block, BLOCK_BYTES)

const struct block_cipher ciphermark_kasumi_reference = {
    BLOCK_BYTES, KASUMI_SCHEDULE_BYTES, set_key, set_key, encrypt, decrypt};

static const row rows[] = {
    ECB_ROWS("kasumi-ecb", 16, BLOCK_BYTES, ciphermark_kasumi_reference, KASUMI_SCHEDULE_BYTES,
             CIPHERMARK_VARIABLE_TIME, "reference"),
    F8F9_ROWS("uea1", "uia1", ciphermark_kasumi_reference, KASUMI_SCHEDULE_BYTES,
              CIPHERMARK_VARIABLE_TIME, "reference"),
};

KERNELS(ciphermark_kasumi_reference_rows, rows);
