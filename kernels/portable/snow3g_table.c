/*
 * SNOW 3G (3GPP TS 35.216), and UEA2 and UIA2 of it, by tables.
 *
 * A table has a word for each byte: of S1 and S2 one for each place of the byte, of MULalpha and
 * DIValpha one. UIA2 has the products of P with all values of each four bits.
 */
#include "aes_sbox.h"
#include "snow3g_alpha.h"
#include "snow3g_sbox.h"
#include "stream_run.h"
#include "uea2uia2.h"
#include "words.h"

/* Section 3.1.1. */
#define MULX(v, c) (((v) << 1 ^ ((v) >> 7) * (c)) & 0xffu)

/* What an S-box value adds to the word of S1 or S2 (section 3.3), by the place of its byte. */
#define WORD(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (d))
#define BYTE0(s, c) WORD(MULX(s, c), MULX(s, c) ^ (s), s, s)
#define BYTE1(s, c) WORD(s, MULX(s, c), MULX(s, c) ^ (s), s)
#define BYTE2(s, c) WORD(s, s, MULX(s, c), MULX(s, c) ^ (s))
#define BYTE3(s, c) WORD(MULX(s, c) ^ (s), s, s, MULX(s, c))

#define S1_0(s) BYTE0(s, 0x1b)
#define S1_1(s) BYTE1(s, 0x1b)
#define S1_2(s) BYTE2(s, 0x1b)
#define S1_3(s) BYTE3(s, 0x1b)
static const uint32_t S1[4][256] = {
    {AES_SBOX(S1_0)}, {AES_SBOX(S1_1)}, {AES_SBOX(S1_2)}, {AES_SBOX(S1_3)}};

#define S2_0(s) BYTE0(s, 0x69)
#define S2_1(s) BYTE1(s, 0x69)
#define S2_2(s) BYTE2(s, 0x69)
#define S2_3(s) BYTE3(s, 0x69)
static const uint32_t S2[4][256] = {
    {SNOW3G_SQ(S2_0)}, {SNOW3G_SQ(S2_1)}, {SNOW3G_SQ(S2_2)}, {SNOW3G_SQ(S2_3)}};

#define FOUR(X, v) X(v), X((v) + 1), X((v) + 2), X((v) + 3)
#define SIXTEEN(X, v) FOUR(X, v), FOUR(X, (v) + 4), FOUR(X, (v) + 8), FOUR(X, (v) + 12)
#define SIXTY_FOUR(X, v) \
    SIXTEEN(X, v), SIXTEEN(X, (v) + 16), SIXTEEN(X, (v) + 32), SIXTEEN(X, (v) + 48)
#define EACH_BYTE(X) SIXTY_FOUR(X, 0), SIXTY_FOUR(X, 64), SIXTY_FOUR(X, 128), SIXTY_FOUR(X, 192)

static const uint32_t MULALPHA[256] = {EACH_BYTE(SNOW3G_MUL_ALPHA)};
static const uint32_t DIVALPHA[256] = {EACH_BYTE(SNOW3G_DIV_ALPHA)};

static inline uint32_t substitute(uint32_t w, const uint32_t tables[4][256])
{
    return tables[0][w >> 24] ^ tables[1][w >> 16 & 0xff] ^ tables[2][w >> 8 & 0xff] ^
           tables[3][w & 0xff];
}

/* Section 3.4.6. */
static inline uint32_t clock_fsm(const uint32_t *s, uint32_t r[3])
{
    const uint32_t f = (s[15] + r[0]) ^ r[1];
    const uint32_t sum = r[1] + (r[2] ^ s[5]);
    r[2] = substitute(r[1], S2);
    r[1] = substitute(r[0], S1);
    r[0] = sum;
    return f;
}

/* Section 3.4.5: the word that comes after s[15]. */
static inline uint32_t fed_back(const uint32_t *s)
{
    return s[0] << 8 ^ MULALPHA[s[0] >> 24] ^ s[2] ^ s[11] >> 8 ^ DIVALPHA[s[11] & 0xff];
}

static void load(uint32_t s[16], const uint8_t *key, const uint8_t *iv)
{
    unsigned i;
    for (i = 0; i < 4; i++) {
        s[i + 4] = s[i + 12] = load_be32(key + 4 * i);
        s[i] = s[i + 8] = ~s[i + 4];
    }
    s[15] ^= load_be32(iv);
    s[12] ^= load_be32(iv + 4);
    s[10] ^= load_be32(iv + 8);
    s[9] ^= load_be32(iv + 12);
}

/* Section 4.1. */
static inline void initial(uint32_t *s, uint32_t *r)
{
    s[16] = clock_fsm(s, r) ^ fed_back(s);
}

/* Section 4.2. */
static inline uint32_t next(uint32_t *s, uint32_t *r)
{
    s[16] = fed_back(s);
    return clock_fsm(s, r) ^ s[0];
}

static void start(struct stream *stream, const uint8_t *key, const uint8_t *iv)
{
    struct run run;
    load(run.s, key, iv);
    start_run(stream, &run, initial, next);
}

static void generate(struct stream *stream, uint8_t *output, size_t words)
{
    generate_run(stream, output, words, next);
}

const struct stream_cipher ciphermark_snow3g_table = {start, generate};

/* The products of a factor: [i][v] is v · x^(4i) times it. */
struct products {
    uint64_t of[16][16];
};

static inline uint64_t times_x(uint64_t a)
{
    return a << 1 ^ (X_TO_64 & (0 - (a >> 63)));
}

static void multiply_out(struct products *products, uint64_t factor)
{
    unsigned i, v;
    for (i = 0; i < 16; i++) {
        uint64_t *of = products->of[i];
        of[0] = 0;
        of[1] = factor;
        factor = times_x(factor);
        for (v = 0; v < 2; v++)
            of[2 + v] = of[v] ^ factor;
        factor = times_x(factor);
        for (v = 0; v < 4; v++)
            of[4 + v] = of[v] ^ factor;
        factor = times_x(factor);
        for (v = 0; v < 8; v++)
            of[8 + v] = of[v] ^ factor;
        factor = times_x(factor);
    }
}

/* Two sums, for one would wait for itself sixteen times. */
static inline uint64_t product(const struct products *products, uint64_t other)
{
    uint64_t even = 0, odd = 0;
    unsigned i;
    for (i = 0; i < 16; i += 2) {
        even ^= products->of[i][other >> (4 * i) & 15];
        odd ^= products->of[i + 1][other >> (4 * i + 4) & 15];
    }
    return even ^ odd;
}

static uint64_t evaluate(const message *m, uint64_t p)
{
    struct products products;
    uint64_t e = 0;
    size_t at;
    multiply_out(&products, p);
    for (at = 0; m->input_bytes - at > 8; at += 8)
        e = product(&products, e ^ load_be64(m->input + at));
    return product(&products, e ^ ciphermark_uia2_last_block(m, at));
}

static const struct uia2 uia2 = {&ciphermark_snow3g_table, evaluate, ciphermark_uia2_multiply};

static const row rows[] = {
    KEYSTREAM_ROW("snow3g", ciphermark_snow3g_table, CIPHERMARK_VARIABLE_TIME, "table"),
    UEA2_ROWS(ciphermark_snow3g_table, CIPHERMARK_VARIABLE_TIME, "table"),
    UIA2_ROW(uia2, CIPHERMARK_VARIABLE_TIME, "table"),
};

KERNELS(ciphermark_snow3g_table_rows, rows);
