/* SNOW 3G (3GPP TS 35.216), and UEA2 and UIA2 of it. */
#include "aes_sbox.h"
#include "snow3g_sbox.h"
#include "table.h"
#include "uea2uia2.h"
#include "words.h"

/* The S-boxes of S1 and S2 (section 5). */
#define SR ciphermark_aes_sbox
#define ITSELF(value) value
static const uint8_t SQ[256] IN_FLASH = {SNOW3G_SQ(ITSELF)};

/* What c is for the byte multiplications (section 3.1.1) of S1, S2, and of alpha. */
#define C_S1 0x1b
#define C_S2 0x69
#define C_ALPHA 0xa9

/*
 * MULxPOW(1, i, 0xa9) for i = 23, 245, 48, 239 and for i = 16, 39, 6, 64 (sections 3.4.2, 3.4.3).
 * MULxPOW(V, i, c) is V times that.
 */
static const uint8_t ALPHA[4] IN_FLASH = {0xe1, 0x9f, 0xcf, 0x13};
static const uint8_t INVERSE_ALPHA[4] IN_FLASH = {0x18, 0x0f, 0x40, 0xcd};

/* Section 3.1.1. */
static uint8_t mulx(uint8_t v, uint8_t c)
{
    return (uint8_t)((unsigned)v << 1 ^ (c & (0u - (v >> 7))));
}

static uint8_t times(uint8_t v, uint8_t w, uint8_t c)
{
    uint8_t product = 0;
    unsigned i;
    for (i = 0; i < 8; i++) {
        product = (uint8_t)(product ^ (v & (0u - (w & 1u))));
        v = mulx(v, c);
        w = (uint8_t)(w >> 1);
    }
    return product;
}

/* MULalpha and DIValpha (sections 3.4.2, 3.4.3). */
static uint32_t times_each(uint8_t v, const uint8_t factors[4])
{
    uint8_t word[4];
    unsigned i;
    for (i = 0; i < 4; i++)
        word[i] = times(v, flash8(&factors[i]), C_ALPHA);
    return load_be32(word);
}

/* S1 and S2 (section 3.3): each byte is all but itself, and x times it and the one before. */
static uint32_t substitute(uint32_t w, const uint8_t *box, uint8_t c)
{
    uint8_t s[4], r[4], all;
    unsigned i;
    store_be32(s, w);
    for (i = 0; i < 4; i++)
        s[i] = flash8(&box[s[i]]);
    all = s[0] ^ s[1] ^ s[2] ^ s[3];
    for (i = 0; i < 4; i++)
        r[i] = all ^ s[i] ^ mulx(s[i] ^ s[(i + 3) % 4], c);
    return load_be32(r);
}

/* Section 3.4.6. */
static uint32_t clock_fsm(struct stream *stream)
{
    uint32_t *r = stream->r;
    const uint32_t f = (stream->s[15] + r[0]) ^ r[1];
    const uint32_t sum = r[1] + (r[2] ^ stream->s[5]);
    r[2] = substitute(r[1], SQ, C_S2);
    r[1] = substitute(r[0], ciphermark_aes_sbox, C_S1);
    r[0] = sum;
    return f;
}

/* Sections 3.4.4 and 3.4.5: the second with 0. */
static void clock_lfsr(struct stream *stream, uint32_t f)
{
    uint32_t *s = stream->s;
    const uint32_t v = s[0] << 8 ^ times_each((uint8_t)(s[0] >> 24), ALPHA) ^ s[2] ^ s[11] >> 8 ^
                       times_each((uint8_t)s[11], INVERSE_ALPHA) ^ f;
    unsigned i;
    for (i = 0; i < 15; i++)
        s[i] = s[i + 1];
    s[15] = v;
}

/* Section 4.1; the first output of section 4.2 is discarded here. */
static void start(struct stream *stream, const uint8_t *key, const uint8_t *iv)
{
    uint32_t *s = stream->s;
    unsigned i;
    for (i = 0; i < 4; i++) {
        s[i + 4] = s[i + 12] = load_be32(key + 4 * i);
        s[i] = s[i + 8] = ~s[i + 4];
    }
    memset(stream->r, 0, sizeof stream->r);
    s[15] ^= load_be32(iv);
    s[12] ^= load_be32(iv + 4);
    s[10] ^= load_be32(iv + 8);
    s[9] ^= load_be32(iv + 12);
    for (i = 0; i < 32; i++)
        clock_lfsr(stream, clock_fsm(stream));
    clock_fsm(stream);
    clock_lfsr(stream, 0);
}

/* Section 4.2. */
static void generate(struct stream *stream, uint8_t *output, size_t words)
{
    for (; words > 0; words--, output += 4) {
        store_be32(output, clock_fsm(stream) ^ stream->s[0]);
        clock_lfsr(stream, 0);
    }
}

static const struct stream_cipher snow3g = {start, generate};

static uint64_t evaluate(const message *m, uint64_t p)
{
    uint64_t e = 0;
    size_t at;
    for (at = 0; m->input_bytes - at > 8; at += 8)
        e = ciphermark_uia2_multiply(e ^ load_be64(m->input + at), p);
    return ciphermark_uia2_multiply(e ^ ciphermark_uia2_last_block(m, at), p);
}

static const struct uia2 uia2 = {&snow3g, evaluate, ciphermark_uia2_multiply};

static const row rows[] = {
    KEYSTREAM_ROW("snow3g", snow3g, CIPHERMARK_VARIABLE_TIME, "reference"),
    UEA2_ROWS(snow3g, CIPHERMARK_VARIABLE_TIME, "reference"),
    UIA2_ROW(uia2, CIPHERMARK_VARIABLE_TIME, "reference"),
};

KERNELS(ciphermark_snow3g_reference_rows, rows);
