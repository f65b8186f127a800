/*
 * AES on bit planes: plane i holds bit i of the bytes of four blocks, so that the S-box is boolean
 * expressions and nothing secret is looked up in a table.
 *
 * Bit 16 row + 4 column + block of a plane belongs to the byte in that row and column of the state
 * of that block: ShiftRows turns parts of 16 bits, and MixColumns rotates planes.
 */
#include "aes.h"
#include "ciphers.h"
#include "ecb.h"
#include "fast_ciphers.h"
#include "words.h"

#define BLOCK_BYTES 16
#define BATCH_BLOCKS 4
#define PLANES 8

struct schedule {
    uint64_t keys[15][PLANES]; /* the key of a round in all four blocks */
    uint64_t rounds;
};

typedef char schedule_has_its_size
    [sizeof(struct schedule) == AES_PORTABLE_SCHEDULE_BYTES ? 1 : -1];

/* Exchanges the bits `mask` of one word with those that lie `shift` higher in the other. */
static inline void exchange(uint64_t *one, uint64_t *other, unsigned shift, uint64_t mask)
{
    const uint64_t difference = ((*one >> shift) ^ *other) & mask;
    *one ^= difference << shift;
    *other ^= difference;
}

/* Makes bit i of each byte of word j bit j of that byte of word i. */
static inline void transpose(uint64_t q[PLANES])
{
    unsigned i;
    for (i = 0; i < PLANES; i += 2)
        exchange(&q[i], &q[i + 1], 1, UINT64_C(0x5555555555555555));
    for (i = 0; i < PLANES; i += 4) {
        exchange(&q[i], &q[i + 2], 2, UINT64_C(0x3333333333333333));
        exchange(&q[i + 1], &q[i + 3], 2, UINT64_C(0x3333333333333333));
    }
    for (i = 0; i < 4; i++)
        exchange(&q[i], &q[i + 4], 4, UINT64_C(0x0f0f0f0f0f0f0f0f));
}

/* Puts the four bytes of a column into the even bytes of a word. */
static inline uint64_t spread(uint64_t column)
{
    column = (column | column << 16) & UINT64_C(0x0000ffff0000ffff);
    return (column | column << 8) & UINT64_C(0x00ff00ff00ff00ff);
}

static inline uint32_t gather(uint64_t word)
{
    word &= UINT64_C(0x00ff00ff00ff00ff);
    word = (word | word >> 8) & UINT64_C(0x0000ffff0000ffff);
    return (uint32_t)(word | word >> 16);
}

/* Word 0 to 3 takes columns 0 and 2 of a block, word 4 to 7 columns 1 and 3. */
static void load_planes(uint64_t q[PLANES], const uint8_t *input)
{
    unsigned block;
    for (block = 0; block < BATCH_BLOCKS; block++, input += BLOCK_BYTES) {
        q[block] = spread(load_le32(input)) | spread(load_le32(input + 8)) << 8;
        q[block + 4] = spread(load_le32(input + 4)) | spread(load_le32(input + 12)) << 8;
    }
    transpose(q);
}

static void store_planes(uint8_t *output, uint64_t q[PLANES])
{
    unsigned block;
    transpose(q);
    for (block = 0; block < BATCH_BLOCKS; block++, output += BLOCK_BYTES) {
        store_le32(output, gather(q[block]));
        store_le32(output + 4, gather(q[block + 4]));
        store_le32(output + 8, gather(q[block] >> 8));
        store_le32(output + 12, gather(q[block + 4] >> 8));
    }
}

/*
 * SubBytes by the circuit of Boyar and Peralta (A new combinational logic minimization technique
 * with applications to cryptology, 2010): 115 gates, of which 32 are ANDs. The names are the
 * paper's, whose bit 0 is the highest.
 */
