/*
 * Twofish with full keying (Schneier et al., 1998, section 5.1): the schedule holds, for each byte
 * of the input of g, what the keyed S-box and the MDS matrix make of it.
 */
#include "twofish.h"

#include "ciphers.h"
#include "ecb.h"
#include "fast_ciphers.h"
#include "twofish_tables.h"
#include "words.h"

#define BLOCK_BYTES 16

#define ITSELF(value) value
static const uint8_t Q0[256] = {TWOFISH_Q0(ITSELF)};
static const uint8_t Q1[256] = {TWOFISH_Q1(ITSELF)};

/*
 * The MDS matrix (section 4.2) multiplies by 0x5B = 1 + x^-2 and 0xEF = 1 + x^-1 + x^-2 modulo
 * x^8 + x^6 + x^5 + x^3 + 1, of constants.
 */
#define OVER_X(a) ((a) >> 1 ^ ((a) & 1) * 0xb4)
#define OVER_X2(a) ((a) >> 2 ^ ((a) >> 1 & 1) * 0xb4 ^ ((a) & 1) * 0x5a)
#define TIMES_5B(a) ((a) ^ OVER_X2(a))
#define TIMES_EF(a) ((a) ^ OVER_X(a) ^ OVER_X2(a))
#define COLUMN(a, b, c, d) \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

/* The columns of the matrix, of what the last permutation of each byte (section 4.3.2) gives. */
#define MIX0(q) COLUMN(q, TIMES_5B(q), TIMES_EF(q), TIMES_EF(q))
#define MIX1(q) COLUMN(TIMES_EF(q), TIMES_EF(q), TIMES_5B(q), q)
#define MIX2(q) COLUMN(TIMES_5B(q), TIMES_EF(q), q, TIMES_EF(q))
#define MIX3(q) COLUMN(TIMES_5B(q), q, TIMES_EF(q), TIMES_5B(q))

static const uint32_t MIXED[4][256] = {
    {TWOFISH_Q1(MIX0)}, {TWOFISH_Q0(MIX1)}, {TWOFISH_Q1(MIX2)}, {TWOFISH_Q0(MIX3)}};

struct schedule {
    uint32_t keys[40];
    uint32_t g[4][256];
};

typedef char schedule_has_its_size
    [sizeof(struct schedule) == TWOFISH_TABLE_SCHEDULE_BYTES ? 1 : -1];

/* Section 4.3.2, for the byte x at all four places. */
static void fill(uint32_t g[4][256], const struct twofish_schedule *parts, unsigned x)
{
    const uint8_t *s0 = parts->s[0], *s1 = parts->s[1], *s2 = parts->s[2], *s3 = parts->s[3];
    uint8_t y[4] = {(uint8_t)x, (uint8_t)x, (uint8_t)x, (uint8_t)x};
    if (parts->k == 4) {
        y[0] = (uint8_t)(Q1[y[0]] ^ s3[0]);
        y[1] = (uint8_t)(Q0[y[1]] ^ s3[1]);
        y[2] = (uint8_t)(Q0[y[2]] ^ s3[2]);
        y[3] = (uint8_t)(Q1[y[3]] ^ s3[3]);
    }
    if (parts->k >= 3) {
        y[0] = (uint8_t)(Q1[y[0]] ^ s2[0]);
        y[1] = (uint8_t)(Q1[y[1]] ^ s2[1]);
        y[2] = (uint8_t)(Q0[y[2]] ^ s2[2]);
        y[3] = (uint8_t)(Q0[y[3]] ^ s2[3]);
    }
    g[0][x] = MIXED[0][Q0[Q0[y[0]] ^ s1[0]] ^ s0[0]];
    g[1][x] = MIXED[1][Q0[Q1[y[1]] ^ s1[1]] ^ s0[1]];
    g[2][x] = MIXED[2][Q1[Q0[y[2]] ^ s1[2]] ^ s0[2]];
    g[3][x] = MIXED[3][Q1[Q1[y[3]] ^ s1[3]] ^ s0[3]];
}

static void set_key(void *context, const uint8_t *key, size_t key_bytes)
{
    struct schedule *schedule = context;
    struct twofish_schedule parts;
    unsigned x;
    ciphermark_twofish_set_key(&parts, key, key_bytes);
    memcpy(schedule->keys, parts.keys, sizeof schedule->keys);
    for (x = 0; x < 256; x++)
        fill(schedule->g, &parts, x);
}

