/*
 * UEA2 and UIA2 of 32 packets by AVX2: S_R by AES-NI, S_Q and multiplications by shuffles of 16
 * bytes.
 */
#include "rows.h"

#if defined(__x86_64__)

#include "avx2.h"
#include "multiply64.h"
#include "pclmulqdq.h"
#include "snow3g_avx2.h"
#include "snow3g_nibbles.h"
#include "snow3g_sbox.h"

static inline void sr(vector s[4], const vector x[4])
{
    unsigned i;
    for (i = 0; i < 4; i++)
        s[i] = aes_sbox(x[i]);
}

#define ITSELF(value) value
static const uint8_t SQ[256] = {SNOW3G_SQ(ITSELF)};

/* `b` where the top bit of a byte of `choice` is set, else `a`. */
static inline vector choose(vector choice, vector a, vector b)
{
    return _mm256_blendv_epi8(a, b, choice);
}

/* Two vectors to look up, so that a table is loaded once for both. */
struct lookups {
    vector low_bits[2];
    vector bit4[2], bit5[2], bit6[2], bit7[2]; /* as the top bit */
};

static inline void choose_both(vector s[2], const vector choice[2], const vector other[2])
{
    s[0] = choose(choice[0], s[0], other[0]);
    s[1] = choose(choice[1], s[1], other[1]);
}

static inline void sq_16(vector s[2], const struct lookups *at, const uint8_t *table)
{
    s[0] = _mm256_shuffle_epi8(table16(table), at->low_bits[0]);
    s[1] = _mm256_shuffle_epi8(table16(table), at->low_bits[1]);
}

static inline void sq_32(vector s[2], const struct lookups *at, const uint8_t *table)
{
    vector other[2];
    sq_16(s, at, table);
    sq_16(other, at, table + 16);
    choose_both(s, at->bit4, other);
}

static inline void sq_64(vector s[2], const struct lookups *at, const uint8_t *table)
{
    vector other[2];
    sq_32(s, at, table);
    sq_32(other, at, table + 32);
    choose_both(s, at->bit5, other);
}

static inline void sq_128(vector s[2], const struct lookups *at, const uint8_t *table)
{
    vector other[2];
    sq_64(s, at, table);
    sq_64(other, at, table + 64);
    choose_both(s, at->bit6, other);
}

static inline void sq_both(vector s[2], const vector x[2])
{
    struct lookups at;
    vector other[2];
    unsigned i;
    for (i = 0; i < 2; i++) {
        at.low_bits[i] = and2(x[i], all8(0x0f));
        at.bit4[i] = _mm256_slli_epi16(x[i], 3);
        at.bit5[i] = _mm256_slli_epi16(x[i], 2);
        at.bit6[i] = add8(x[i], x[i]);
        at.bit7[i] = x[i];
    }
    sq_128(s, &at, SQ);
    sq_128(other, &at, SQ + 128);
    choose_both(s, at.bit7, other);
}

static inline void sq(vector s[4], const vector x[4])
{
    sq_both(s, x);
    sq_both(s + 2, x + 2);
}

static inline vector times_x(vector x, uint8_t constant)
{
    return xor2(add8(x, x), choose(x, all8(0), all8(constant)));
}

static inline vector times_x_1b(vector x)
{
    return times_x(x, 0x1b);
}

static inline vector times_x_69(vector x)
{
    return times_x(x, 0x69);
}

static inline void multiply_byte(vector product[4], vector byte, const uint8_t nibbles[4][2][16])
{
    const vector low = and2(byte, all8(0x0f));
    const vector high = and2(_mm256_srli_epi16(byte, 4), all8(0x0f));
    unsigned i;
    for (i = 0; i < 4; i++)
        product[i] = xor2(_mm256_shuffle_epi8(table16(nibbles[i][0]), low),
                          _mm256_shuffle_epi8(table16(nibbles[i][1]), high));
}

static inline void mul_alpha(vector product[4], vector byte)
{
    multiply_byte(product, byte, MUL_ALPHA);
}

static inline void div_alpha(vector quotient[4], vector byte)
{
    multiply_byte(quotient, byte, DIV_ALPHA);
}

#include "snow3g_bytes.h"
#include "uea2uia2_lanes.h"
#include "uia2_polynomial.h"
#include "uia2_single_tags.h"

static const row rows[] = {UEA2_LANES_ROWS("bytesliced-avx2"), UIA2_LANES_ROW("bytesliced-avx2")};

KERNELS_WHERE(ciphermark_snow3g_avx2_rows, rows, RUN_HERE);

#include "instructions_end.h"

#endif
