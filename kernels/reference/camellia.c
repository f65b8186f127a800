/* Camellia (RFC 3713). */
#include "camellia.h"

#include "camellia_sbox.h"
#include "ciphers.h"
#include "ecb.h"
#include "table.h"
#include "words.h"

#define BLOCK_BYTES 16

typedef char schedule_has_its_size
    [sizeof(struct camellia_schedule) == CAMELLIA_SCHEDULE_BYTES ? 1 : -1];

/* Section 2.4.1; SBOX2 to SBOX4 are made of it. */
#define BOTH(even, odd) even, odd
static const uint8_t SBOX1[256] IN_FLASH = {CAMELLIA_SBOX1(BOTH)};

static uint8_t sbox1(uint8_t x)
{
    return flash8(&SBOX1[x]);
}

static uint8_t sbox2(uint8_t x)
{
    return rotate_left8(sbox1(x), 1);
}

static uint8_t sbox3(uint8_t x)
{
    return rotate_right8(sbox1(x), 1);
}

static uint8_t sbox4(uint8_t x)
{
    return sbox1(rotate_left8(x, 1));
}

/* Section 2.4.1. The bytes t1 to t8 and y1 to y8 are t[0] to t[7] and y[0] to y[7] here. */
static uint64_t f(uint64_t input, uint64_t key)
{
    uint8_t t[8], y[8];
    store_be64(t, input ^ key);
    t[0] = sbox1(t[0]);
    t[1] = sbox2(t[1]);
    t[2] = sbox3(t[2]);
    t[3] = sbox4(t[3]);
    t[4] = sbox2(t[4]);
    t[5] = sbox3(t[5]);
    t[6] = sbox4(t[6]);
    t[7] = sbox1(t[7]);
    y[0] = (uint8_t)(t[0] ^ t[2] ^ t[3] ^ t[5] ^ t[6] ^ t[7]);
    y[1] = (uint8_t)(t[0] ^ t[1] ^ t[3] ^ t[4] ^ t[6] ^ t[7]);
    y[2] = (uint8_t)(t[0] ^ t[1] ^ t[2] ^ t[4] ^ t[5] ^ t[7]);
    y[3] = (uint8_t)(t[1] ^ t[2] ^ t[3] ^ t[4] ^ t[5] ^ t[6]);
    y[4] = (uint8_t)(t[0] ^ t[1] ^ t[5] ^ t[6] ^ t[7]);
    y[5] = (uint8_t)(t[1] ^ t[2] ^ t[4] ^ t[6] ^ t[7]);
    y[6] = (uint8_t)(t[2] ^ t[3] ^ t[4] ^ t[5] ^ t[7]);
    y[7] = (uint8_t)(t[0] ^ t[3] ^ t[4] ^ t[5] ^ t[6]);
    return load_be64(y);
}

/* Section 2.4.2. */
static uint64_t fl(uint64_t input, uint64_t key)
{
    uint32_t x1 = (uint32_t)(input >> 32), x2 = (uint32_t)input;
    const uint32_t k1 = (uint32_t)(key >> 32), k2 = (uint32_t)key;
    x2 ^= rotate_left32(x1 & k1, 1);
    x1 ^= x2 | k2;
    return (uint64_t)x1 << 32 | x2;
}

/* Section 2.4.3. */
static uint64_t flinv(uint64_t input, uint64_t key)
{
    uint32_t y1 = (uint32_t)(input >> 32), y2 = (uint32_t)input;
    const uint32_t k1 = (uint32_t)(key >> 32), k2 = (uint32_t)key;
    y1 ^= y2 | k2;
    y2 ^= rotate_left32(y1 & k1, 1);
    return (uint64_t)y1 << 32 | y2;
}

/* Section 2.2. */
static const uint64_t SIGMA[6] IN_FLASH = {
    UINT64_C(0xA09E667F3BCC908B), UINT64_C(0xB67AE8584CAA73B2), UINT64_C(0xC6EF372FE94F82BE),
    UINT64_C(0x54FF53A5F1D36F1C), UINT64_C(0x10E527FADE682D1D), UINT64_C(0xB05688C2B3E6C1FD),
};

enum { KL, KR, KA, KB };

/* Section 2.2: the four strings of 128 bits of which subkeys are parts, as halves. */
static void make_strings(uint64_t strings[4][2], const uint8_t *key, size_t key_bytes)
{
    const uint64_t *kl = strings[KL], *kr = strings[KR];
    uint64_t d1, d2;
    strings[KL][0] = load_be64(key);
    strings[KL][1] = load_be64(key + 8);
    strings[KR][0] = key_bytes > 16 ? load_be64(key + 16) : 0;
    strings[KR][1] = key_bytes == 24 ? ~kr[0] : key_bytes == 32 ? load_be64(key + 24) : 0;
    d1 = kl[0] ^ kr[0];
    d2 = kl[1] ^ kr[1];
    d2 ^= f(d1, flash64(&SIGMA[0]));
    d1 ^= f(d2, flash64(&SIGMA[1]));
    d1 ^= kl[0];
    d2 ^= kl[1];
    d2 ^= f(d1, flash64(&SIGMA[2]));
    d1 ^= f(d2, flash64(&SIGMA[3]));
    strings[KA][0] = d1;
    strings[KA][1] = d2;
    d1 ^= kr[0];
    d2 ^= kr[1];
    d2 ^= f(d1, flash64(&SIGMA[4]));
    d1 ^= f(d2, flash64(&SIGMA[5]));
    strings[KB][0] = d1;
    strings[KB][1] = d2;
}

