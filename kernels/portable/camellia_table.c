/*
 * Camellia by tables of 64-bit words: an entry is what an S-box and the P-function, which is
 * linear, make of one byte.
 */
#include "camellia.h"
#include "camellia_sbox.h"
#include "ciphers.h"
#include "ecb.h"
#include "fast_ciphers.h"
#include "words.h"

#define BLOCK_BYTES 16

/* RFC 3713, section 2.4.1: SBOX2 and SBOX3 of what SBOX1 gives. */
#define LEFT(s) (((s) << 1 & 0xff) | (s) >> 7)
#define RIGHT(s) ((s) >> 1 | ((s) << 7 & 0xff))

/* Section 2.4.1: in which of the bytes y1 to y8, the first the highest, byte t1, t2, … stands. */
#define T1(s) ((s) * UINT64_C(0x0101010001000001))
#define T2(s) ((s) * UINT64_C(0x0001010101010000))
#define T3(s) ((s) * UINT64_C(0x0100010100010100))
#define T4(s) ((s) * UINT64_C(0x0101000100000101))
#define T5(s) ((s) * UINT64_C(0x0001010100010101))
#define T6(s) ((s) * UINT64_C(0x0100010101000101))
#define T7(s) ((s) * UINT64_C(0x0101000101010001))
#define T8(s) ((s) * UINT64_C(0x0101010001010100))

#define SBOX1_T1(even, odd) T1(even), T1(odd)
#define SBOX2_T2(even, odd) T2(LEFT(even)), T2(LEFT(odd))
#define SBOX3_T3(even, odd) T3(RIGHT(even)), T3(RIGHT(odd))
#define EVEN_T4(even, odd) T4(even)
#define ODD_T4(even, odd) T4(odd)
#define SBOX2_T5(even, odd) T5(LEFT(even)), T5(LEFT(odd))
#define SBOX3_T6(even, odd) T6(RIGHT(even)), T6(RIGHT(odd))
#define EVEN_T7(even, odd) T7(even)
#define ODD_T7(even, odd) T7(odd)
#define SBOX1_T8(even, odd) T8(even), T8(odd)

static const uint64_t TABLES[8][256] = {
    {CAMELLIA_SBOX1(SBOX1_T1)},
    {CAMELLIA_SBOX1(SBOX2_T2)},
    {CAMELLIA_SBOX1(SBOX3_T3)},
    {CAMELLIA_SBOX1(EVEN_T4), CAMELLIA_SBOX1(ODD_T4)},
    {CAMELLIA_SBOX1(SBOX2_T5)},
    {CAMELLIA_SBOX1(SBOX3_T6)},
    {CAMELLIA_SBOX1(EVEN_T7), CAMELLIA_SBOX1(ODD_T7)},
    {CAMELLIA_SBOX1(SBOX1_T8)},
};

/* Section 2.4.1. */
static inline uint64_t f(uint64_t input, uint64_t key)
{
    const uint64_t x = input ^ key;
    return (TABLES[0][x >> 56] ^ TABLES[1][x >> 48 & 0xff]) ^
           (TABLES[2][x >> 40 & 0xff] ^ TABLES[3][x >> 32 & 0xff]) ^
           (TABLES[4][x >> 24 & 0xff] ^ TABLES[5][x >> 16 & 0xff]) ^
           (TABLES[6][x >> 8 & 0xff] ^ TABLES[7][x & 0xff]);
}

/* Section 2.4.2. */
static inline uint64_t fl(uint64_t x, uint64_t key)
{
    x ^= rotate_left32((uint32_t)(x >> 32 & key >> 32), 1);
    return x ^ (x | key) << 32;
}

/* Section 2.4.3. */
static inline uint64_t flinv(uint64_t y, uint64_t key)
{
    y ^= (y | key) << 32;
    return y ^ rotate_left32((uint32_t)(y >> 32 & key >> 32), 1);
}

/* Section 2.3. */
static void process_block(const struct camellia_schedule *schedule, uint8_t *output,
                          const uint8_t *input)
{
    const uint64_t *k = schedule->keys;
    uint64_t d1 = load_be64(input) ^ k[0];
    uint64_t d2 = load_be64(input + 8) ^ k[1];
    uint64_t groups = schedule->groups;
    for (k += 2;; k += 8) {
        d2 ^= f(d1, k[0]);
        d1 ^= f(d2, k[1]);
        d2 ^= f(d1, k[2]);
        d1 ^= f(d2, k[3]);
        d2 ^= f(d1, k[4]);
        d1 ^= f(d2, k[5]);
        if (--groups == 0)
            break;
        d1 = fl(d1, k[6]);
        d2 = flinv(d2, k[7]);
    }
    store_be64(output, d2 ^ k[6]);
    store_be64(output + 8, d1 ^ k[7]);
}

BLOCK_BY_BLOCK(process, process_block, BLOCK_BYTES)

const struct block_cipher ciphermark_camellia_table = {
    BLOCK_BYTES, CAMELLIA_SCHEDULE_BYTES, ciphermark_camellia_set_encrypt_key,
    ciphermark_camellia_set_decrypt_key, process, process};

#define ROWS(name, key_bytes) \
    ECB_ROWS(name, key_bytes, BLOCK_BYTES, ciphermark_camellia_table, CAMELLIA_SCHEDULE_BYTES, \
             CIPHERMARK_VARIABLE_TIME, "table")

static const row rows[] = {
    ROWS("camellia-128-ecb", 16), ROWS("camellia-192-ecb", 24), ROWS("camellia-256-ecb", 32)};

KERNELS(ciphermark_camellia_table_rows, rows);