static inline void sub_bytes(uint64_t q[PLANES])
{
    const uint64_t x0 = q[7], x1 = q[6], x2 = q[5], x3 = q[4];
    const uint64_t x4 = q[3], x5 = q[2], x6 = q[1], x7 = q[0];

    /* Top linear transformation. */
    const uint64_t y14 = x3 ^ x5, y13 = x0 ^ x6, y9 = x0 ^ x3, y8 = x0 ^ x5;
    const uint64_t t0 = x1 ^ x2, y1 = t0 ^ x7, y4 = y1 ^ x3, y12 = y13 ^ y14;
    const uint64_t y2 = y1 ^ x0, y5 = y1 ^ x6, y3 = y5 ^ y8, t1 = x4 ^ y12;
    const uint64_t y15 = t1 ^ x5, y20 = t1 ^ x1, y6 = y15 ^ x7, y10 = y15 ^ t0;
    const uint64_t y11 = y20 ^ y9, y7 = x7 ^ y11, y17 = y10 ^ y11, y19 = y10 ^ y8;
    const uint64_t y16 = t0 ^ y11, y21 = y13 ^ y16, y18 = x0 ^ y16;

    /* Inversion in GF(2^8), by way of GF(2^4). */
    const uint64_t t2 = y12 & y15, t3 = y3 & y6, t4 = t3 ^ t2, t5 = y4 & x7;
    const uint64_t t6 = t5 ^ t2, t7 = y13 & y16, t8 = y5 & y1, t9 = t8 ^ t7;
    const uint64_t t10 = y2 & y7, t11 = t10 ^ t7, t12 = y9 & y11, t13 = y14 & y17;
    const uint64_t t14 = t13 ^ t12, t15 = y8 & y10, t16 = t15 ^ t12, t17 = t4 ^ t14;
    const uint64_t t18 = t6 ^ t16, t19 = t9 ^ t14, t20 = t11 ^ t16, t21 = t17 ^ y20;
    const uint64_t t22 = t18 ^ y19, t23 = t19 ^ y21, t24 = t20 ^ y18;
    const uint64_t t25 = t21 ^ t22, t26 = t21 & t23, t27 = t24 ^ t26, t28 = t25 & t27;
    const uint64_t t29 = t28 ^ t22, t30 = t23 ^ t24, t31 = t22 ^ t26, t32 = t31 & t30;
    const uint64_t t33 = t32 ^ t24, t34 = t23 ^ t33, t35 = t27 ^ t33, t36 = t24 & t35;
    const uint64_t t37 = t36 ^ t34, t38 = t27 ^ t36, t39 = t29 & t38, t40 = t25 ^ t39;
    const uint64_t t41 = t40 ^ t37, t42 = t29 ^ t33, t43 = t29 ^ t40, t44 = t33 ^ t37;
    const uint64_t t45 = t42 ^ t41;
    const uint64_t z0 = t44 & y15, z1 = t37 & y6, z2 = t33 & x7, z3 = t43 & y16;
    const uint64_t z4 = t40 & y1, z5 = t29 & y7, z6 = t42 & y11, z7 = t45 & y17;
    const uint64_t z8 = t41 & y10, z9 = t44 & y12, z10 = t37 & y3, z11 = t33 & y4;
    const uint64_t z12 = t43 & y13, z13 = t40 & y5, z14 = t29 & y2, z15 = t42 & y9;
    const uint64_t z16 = t45 & y14, z17 = t41 & y8;

    /* Bottom linear transformation, with the constant of the S-box. */
    const uint64_t t46 = z15 ^ z16, t47 = z10 ^ z11, t48 = z5 ^ z13, t49 = z9 ^ z10;
    const uint64_t t50 = z2 ^ z12, t51 = z2 ^ z5, t52 = z7 ^ z8, t53 = z0 ^ z3;
    const uint64_t t54 = z6 ^ z7, t55 = z16 ^ z17, t56 = z12 ^ t48, t57 = t50 ^ t53;
    const uint64_t t58 = z4 ^ t46, t59 = z3 ^ t54, t60 = t46 ^ t57, t61 = z14 ^ t57;
    const uint64_t t62 = t52 ^ t58, t63 = t49 ^ t58, t64 = z4 ^ t59, t65 = t61 ^ t62;
    const uint64_t t66 = z1 ^ t63, t67 = t64 ^ t65, s3 = t53 ^ t66;
    q[7] = t59 ^ t63;
    q[6] = t64 ^ ~s3;
    q[5] = t55 ^ ~t67;
    q[4] = s3;
    q[3] = t51 ^ t66;
    q[2] = t47 ^ t65;
    q[1] = t56 ^ ~t62;
    q[0] = t48 ^ ~t60;
}

