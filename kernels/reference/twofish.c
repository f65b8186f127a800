/*
 * Twofish (Schneier, Kelsey, Whiting, Wagner, Hall, Ferguson: Twofish, a 128-bit block cipher,
 * 1998).
 */
#include "twofish.h"

#include "ciphers.h"
#include "ecb.h"
#include "table.h"
#include "twofish_tables.h"
#include "words.h"

#define BLOCK_BYTES 16

typedef char schedule_has_its_size
    [sizeof(struct twofish_schedule) == TWOFISH_SCHEDULE_BYTES ? 1 : -1];

#define ITSELF(value) value
static const uint8_t Q0[256] IN_FLASH = {TWOFISH_Q0(ITSELF)};
static const uint8_t Q1[256] IN_FLASH = {TWOFISH_Q1(ITSELF)};

static uint8_t q0(unsigned x)
{
    return flash8(&Q0[x]);
}

static uint8_t q1(unsigned x)
{
    return flash8(&Q1[x]);
}

/* The product of two polynomials modulo x^8 + (the polynomial of the bits of `low`). */
static uint8_t multiply(uint8_t a, uint8_t b, uint8_t low)
{
    uint8_t product = 0;
    for (; b != 0; b >>= 1) {
        if (b & 1)
            product ^= a;
        a = (uint8_t)((unsigned)a << 1 ^ (a & 0x80 ? low : 0u));
    }
    return product;
}

/* Section 4.2. */
static const uint8_t MDS[4][4] IN_FLASH = {
    {0x01, 0xEF, 0x5B, 0x5B},
    {0x5B, 0xEF, 0xEF, 0x01},
    {0xEF, 0x5B, 0x01, 0xEF},
    {0xEF, 0x01, 0xEF, 0x5B},
};
#define MDS_POLYNOMIAL 0x69 /* x^8 + x^6 + x^5 + x^3 + 1 */

/* Section 4.3. */
static const uint8_t RS[4][8] IN_FLASH = {
    {0x01, 0xA4, 0x55, 0x87, 0x5A, 0x58, 0xDB, 0x9E},
    {0xA4, 0x56, 0x82, 0xF3, 0x1E, 0xC6, 0x68, 0xE5},
    {0x02, 0xA1, 0xFC, 0xC1, 0x47, 0xAE, 0x3D, 0x19},
    {0xA4, 0x55, 0x87, 0x5A, 0x58, 0xDB, 0x9E, 0x03},
};
#define RS_POLYNOMIAL 0x4D /* x^8 + x^6 + x^3 + x^2 + 1 */

/* Section 4.2: z = MDS y. */
static uint32_t mix(const uint8_t y[4])
{
    uint8_t z[4] = {0};
    unsigned row, column;
    for (row = 0; row < 4; row++) {
        for (column = 0; column < 4; column++)
            z[row] ^= multiply(y[column], flash8(&MDS[row][column]), MDS_POLYNOMIAL);
    }
    return load_le32(z);
}

/* Section 4.3.2: the words of the list L are 4 bytes each, `step` bytes from one to the next. */
static uint32_t h(uint32_t x, const uint8_t *l, size_t step, unsigned k)
{
    uint8_t y[4];
    store_le32(y, x);
    if (k == 4) {
        const uint8_t *l3 = l + 3 * step;
        y[0] = (uint8_t)(q1(y[0]) ^ l3[0]);
        y[1] = (uint8_t)(q0(y[1]) ^ l3[1]);
        y[2] = (uint8_t)(q0(y[2]) ^ l3[2]);
        y[3] = (uint8_t)(q1(y[3]) ^ l3[3]);
    }
    if (k >= 3) {
        const uint8_t *l2 = l + 2 * step;
        y[0] = (uint8_t)(q1(y[0]) ^ l2[0]);
        y[1] = (uint8_t)(q1(y[1]) ^ l2[1]);
        y[2] = (uint8_t)(q0(y[2]) ^ l2[2]);
        y[3] = (uint8_t)(q0(y[3]) ^ l2[3]);
    }
    y[0] = q1(q0(q0(y[0]) ^ l[step + 0]) ^ l[0]);
    y[1] = q0(q0(q1(y[1]) ^ l[step + 1]) ^ l[1]);
    y[2] = q1(q1(q0(y[2]) ^ l[step + 2]) ^ l[2]);
    y[3] = q0(q1(q1(y[3]) ^ l[step + 3]) ^ l[3]);
    return mix(y);
}

/* Section 4.3.1: S_i = RS m, of the eight bytes m of the key from 8 i on. */
static void make_s(uint8_t s[4], const uint8_t m[8])
{
    unsigned row, column;
    for (row = 0; row < 4; row++) {
        s[row] = 0;
        for (column = 0; column < 8; column++)
            s[row] ^= multiply(m[column], flash8(&RS[row][column]), RS_POLYNOMIAL);
    }
}

