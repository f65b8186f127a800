/*
 * KASUMI (3GPP TS 35.202) by tables.
 *
 * FI is two steps, each of one lookup of S9 and one of S7 that do not wait for each other. In the
 * words of the specification, a step makes of nine bits L and seven bits R
 *
 *     L' = S9[L] ^ R,   R' = S7[R] ^ (L' & 127) = S7[R] ^ R ^ (S9[L] & 127)
 *
 * so that (R', L') is an entry that depends on L, added to one that depends on R. Every value of 16
 * bits is held twice in a word of 32: its upper nine bits, or seven, are then one shift away, the
 * lower ones one mask, and a rotation of the word rotates the value.
 *
 * What bounds it is latency: each pair of rounds waits for three FI and four rotations in turn.
 */
#include "ciphers.h"
#include "ecb.h"
#include "f8f9.h"
#include "kasumi.h"
#include "words.h"

#define BLOCK_BYTES KASUMI_BLOCK_BYTES

/* The entries of nine bits L and of seven bits R, as values of 16 bits: R', then L'. */
#define NINE(s9) (((s9) & 0x7fu) << 9 | (s9))
#define SEVEN(r, s7) (((s7) ^ (r)) << 9 | (r))

/*
 * Between the steps, the lookups that follow take four cycles instead of five when offsets in bytes
 * need not be scaled: nine bits from bit 2 on, and seven bits from bit 25 on.
 */
#define SPREAD(value) ((uint32_t)((value) & 0xfe00u) << 16 | ((value) & 0x1ffu) << 2)
#define NINE_OFFSET(between) ((between) & 0x7fc)
#define SEVEN_OFFSET(between) ((between) >> 23)

#define FIRST_NINE(s9) SPREAD(NINE(s9))
#define FIRST_SEVEN(r, s7) SPREAD(SEVEN(r, s7))
static const uint32_t FIRST9[512] = {KASUMI_S9(FIRST_NINE)};
static const uint32_t FIRST7[128] = {KASUMI_S7(FIRST_SEVEN)};

#define TWICE(value) ((uint32_t)(value) << 16 | (value))
#define SECOND_NINE(s9) TWICE(NINE(s9))
#define SECOND_SEVEN(r, s7) TWICE(SEVEN(r, s7))
static const uint32_t SECOND9[512] = {KASUMI_S9(SECOND_NINE)};
static const uint32_t SECOND7[128] = {KASUMI_S7(SECOND_SEVEN)};

/* KL and KO twice in a word, KI spread. */
struct round_keys {
    uint32_t kl[2], ko[3], ki[3];
};

struct schedule {
    struct round_keys rounds[KASUMI_ROUNDS];
};

typedef char schedule_has_its_size[sizeof(struct schedule) == KASUMI_TABLE_SCHEDULE_BYTES ? 1 : -1];

/* Both parts of 32 bits, each twice in a word. */
struct half {
    uint32_t left, right;
};

static void set_key(void *context, const uint8_t *key, size_t key_bytes)
{
    struct schedule *schedule = context;
    struct kasumi_round_keys rounds[KASUMI_ROUNDS];
    unsigned i, j;
    (void)key_bytes;
    ciphermark_kasumi_set_key(rounds, key);
    for (i = 0; i < KASUMI_ROUNDS; i++) {
        for (j = 0; j < 2; j++)
            schedule->rounds[i].kl[j] = TWICE(rounds[i].kl[j]);
        for (j = 0; j < 3; j++) {
            schedule->rounds[i].ko[j] = TWICE(rounds[i].ko[j]);
            schedule->rounds[i].ki[j] = SPREAD(rounds[i].ki[j]);
        }
    }
}

static inline struct half sum(struct half one, struct half other)
{
    one.left ^= other.left;
    one.right ^= other.right;
    return one;
}

/* Section 4.2. */
static inline struct half fl(struct half x, const uint32_t kl[2])
{
    x.right ^= rotate_left32(x.left & kl[0], 1);
    x.left ^= rotate_left32(x.right | kl[1], 1);
    return x;
}