/* The inverse of the affine transformation that ends the S-box (FIPS 197, 5.1.1 and 5.3.2). */
static inline void undo_affine(uint64_t q[PLANES])
{
    uint64_t before[PLANES];
    unsigned i;
    memcpy(before, q, sizeof before);
    for (i = 0; i < PLANES; i++)
        q[i] = before[(i + 2) % 8] ^ before[(i + 5) % 8] ^ before[(i + 7) % 8];
    q[0] = ~q[0];
    q[2] = ~q[2];
}

/* InvSubBytes: SubBytes is an inversion, which undoes itself, then the affine transformation. */
static inline void undo_sub_bytes(uint64_t q[PLANES])
{
    undo_affine(q);
    sub_bytes(q);
    undo_affine(q);
}

/* Moves row r, bits 16 r to 16 r + 15, by r times so many columns to the left, cyclically. */
static inline uint64_t rotate_rows(uint64_t plane, unsigned columns)
{
    uint64_t rotated = plane & 0xffff;
    unsigned row;
    for (row = 1; row < 4; row++) {
        const unsigned right = row * columns % 4 * 4;
        const uint64_t low = (UINT64_C(1) << right) - 1;
        const uint64_t keeps = (0xffff & ~low) << 16 * row, wraps = low << 16 * row;
        rotated |= (plane & keeps) >> right | (plane & wraps) << (16 - right);
    }
    return rotated;
}

/* FIPS 197, 5.1.2. */
static inline void shift_rows(uint64_t q[PLANES])
{
    unsigned i;
    for (i = 0; i < PLANES; i++)
        q[i] = rotate_rows(q[i], 1);
}

/* FIPS 197, 5.3.1. */
static inline void undo_shift_rows(uint64_t q[PLANES])
{
    unsigned i;
    for (i = 0; i < PLANES; i++)
        q[i] = rotate_rows(q[i], 3);
}

/* Multiplies all bytes by x (FIPS 197, 4.2.1). */
static inline void times_x(uint64_t product[PLANES], const uint64_t q[PLANES])
{
    product[0] = q[7];
    product[1] = q[0] ^ q[7];
    product[2] = q[1];
    product[3] = q[2] ^ q[7];
    product[4] = q[3] ^ q[7];
    product[5] = q[4];
    product[6] = q[5];
    product[7] = q[6];
}

/* FIPS 197, 5.1.3: of a byte a and those below it 2 (a + b) + b + (c + d). */
static inline void mix_columns(uint64_t q[PLANES])
{
    uint64_t below[PLANES], sum[PLANES], doubled[PLANES];
    unsigned i;
    for (i = 0; i < PLANES; i++) {
        below[i] = rotate_right64(q[i], 16);
        sum[i] = q[i] ^ below[i];
    }
    times_x(doubled, sum);
    for (i = 0; i < PLANES; i++)
        q[i] = doubled[i] ^ below[i] ^ rotate_right64(sum[i], 32);
}

/* FIPS 197, 5.3.3: MixColumns of 5a + 4c. */
static inline void undo_mix_columns(uint64_t q[PLANES])
{
    uint64_t sum[PLANES], doubled[PLANES];
    unsigned i;
    for (i = 0; i < PLANES; i++)
        sum[i] = q[i] ^ rotate_right64(q[i], 32);
    times_x(doubled, sum);
    times_x(sum, doubled);
    for (i = 0; i < PLANES; i++)
        q[i] ^= sum[i];
    mix_columns(q);
}

static inline void add_key(uint64_t q[PLANES], const uint64_t key[PLANES])
{
    unsigned i;
    for (i = 0; i < PLANES; i++)
        q[i] ^= key[i];
}

