/*
 * ZUC, version 1.6 (3GPP TS 35.222), and EEA3 and EIA3 of it, by tables.
 *
 * The S-boxes have a word for each byte, in its place. The new cell of the shift register is summed
 * in 64 bits and reduced once. EIA3 takes four bits of the message at a time.
 */
#include "eea3eia3.h"
#include "stream_run.h"
#include "words.h"
#include "zuc_tables.h"

/* Section 3.4.1, by the place of the byte. */
#define BYTE0(value) (uint32_t)(value) << 24
#define BYTE1(value) (uint32_t)(value) << 16
#define BYTE2(value) (uint32_t)(value) << 8
#define BYTE3(value) value
static const uint32_t S[4][256] = {
    {ZUC_S0(BYTE0)}, {ZUC_S1(BYTE1)}, {ZUC_S0(BYTE2)}, {ZUC_S1(BYTE3)}};

#define ITSELF(value) value
static const uint16_t D[16] = {ZUC_D(ITSELF)};

#define P 0x7fffffffu

/*
 * Section 3.2, with u while initialising: the cell that comes after s[15]. The sum is less than
 * 2^54 and not 0: once folded, it is at most 2^31 + 2^23, and folded again it is 1 to P.
 */
static inline uint32_t fed_back(const uint32_t *s, uint32_t u)
{
    uint64_t v = ((uint64_t)s[15] << 15) + ((uint64_t)s[13] << 17) + ((uint64_t)s[10] << 21) +
                 ((uint64_t)s[4] << 20) + ((uint64_t)s[0] << 8) + s[0] + u;
    v = (v & P) + (v >> 31);
    return (uint32_t)((v & P) + (v >> 31));
}

/* Upper and lower halves of cells, bits 30 to 15 and 15 to 0, in a word (section 3.3). */
static inline uint32_t high_low(uint32_t one, uint32_t other)
{
    return (one & 0x7fff8000u) << 1 | (other & 0xffff);
}

static inline uint32_t low_high(uint32_t one, uint32_t other)
{
    return one << 16 | other >> 15;
}

static inline uint32_t l1(uint32_t x)
{
    return x ^ rotate_left32(x, 2) ^ rotate_left32(x, 10) ^ rotate_left32(x, 18) ^
           rotate_left32(x, 24);
}

static inline uint32_t l2(uint32_t x)
{
    return x ^ rotate_left32(x, 8) ^ rotate_left32(x, 14) ^ rotate_left32(x, 22) ^
           rotate_left32(x, 30);
}

static inline uint32_t substitute(uint32_t x)
{
    return S[0][x >> 24] | S[1][x >> 16 & 0xff] | S[2][x >> 8 & 0xff] | S[3][x & 0xff];
}

/* Section 3.4, of the words X0 to X2 of section 3.3. */
static inline uint32_t f(const uint32_t *s, uint32_t r[2])
{
    const uint32_t w = (high_low(s[15], s[14]) ^ r[0]) + r[1];
    const uint32_t w1 = r[0] + low_high(s[11], s[9]);
    const uint32_t w2 = r[1] ^ low_high(s[7], s[5]);
    const uint64_t crossed = rotate_left64((uint64_t)w1 << 32 | w2, 16);
    r[0] = substitute(l1((uint32_t)(crossed >> 32)));
    r[1] = substitute(l2((uint32_t)crossed));
    return w;
}

/* Section 3.6.1. */
static inline void initial(uint32_t *s, uint32_t *r)
{
    s[16] = fed_back(s, f(s, r) >> 1);
}

/* Section 3.6.2. */
static inline uint32_t next(uint32_t *s, uint32_t *r)
{
    s[16] = fed_back(s, 0);
    return f(s, r) ^ low_high(s[2], s[0]);
}

/* Section 3.5. */
static void start(struct stream *stream, const uint8_t *key, const uint8_t *iv)
{
    struct run run;
    unsigned i;
    for (i = 0; i < 16; i++)
        run.s[i] = (uint32_t)key[i] << 23 | (uint32_t)D[i] << 8 | iv[i];
    start_run(stream, &run, initial, next);
}

static void generate(struct stream *stream, uint8_t *output, size_t words)
{
    generate_run(stream, output, words, next);
}

static const struct stream_cipher zuc = {start, generate};

/* What each four bits of a message add, in the upper half, at the keystream's beginning. */
static inline void windows(uint64_t of[16], uint64_t keystream)
{
    unsigned v;
    of[0] = 0;
    of[1] = keystream << 3;
    for (v = 0; v < 2; v++)
        of[2 + v] = of[v] ^ keystream << 2;
    for (v = 0; v < 4; v++)
        of[4 + v] = of[v] ^ keystream << 1;
    for (v = 0; v < 8; v++)
        of[8 + v] = of[v] ^ keystream;
}

static uint32_t sum(const uint8_t *words, const uint8_t *keystream, size_t count)
{
    uint64_t of[16], t = 0;
    size_t i;
    unsigned bit;
    for (i = 0; i < count; i++) {
        const uint32_t word = load_be32(words + 4 * i);
        uint64_t of_word = 0;
        windows(of, load_be64(keystream + 4 * i));
        for (bit = 0; bit < 32; bit += 4)
            of_word = of_word << 4 ^ of[word >> bit & 15];
        t ^= of_word;
    }
    return (uint32_t)(t >> 32);
}

static const struct eia3 eia3 = {&zuc, sum};

static const row rows[] = {
    KEYSTREAM_ROW("zuc", zuc, CIPHERMARK_VARIABLE_TIME, "table"),
    EEA3_ROWS(zuc, CIPHERMARK_VARIABLE_TIME, "table"),
    EIA3_ROW(eia3, CIPHERMARK_VARIABLE_TIME, "table"),
};

KERNELS(ciphermark_zuc_table_rows, rows);
