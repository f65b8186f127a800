/*
 * AES by tables (Daemen and Rijmen: AES proposal Rijndael, 1999, section 5.2.1): an entry is what
 * SubBytes and MixColumns make of one byte. Words are the columns of the state, row 0 in the low
 * byte.
 */
#include "aes_sbox.h"
#include "ciphers.h"
#include "ecb.h"
#include "fast_ciphers.h"
#include "words.h"

#define BLOCK_BYTES 16

/* Multiplication by x, x^2 and x^3 modulo x^8 + x^4 + x^3 + x + 1, of constants. */
#define TIMES_X(a) ((a) << 1 ^ ((a) >> 7) * 0x11b)
#define TIMES_X2(a) ((a) << 2 ^ ((a) >> 6 & 1) * 0x11b ^ ((a) >> 7) * 0x236)
#define TIMES_X3(a) \
    ((a) << 3 ^ ((a) >> 5 & 1) * 0x11b ^ ((a) >> 6 & 1) * 0x236 ^ ((a) >> 7) * 0x46c)

#define COLUMN(a, b, c, d) \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

/* A byte of row 0, 1, 2 or 3 in MixColumns (FIPS 197, 5.1.3). */
#define MIX0(s) COLUMN(TIMES_X(s), s, s, TIMES_X(s) ^ (s))
#define MIX1(s) COLUMN(TIMES_X(s) ^ (s), TIMES_X(s), s, s)
#define MIX2(s) COLUMN(s, TIMES_X(s) ^ (s), TIMES_X(s), s)
#define MIX3(s) COLUMN(s, s, TIMES_X(s) ^ (s), TIMES_X(s))

static const uint32_t MIXED[4][256] = {
    {AES_SBOX(MIX0)}, {AES_SBOX(MIX1)}, {AES_SBOX(MIX2)}, {AES_SBOX(MIX3)}};

/* The same in InvMixColumns (FIPS 197, 5.3.3). */
#define TIMES_9(s) (TIMES_X3(s) ^ (s))
#define TIMES_11(s) (TIMES_X3(s) ^ TIMES_X(s) ^ (s))
#define TIMES_13(s) (TIMES_X3(s) ^ TIMES_X2(s) ^ (s))
#define TIMES_14(s) (TIMES_X3(s) ^ TIMES_X2(s) ^ TIMES_X(s))
#define UNMIX0(s) COLUMN(TIMES_14(s), TIMES_9(s), TIMES_13(s), TIMES_11(s))
#define UNMIX1(s) COLUMN(TIMES_11(s), TIMES_14(s), TIMES_9(s), TIMES_13(s))
#define UNMIX2(s) COLUMN(TIMES_13(s), TIMES_11(s), TIMES_14(s), TIMES_9(s))
#define UNMIX3(s) COLUMN(TIMES_9(s), TIMES_13(s), TIMES_11(s), TIMES_14(s))

static const uint32_t UNMIXED[4][256] = {{AES_INVERSE_SBOX(UNMIX0)},
                                         {AES_INVERSE_SBOX(UNMIX1)},
                                         {AES_INVERSE_SBOX(UNMIX2)},
                                         {AES_INVERSE_SBOX(UNMIX3)}};

#define ITSELF(value) value
static const uint8_t SBOX[256] = {AES_SBOX(ITSELF)};
static const uint8_t INVERSE_SBOX[256] = {AES_INVERSE_SBOX(ITSELF)};

struct schedule {
    uint32_t keys[15][4]; /* in the order of use */
    uint32_t rounds;
};

typedef char schedule_has_its_size[sizeof(struct schedule) == AES_TABLE_SCHEDULE_BYTES ? 1 : -1];

static void set_encrypt_key(void *context, const uint8_t *key, size_t key_bytes)
{
    struct schedule *schedule = context;
    uint8_t bytes[AES_SCHEDULE_BYTES];
    size_t i;
    ciphermark_aes_reference.set_encrypt_key(bytes, key, key_bytes);
    schedule->rounds = (uint32_t)(key_bytes / 4 + 6);
    for (i = 0; i < 4 * (schedule->rounds + 1); i++)
        schedule->keys[i / 4][i % 4] = load_le32(bytes + 4 * i);
}

/* InvMixColumns; the S-box undoes the inverse S-box that is in the tables. */
static uint32_t unmix_column(uint32_t column)
{
    return UNMIXED[0][SBOX[column & 0xff]] ^
           UNMIXED[1][SBOX[column >> 8 & 0xff]] ^
           UNMIXED[2][SBOX[column >> 16 & 0xff]] ^
           UNMIXED[3][SBOX[column >> 24]];
}

