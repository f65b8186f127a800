/* ZUC, version 1.6 (3GPP TS 35.222), and EEA3 and EIA3 of it. */
#include "eea3eia3.h"
#include "table.h"
#include "words.h"
#include "zuc_tables.h"

#define ITSELF(value) value
static const uint8_t S0[256] IN_FLASH = {ZUC_S0(ITSELF)};
static const uint8_t S1[256] IN_FLASH = {ZUC_S1(ITSELF)};
static const uint16_t D[16] IN_FLASH = {ZUC_D(ITSELF)};

/* Cells have 31 bits and are 1 to P. */
#define P 0x7fffffffu

static uint32_t add(uint32_t one, uint32_t other)
{
    const uint32_t sum = one + other;
    return (sum & P) + (sum >> 31);
}

/* 2^bits times a cell: a rotation of its 31 bits. */
static uint32_t times(uint32_t cell, unsigned bits)
{
    return (cell << bits | cell >> (31 - bits)) & P;
}

/* Section 3.2: with u while initialising, else with 0. */
static void clock_lfsr(struct stream *stream, uint32_t u)
{
    uint32_t *s = stream->s, v = add(s[0], times(s[0], 8));
    unsigned i;
    v = add(v, times(s[4], 20));
    v = add(v, times(s[10], 21));
    v = add(v, times(s[13], 17));
    v = add(v, times(s[15], 15));
    v = add(v, u);
    for (i = 0; i < 15; i++)
        s[i] = s[i + 1];
    s[15] = v;
}

/* Upper and lower halves of cells, bits 30 to 15 and 15 to 0, in a word (section 3.3). */
static uint32_t high_low(uint32_t one, uint32_t other)
{
    return (one & 0x7fff8000u) << 1 | (other & 0xffff);
}

static uint32_t low_high(uint32_t one, uint32_t other)
{
    return one << 16 | other >> 15;
}

static uint32_t l1(uint32_t x)
{
    return x ^ rotate_left32(x, 2) ^ rotate_left32(x, 10) ^ rotate_left32(x, 18) ^
           rotate_left32(x, 24);
}

static uint32_t l2(uint32_t x)
{
    return x ^ rotate_left32(x, 8) ^ rotate_left32(x, 14) ^ rotate_left32(x, 22) ^
           rotate_left32(x, 30);
}

static uint32_t substitute(uint32_t x)
{
    uint8_t bytes[4];
    store_be32(bytes, x);
    bytes[0] = flash8(&S0[bytes[0]]);
    bytes[1] = flash8(&S1[bytes[1]]);
    bytes[2] = flash8(&S0[bytes[2]]);
    bytes[3] = flash8(&S1[bytes[3]]);
    return load_be32(bytes);
}

/* Section 3.4, of the words X0 to X2 of section 3.3. */
static uint32_t f(struct stream *stream)
{
    const uint32_t *s = stream->s;
    uint32_t *r = stream->r;
    const uint32_t w = (high_low(s[15], s[14]) ^ r[0]) + r[1];
    const uint32_t w1 = r[0] + low_high(s[11], s[9]);
    const uint32_t w2 = r[1] ^ low_high(s[7], s[5]);
    r[0] = substitute(l1(w1 << 16 | w2 >> 16));
    r[1] = substitute(l2(w2 << 16 | w1 >> 16));
    return w;
}

/* Sections 3.5 and 3.6.1; the first output of section 3.6.2 is discarded here. */
static void start(struct stream *stream, const uint8_t *key, const uint8_t *iv)
{
    unsigned i;
    for (i = 0; i < 16; i++)
        stream->s[i] = (uint32_t)key[i] << 23 | (uint32_t)flash16(&D[i]) << 8 | iv[i];
    memset(stream->r, 0, sizeof stream->r);
    for (i = 0; i < 32; i++)
        clock_lfsr(stream, f(stream) >> 1);
    f(stream);
    clock_lfsr(stream, 0);
}

/* Section 3.6.2. */
static void generate(struct stream *stream, uint8_t *output, size_t words)
{
    for (; words > 0; words--, output += 4) {
        const uint32_t x3 = low_high(stream->s[2], stream->s[0]);
        store_be32(output, f(stream) ^ x3);
        clock_lfsr(stream, 0);
    }
}

static const struct stream_cipher zuc = {start, generate};

static uint32_t sum(const uint8_t *words, const uint8_t *keystream, size_t count)
{
    uint32_t t = 0;
    size_t bit;
    for (bit = 0; bit < 32 * count; bit++) {
        if (words[bit / 8] >> (7 - bit % 8) & 1)
            t ^= eia3_word(keystream, bit);
    }
    return t;
}

static const struct eia3 eia3 = {&zuc, sum};

static const row rows[] = {
    KEYSTREAM_ROW("zuc", zuc, CIPHERMARK_VARIABLE_TIME, "reference"),
    EEA3_ROWS(zuc, CIPHERMARK_VARIABLE_TIME, "reference"),
    EIA3_ROW(eia3, CIPHERMARK_VARIABLE_TIME, "reference"),
};

KERNELS(ciphermark_zuc_reference_rows, rows);