/*
 * Sections 4.3.1 and 4.3.3. The lists M_e and M_o are the even and the odd words of the key, and
 * the list S begins with what the last bytes of the key give.
 */
void ciphermark_twofish_set_key(void *context, const uint8_t *key, size_t key_bytes)
{
    const uint32_t rho = UINT32_C(0x01010101);
    struct twofish_schedule *schedule = context;
    const unsigned k = (unsigned)(key_bytes / 8);
    unsigned i;
    schedule->k = k;
    for (i = 0; i < k; i++)
        make_s(schedule->s[k - 1 - i], key + 8 * i);
    for (i = 0; i < TWOFISH_ROUNDS + 4; i++) {
        const uint32_t a = h(2 * i * rho, key, 8, k);
        const uint32_t b = rotate_left32(h((2 * i + 1) * rho, key + 4, 8, k), 8);
        schedule->keys[2 * i] = a + b;
        schedule->keys[2 * i + 1] = rotate_left32(a + 2 * b, 9);
    }
}

/* Section 4.3.4. */
static uint32_t g(const struct twofish_schedule *schedule, uint32_t x)
{
    return h(x, schedule->s[0], sizeof schedule->s[0], (unsigned)schedule->k);
}

/* Section 4.1: the function F of one round. */
static void f(const struct twofish_schedule *schedule, unsigned round, const uint32_t r[4],
              uint32_t f[2])
{
    const uint32_t *key = schedule->keys + 2 * round + 8;
    const uint32_t t0 = g(schedule, r[0]), t1 = g(schedule, rotate_left32(r[1], 8));
    f[0] = t0 + t1 + key[0];
    f[1] = t0 + 2 * t1 + key[1];
}

/* Loads and whitens a block. */
static void load_block(uint32_t r[4], const uint8_t *input, const uint32_t *key)
{
    unsigned i;
    for (i = 0; i < 4; i++)
        r[i] = load_le32(input + 4 * i) ^ key[i];
}

/* Stores a block, whitened, undoing the last round's swap of the halves. */
static void store_block(uint8_t *output, const uint32_t r[4], const uint32_t *key)
{
    unsigned i;
    for (i = 0; i < 4; i++)
        store_le32(output + 4 * i, r[(i + 2) % 4] ^ key[i]);
}

static void set_halves(uint32_t r[4], uint32_t r2, uint32_t r3)
{
    r[2] = r[0];
    r[3] = r[1];
    r[0] = r2;
    r[1] = r3;
}

static void encrypt_block(const struct twofish_schedule *schedule, uint8_t *output,
                          const uint8_t *input)
{
    uint32_t r[4], sum[2];
    unsigned round;
    load_block(r, input, schedule->keys);
    for (round = 0; round < TWOFISH_ROUNDS; round++) {
        f(schedule, round, r, sum);
        set_halves(r, rotate_right32(r[2] ^ sum[0], 1), rotate_left32(r[3], 1) ^ sum[1]);
    }
    store_block(output, r, schedule->keys + 4);
}

static void decrypt_block(const struct twofish_schedule *schedule, uint8_t *output,
                          const uint8_t *input)
{
    uint32_t r[4], sum[2];
    unsigned round;
    load_block(r, input, schedule->keys + 4);
    for (round = TWOFISH_ROUNDS; round-- > 0;) {
        f(schedule, round, r, sum);
        set_halves(r, rotate_left32(r[2], 1) ^ sum[0], rotate_right32(r[3] ^ sum[1], 1));
    }
    store_block(output, r, schedule->keys);
}

BLOCK_BY_BLOCK(encrypt, encrypt_block, BLOCK_BYTES)
BLOCK_BY_BLOCK(decrypt, decrypt_block, BLOCK_BYTES)

const struct block_cipher ciphermark_twofish_reference = {
    BLOCK_BYTES, TWOFISH_SCHEDULE_BYTES, ciphermark_twofish_set_key, ciphermark_twofish_set_key,
    encrypt, decrypt};

#define ROWS(name, key_bytes) \
    ECB_ROWS(name, key_bytes, BLOCK_BYTES, ciphermark_twofish_reference, TWOFISH_SCHEDULE_BYTES, \
             CIPHERMARK_VARIABLE_TIME, "reference")

static const row rows[] = {
    ROWS("twofish-128-ecb", 16), ROWS("twofish-192-ecb", 24), ROWS("twofish-256-ecb", 32)};

KERNELS(ciphermark_twofish_reference_rows, rows);