/* The equivalent inverse cipher (FIPS 197, 5.3.5): keys backwards, all but the outer unmixed. */
static void set_decrypt_key(void *context, const uint8_t *key, size_t key_bytes)
{
    struct schedule *schedule = context, forwards;
    size_t round, i;
    set_encrypt_key(&forwards, key, key_bytes);
    schedule->rounds = forwards.rounds;
    for (round = 0; round <= forwards.rounds; round++) {
        const uint32_t *from = forwards.keys[forwards.rounds - round];
        for (i = 0; i < 4; i++)
            schedule->keys[round][i] =
                round == 0 || round == forwards.rounds ? from[i] : unmix_column(from[i]);
    }
}

/* A state, by value and not as an array, so that compilers keep it in registers. */
struct state {
    uint32_t c0, c1, c2, c3; /* columns */
};

/* The column that comes of bytes of four columns, one of each row. */
static inline uint32_t look_up(const uint32_t tables[4][256], uint32_t row0, uint32_t row1,
                               uint32_t row2, uint32_t row3)
{
    return tables[0][row0 & 0xff] ^ tables[1][row1 >> 8 & 0xff] ^ tables[2][row2 >> 16 & 0xff] ^
           tables[3][row3 >> 24];
}

/* The same in the last round, which does not mix. */
static inline uint32_t look_up_last(const uint8_t sbox[256], uint32_t row0, uint32_t row1,
                                    uint32_t row2, uint32_t row3)
{
    return COLUMN(sbox[row0 & 0xff], sbox[row1 >> 8 & 0xff], sbox[row2 >> 16 & 0xff],
                  sbox[row3 >> 24]);
}

static inline struct state add_key(struct state x, const uint32_t key[4])
{
    const struct state y = {x.c0 ^ key[0], x.c1 ^ key[1], x.c2 ^ key[2], x.c3 ^ key[3]};
    return y;
}

/* A round takes the bytes of a column from columns further and further on, or back. */
#define ENCRYPTION(name, look, table) \
    static inline struct state name(struct state x, const uint32_t key[4]) \
    { \
        const struct state y = { \
            look(table, x.c0, x.c1, x.c2, x.c3), look(table, x.c1, x.c2, x.c3, x.c0), \
            look(table, x.c2, x.c3, x.c0, x.c1), look(table, x.c3, x.c0, x.c1, x.c2)}; \
        return add_key(y, key); \
    }

#define DECRYPTION(name, look, table) \
    static inline struct state name(struct state x, const uint32_t key[4]) \
    { \
        const struct state y = { \
            look(table, x.c0, x.c3, x.c2, x.c1), look(table, x.c1, x.c0, x.c3, x.c2), \
            look(table, x.c2, x.c1, x.c0, x.c3), look(table, x.c3, x.c2, x.c1, x.c0)}; \
        return add_key(y, key); \
    }

ENCRYPTION(encrypt_round, look_up, MIXED)
ENCRYPTION(encrypt_last_round, look_up_last, SBOX)
DECRYPTION(decrypt_round, look_up, UNMIXED)
DECRYPTION(decrypt_last_round, look_up_last, INVERSE_SBOX)

static inline struct state load_block(const uint8_t *input)
{
    const struct state x = {load_le32(input), load_le32(input + 4), load_le32(input + 8),
                            load_le32(input + 12)};
    return x;
}

/* Stores pairs of columns, so that the next block of a chain can load them at once. */
static inline void store_block(uint8_t *output, struct state x)
{
    store_le64(output, (uint64_t)x.c1 << 32 | x.c0);
    store_le64(output + 8, (uint64_t)x.c3 << 32 | x.c2);
}

static void encrypt_block(const struct schedule *schedule, uint8_t *output, const uint8_t *input)
{
    const uint32_t(*key)[4] = schedule->keys, (*const last)[4] = key + schedule->rounds;
    struct state x = add_key(load_block(input), *key);
    while (++key < last)
        x = encrypt_round(x, *key);
    store_block(output, encrypt_last_round(x, *key));
}

static void decrypt_block(const struct schedule *schedule, uint8_t *output, const uint8_t *input)
{
    const uint32_t(*key)[4] = schedule->keys, (*const last)[4] = key + schedule->rounds;
    struct state x = add_key(load_block(input), *key);
    while (++key < last)
        x = decrypt_round(x, *key);
    store_block(output, decrypt_last_round(x, *key));
}

BLOCK_BY_BLOCK(encrypt, encrypt_block, BLOCK_BYTES)
BLOCK_BY_BLOCK(decrypt, decrypt_block, BLOCK_BYTES)

const struct block_cipher ciphermark_aes_table = {
    BLOCK_BYTES, AES_TABLE_SCHEDULE_BYTES, set_encrypt_key, set_decrypt_key, encrypt, decrypt};

#define ROWS(name, key_bytes) \
    ECB_ROWS(name, key_bytes, BLOCK_BYTES, ciphermark_aes_table, AES_TABLE_SCHEDULE_BYTES, \
             CIPHERMARK_VARIABLE_TIME, "table")

static const row rows[] = {
    ROWS("aes-128-ecb", 16), ROWS("aes-192-ecb", 24), ROWS("aes-256-ecb", 32)};

KERNELS(ciphermark_aes_table_rows, rows);