/* Section 4.3.4. */
static inline uint32_t g(const struct schedule *schedule, uint32_t x)
{
    return schedule->g[0][x & 0xff] ^ schedule->g[1][x >> 8 & 0xff] ^
           schedule->g[2][x >> 16 & 0xff] ^ schedule->g[3][x >> 24];
}

/* g of x rotated left by 8. */
static inline uint32_t g_rotated(const struct schedule *schedule, uint32_t x)
{
    return schedule->g[1][x & 0xff] ^ schedule->g[2][x >> 8 & 0xff] ^
           schedule->g[3][x >> 16 & 0xff] ^ schedule->g[0][x >> 24];
}

/* One round: the half a, b goes through F and changes the half c, d (section 4.1). */
static inline void encrypt_round(const struct schedule *schedule, const uint32_t key[2],
                                 uint32_t a, uint32_t b, uint32_t *c, uint32_t *d)
{
    const uint32_t t1 = g_rotated(schedule, b), sum = g(schedule, a) + t1;
    *c = rotate_right32(*c ^ (sum + key[0]), 1);
    *d = rotate_left32(*d, 1) ^ (sum + t1 + key[1]);
}

static inline void decrypt_round(const struct schedule *schedule, const uint32_t key[2],
                                 uint32_t a, uint32_t b, uint32_t *c, uint32_t *d)
{
    const uint32_t t1 = g_rotated(schedule, b), sum = g(schedule, a) + t1;
    *c = rotate_left32(*c, 1) ^ (sum + key[0]);
    *d = rotate_right32(*d ^ (sum + t1 + key[1]), 1);
}

static inline void load_block(uint32_t r[4], const uint8_t *input, const uint32_t *key)
{
    unsigned i;
    for (i = 0; i < 4; i++)
        r[i] = load_le32(input + 4 * i) ^ key[i];
}

/* Stores the halves swapped, in pairs, so that the next block of a chain can load them at once. */
static inline void store_block(uint8_t *output, const uint32_t r[4], const uint32_t *key)
{
    store_le64(output, (uint64_t)(r[3] ^ key[1]) << 32 | (r[2] ^ key[0]));
    store_le64(output + 8, (uint64_t)(r[1] ^ key[3]) << 32 | (r[0] ^ key[2]));
}

static void encrypt_block(const struct schedule *schedule, uint8_t *output, const uint8_t *input)
{
    const uint32_t *key = schedule->keys + 8;
    uint32_t r[4];
    unsigned round;
    load_block(r, input, schedule->keys);
    for (round = 0; round < TWOFISH_ROUNDS; round += 2, key += 4) {
        encrypt_round(schedule, key, r[0], r[1], &r[2], &r[3]);
        encrypt_round(schedule, key + 2, r[2], r[3], &r[0], &r[1]);
    }
    store_block(output, r, schedule->keys + 4);
}

static void decrypt_block(const struct schedule *schedule, uint8_t *output, const uint8_t *input)
{
    const uint32_t *key = schedule->keys + 40;
    uint32_t r[4];
    unsigned round;
    load_block(r, input, schedule->keys + 4);
    for (round = 0; round < TWOFISH_ROUNDS; round += 2) {
        key -= 4;
        decrypt_round(schedule, key + 2, r[0], r[1], &r[2], &r[3]);
        decrypt_round(schedule, key, r[2], r[3], &r[0], &r[1]);
    }
    store_block(output, r, schedule->keys);
}

BLOCK_BY_BLOCK(encrypt, encrypt_block, BLOCK_BYTES)
BLOCK_BY_BLOCK(decrypt, decrypt_block, BLOCK_BYTES)

const struct block_cipher ciphermark_twofish_table = {
    BLOCK_BYTES, TWOFISH_TABLE_SCHEDULE_BYTES, set_key, set_key, encrypt, decrypt};

#define ROWS(name, key_bytes) \
    ECB_ROWS(name, key_bytes, BLOCK_BYTES, ciphermark_twofish_table, \
             TWOFISH_TABLE_SCHEDULE_BYTES, CIPHERMARK_VARIABLE_TIME, "table")

static const row rows[] = {
    ROWS("twofish-128-ecb", 16), ROWS("twofish-192-ecb", 24), ROWS("twofish-256-ecb", 32)};

KERNELS(ciphermark_twofish_table_rows, rows);