/*
 * Section 2.2: every subkey is the upper half of a string rotated left by some bits. Where the RFC
 * says the lower half, 64 bits have been added here. In the order of use.
 */
struct subkey {
    uint8_t string;
    uint8_t bits;
};

static const struct subkey SUBKEYS_128[26] IN_FLASH = {
    {KL, 0},  {KL, 64},                                                /* kw1, kw2 */
    {KA, 0},  {KA, 64},  {KL, 15}, {KL, 79},  {KA, 15},  {KA, 79},     /* k1 to k6 */
    {KA, 30}, {KA, 94},                                                /* ke1, ke2 */
    {KL, 45}, {KL, 109}, {KA, 45}, {KL, 124}, {KA, 60},  {KA, 124},    /* k7 to k12 */
    {KL, 77}, {KL, 13},                                                /* ke3, ke4 */
    {KL, 94}, {KL, 30},  {KA, 94}, {KA, 30},  {KL, 111}, {KL, 47},     /* k13 to k18 */
    {KA, 111}, {KA, 47},                                               /* kw3, kw4 */
};

static const struct subkey SUBKEYS_256[34] IN_FLASH = {
    {KL, 0},  {KL, 64},                                                /* kw1, kw2 */
    {KB, 0},  {KB, 64},  {KR, 15}, {KR, 79},  {KA, 15},  {KA, 79},     /* k1 to k6 */
    {KR, 30}, {KR, 94},                                                /* ke1, ke2 */
    {KB, 30}, {KB, 94},  {KL, 45}, {KL, 109}, {KA, 45},  {KA, 109},    /* k7 to k12 */
    {KL, 60}, {KL, 124},                                               /* ke3, ke4 */
    {KR, 60}, {KR, 124}, {KB, 60}, {KB, 124}, {KL, 77},  {KL, 13},     /* k13 to k18 */
    {KA, 77}, {KA, 13},                                                /* ke5, ke6 */
    {KR, 94}, {KR, 30},  {KA, 94}, {KA, 30},  {KL, 111}, {KL, 47},     /* k19 to k24 */
    {KB, 111}, {KB, 47},                                               /* kw3, kw4 */
};

static uint64_t upper_half(const uint64_t string[2], unsigned bits)
{
    const uint64_t first = string[bits / 64], second = string[1 - bits / 64];
    bits %= 64;
    return bits == 0 ? first : first << bits | second >> (64 - bits);
}

/* How many subkeys there are: whitening, then a group of rounds and its FL keys, but once. */
static unsigned count_keys(const struct camellia_schedule *schedule)
{
    return (unsigned)schedule->groups * 8 + 2;
}

void ciphermark_camellia_set_encrypt_key(void *context, const uint8_t *key, size_t key_bytes)
{
    struct camellia_schedule *schedule = context;
    const struct subkey *subkey = key_bytes == 16 ? SUBKEYS_128 : SUBKEYS_256;
    uint64_t strings[4][2];
    unsigned i;
    schedule->groups = key_bytes == 16 ? 3 : 4;
    make_strings(strings, key, key_bytes);
    for (i = 0; i < count_keys(schedule); i++, subkey++)
        schedule->keys[i] = upper_half(strings[flash8(&subkey->string)], flash8(&subkey->bits));
}

static void swap(uint64_t *one, uint64_t *other)
{
    const uint64_t kept = *one;
    *one = *other;
    *other = kept;
}

/* Section 2.3.2: all subkeys in reverse, but those of whitening in pairs. */
void ciphermark_camellia_set_decrypt_key(void *context, const uint8_t *key, size_t key_bytes)
{
    struct camellia_schedule *schedule = context;
    uint64_t *first = schedule->keys, *last;
    ciphermark_camellia_set_encrypt_key(schedule, key, key_bytes);
    last = first + count_keys(schedule) - 1;
    swap(first, first + 1);
    swap(last - 1, last);
    for (; first < last; first++, last--)
        swap(first, last);
}

/* Section 2.3. */
static void process_block(const struct camellia_schedule *schedule, uint8_t *output,
                          const uint8_t *input)
{
    const uint64_t *k = schedule->keys;
    uint64_t d1 = load_be64(input) ^ *k++;
    uint64_t d2 = load_be64(input + 8) ^ *k++;
    unsigned group, round;
    for (group = 0; group < schedule->groups; group++) {
        if (group > 0) {
            d1 = fl(d1, *k++);
            d2 = flinv(d2, *k++);
        }
        for (round = 0; round < 6; round += 2) {
            d2 ^= f(d1, *k++);
            d1 ^= f(d2, *k++);
        }
    }
    store_be64(output, d2 ^ k[0]);
    store_be64(output + 8, d1 ^ k[1]);
}

BLOCK_BY_BLOCK(process, process_block, BLOCK_BYTES)

const struct block_cipher ciphermark_camellia_reference = {
    BLOCK_BYTES, CAMELLIA_SCHEDULE_BYTES, ciphermark_camellia_set_encrypt_key,
    ciphermark_camellia_set_decrypt_key, process, process};

#define ROWS(name, key_bytes) \
    ECB_ROWS(name, key_bytes, BLOCK_BYTES, ciphermark_camellia_reference, \
             CAMELLIA_SCHEDULE_BYTES, CIPHERMARK_VARIABLE_TIME, "reference")

static const row rows[] = {
    ROWS("camellia-128-ecb", 16), ROWS("camellia-192-ecb", 24), ROWS("camellia-256-ecb", 32)};

KERNELS(ciphermark_camellia_reference_rows, rows);