static inline uint32_t at(const uint32_t *table, uint32_t offset)
{
    uint32_t entry;
    memcpy(&entry, (const uint8_t *)table + offset, sizeof entry);
    return entry;
}

/* What nine bits and seven bits of a word give in both steps. */
static inline uint32_t first_s9(uint32_t x)
{
    return FIRST9[x >> 23];
}

static inline uint32_t first_s7(uint32_t x)
{
    return FIRST7[x & 0x7f];
}

static inline uint32_t second_s9(uint32_t between)
{
    return at(SECOND9, NINE_OFFSET(between));
}

static inline uint32_t second_s7(uint32_t between)
{
    return at(SECOND7, SEVEN_OFFSET(between));
}

/* Section 4.4. */
static inline uint32_t fi(uint32_t x, uint32_t ki)
{
    const uint32_t between = first_s9(x) ^ first_s7(x) ^ ki;
    return second_s9(between) ^ second_s7(between);
}

/* Section 4.3: the first two FI do not wait for each other. */
static inline struct half fo(struct half x, const uint32_t ko[3], const uint32_t ki[3])
{
    const uint32_t middle = fi(x.left ^ ko[0], ki[0]) ^ x.right;
    struct half y;
    y.left = fi(x.right ^ ko[1], ki[1]) ^ middle;
    y.right = fi(middle ^ ko[2], ki[2]) ^ y.left;
    return y;
}

/* Section 4.1. */
static inline struct half odd_round(struct half x, const struct round_keys *keys)
{
    return fo(fl(x, keys->kl), keys->ko, keys->ki);
}

static inline struct half even_round(struct half x, const struct round_keys *keys)
{
    return fl(fo(x, keys->ko, keys->ki), keys->kl);
}

static inline struct half load_half(const uint8_t *bytes)
{
    struct half half;
    half.left = TWICE((uint32_t)load_be16(bytes));
    half.right = TWICE((uint32_t)load_be16(bytes + 2));
    return half;
}

static inline uint32_t joined(struct half half)
{
    return (half.left & 0xffff0000) | (half.right & 0xffff);
}

/* As one word, which a mode that chains blocks can load at once. */
static inline void store_block(uint8_t *output, struct half left, struct half right)
{
    store_be64(output, (uint64_t)joined(left) << 32 | joined(right));
}

/* Section 3.2. */
static inline void encrypt_block(const struct schedule *schedule, uint8_t *output,
                                 const uint8_t *input)
{
    struct half left = load_half(input), right = load_half(input + 4);
    unsigned i;
    for (i = 0; i < KASUMI_ROUNDS; i += 2) {
        right = sum(right, odd_round(left, &schedule->rounds[i]));
        left = sum(left, even_round(right, &schedule->rounds[i + 1]));
    }
    store_block(output, left, right);
}

static inline void decrypt_block(const struct schedule *schedule, uint8_t *output,
                                 const uint8_t *input)
{
    struct half left = load_half(input), right = load_half(input + 4);
    unsigned i;
    for (i = KASUMI_ROUNDS; i > 0; i -= 2) {
        left = sum(left, even_round(right, &schedule->rounds[i - 1]));
        right = sum(right, odd_round(left, &schedule->rounds[i - 2]));
    }
    store_block(output, left, right);
}

BLOCK_BY_BLOCK(encrypt, encrypt_block, BLOCK_BYTES)
BLOCK_BY_BLOCK(decrypt, decrypt_block, BLOCK_BYTES)

const struct block_cipher ciphermark_kasumi_table = {
    BLOCK_BYTES, KASUMI_TABLE_SCHEDULE_BYTES, set_key, set_key, encrypt, decrypt};

static const row rows[] = {
    ECB_ROWS("kasumi-ecb", 16, BLOCK_BYTES, ciphermark_kasumi_table, KASUMI_TABLE_SCHEDULE_BYTES,
             CIPHERMARK_VARIABLE_TIME, "table"),
    F8F9_ROWS("uea1", "uia1", ciphermark_kasumi_table, KASUMI_TABLE_SCHEDULE_BYTES,
              CIPHERMARK_VARIABLE_TIME, "table"),
};

KERNELS(ciphermark_kasumi_table_rows, rows);