/* SubWord of the key expansion. */
static void substitute_word(uint8_t word[4])
{
    uint8_t blocks[BATCH_BLOCKS * BLOCK_BYTES] = {0};
    uint64_t q[PLANES];
    memcpy(blocks, word, 4);
    load_planes(q, blocks);
    sub_bytes(q);
    store_planes(blocks, q);
    memcpy(word, blocks, 4);
}

static void set_key(void *context, const uint8_t *key, size_t key_bytes)
{
    struct schedule *schedule = context;
    uint8_t keys[15 * BLOCK_BYTES], blocks[BATCH_BLOCKS * BLOCK_BYTES];
    unsigned round, block;
    schedule->rounds = key_bytes / 4 + 6;
    ciphermark_aes_expand_key(keys, key, key_bytes, substitute_word);
    for (round = 0; round <= schedule->rounds; round++) {
        for (block = 0; block < BATCH_BLOCKS; block++)
            memcpy(blocks + block * BLOCK_BYTES, keys + round * BLOCK_BYTES, BLOCK_BYTES);
        load_planes(schedule->keys[round], blocks);
    }
}

/* FIPS 197, 5.1. */
static void encrypt_planes(const struct schedule *schedule, uint64_t q[PLANES])
{
    const uint64_t(*key)[PLANES] = schedule->keys, (*const last)[PLANES] = key + schedule->rounds;
    add_key(q, *key);
    while (++key < last) {
        sub_bytes(q);
        shift_rows(q);
        mix_columns(q);
        add_key(q, *key);
    }
    sub_bytes(q);
    shift_rows(q);
    add_key(q, *key);
}

/* FIPS 197, 5.3. */
static void decrypt_planes(const struct schedule *schedule, uint64_t q[PLANES])
{
    const uint64_t(*key)[PLANES] = schedule->keys + schedule->rounds;
    add_key(q, *key);
    while (--key > schedule->keys) {
        undo_shift_rows(q);
        undo_sub_bytes(q);
        add_key(q, *key);
        undo_mix_columns(q);
    }
    undo_shift_rows(q);
    undo_sub_bytes(q);
    add_key(q, *key);
}

/* Fewer blocks than four cost as much as four. */
static void process(void (*planes)(const struct schedule *schedule, uint64_t q[PLANES]),
                    const struct schedule *schedule, uint8_t *output, const uint8_t *input,
                    size_t blocks)
{
    uint8_t batch[BATCH_BLOCKS * BLOCK_BYTES] = {0};
    uint64_t q[PLANES];
    for (; blocks >= BATCH_BLOCKS; blocks -= BATCH_BLOCKS) {
        load_planes(q, input);
        planes(schedule, q);
        store_planes(output, q);
        input += sizeof batch;
        output += sizeof batch;
    }
    if (blocks == 0)
        return;
    memcpy(batch, input, blocks * BLOCK_BYTES);
    load_planes(q, batch);
    planes(schedule, q);
    store_planes(batch, q);
    memcpy(output, batch, blocks * BLOCK_BYTES);
}

static void encrypt(const void *schedule, uint8_t *output, const uint8_t *input, size_t blocks)
{
    process(encrypt_planes, schedule, output, input, blocks);
}

static void decrypt(const void *schedule, uint8_t *output, const uint8_t *input, size_t blocks)
{
    process(decrypt_planes, schedule, output, input, blocks);
}

const struct block_cipher ciphermark_aes_portable = {
    BLOCK_BYTES, AES_PORTABLE_SCHEDULE_BYTES, set_key, set_key, encrypt, decrypt};

#define ROWS(name, key_bytes) \
    ECB_ROWS(name, key_bytes, BLOCK_BYTES, ciphermark_aes_portable, AES_PORTABLE_SCHEDULE_BYTES, \
             CIPHERMARK_CONSTANT_TIME, "portable")

static const row rows[] = {
    ROWS("aes-128-ecb", 16), ROWS("aes-192-ecb", 24), ROWS("aes-256-ecb", 32)};

KERNELS(ciphermark_aes_portable_rows, rows);
