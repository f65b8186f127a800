/*
 * UEA2 and UIA2 of 32 packets by AVX2: S_R by AES-NI, S_Q and multiplications by shuffles of 16
 * bytes.
 */
#include "rows.h"

#if defined(__x86_64__)

#include "avx2.h"
#include "pclmulqdq.h"
#include "snow3g_alpha.h"
#include "snow3g_sbox.h"

#define MOST_GROUPS 2

/* A table of 16 bytes in both halves. */
static inline vector table16(const uint8_t bytes[16])
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)bytes));
}

/* The last round of AES without its key; what it does to the order of bytes is undone before. */
static inline vector sr(vector x)
{
    static const uint8_t ORDER[16] = {0, 13, 10, 7, 4, 1, 14, 11, 8, 5, 2, 15, 12, 9, 6, 3};
    const __m128i zero = _mm_setzero_si128();
    const vector ordered = _mm256_shuffle_epi8(x, table16(ORDER));
    const __m128i low = _mm_aesenclast_si128(_mm256_castsi256_si128(ordered), zero);
    const __m128i high = _mm_aesenclast_si128(_mm256_extracti128_si256(ordered, 1), zero);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

#define ITSELF(value) value
static const uint8_t SQ[256] = {SNOW3G_SQ(ITSELF)};

/* `b` where the top bit of a byte of `choice` is set, else `a`. */
static inline vector choose(vector choice, vector a, vector b)
{
    return _mm256_blendv_epi8(a, b, choice);
}

/* Sixteen tables by the low bits of x: a shuffle gives zeros where the top bit is set. */
static inline vector sq(vector x)
{
    const vector low = and2(x, all8(0x8f)), high = xor2(low, all8(0x80));
    const vector bit4 = _mm256_slli_epi16(x, 3), bit5 = _mm256_slli_epi16(x, 2);
    vector y[8];
    unsigned i;
    for (i = 0; i < 8; i++)
        y[i] = or2(_mm256_shuffle_epi8(table16(SQ + 16 * i), low),
                   _mm256_shuffle_epi8(table16(SQ + 128 + 16 * i), high));
    for (i = 0; i < 4; i++)
        y[i] = choose(bit4, y[2 * i], y[2 * i + 1]);
    for (i = 0; i < 2; i++)
        y[i] = choose(bit5, y[2 * i], y[2 * i + 1]);
    return choose(add8(x, x), y[0], y[1]);
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

/* The bytes of a map's words for the sixteen values of a nibble. */
#define FOUR(map, v, step, low) \
    (map(v) >> (low)) & 0xff, (map((v) + (step)) >> (low)) & 0xff, \
    (map((v) + 2 * (step)) >> (low)) & 0xff, (map((v) + 3 * (step)) >> (low)) & 0xff
#define NIBBLE(map, step, low) \
    {FOUR(map, 0, step, low), FOUR(map, 4u * (step), step, low), \
     FOUR(map, 8u * (step), step, low), FOUR(map, 12u * (step), step, low)}
#define NIBBLES(map) \
    {{NIBBLE(map, 1u, 24), NIBBLE(map, 16u, 24)}, {NIBBLE(map, 1u, 16), NIBBLE(map, 16u, 16)}, \
     {NIBBLE(map, 1u, 8), NIBBLE(map, 16u, 8)}, {NIBBLE(map, 1u, 0), NIBBLE(map, 16u, 0)}}

static const uint8_t MUL_ALPHA[4][2][16] = NIBBLES(SNOW3G_MUL_ALPHA);
static const uint8_t DIV_ALPHA[4][2][16] = NIBBLES(SNOW3G_DIV_ALPHA);

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

/* A byte carries where both have the top bit, or one has and the sum has not. */
static inline void add_words(vector sum[4], const vector a[4], const vector b[4])
{
    vector carry = all8(0);
    unsigned i = 4;
    while (i-- > 0) {
        const vector x = a[i], y = b[i];
        sum[i] = _mm256_sub_epi8(add8(x, y), carry);
        carry = or2(and2(x, y), _mm256_andnot_si256(sum[i], or2(x, y)));
        carry = _mm256_cmpgt_epi8(all8(0), carry);
    }
}

#include "uia2_polynomial.h"
#include "uea2uia2_lanes.h"

static const row rows[] = {UEA2UIA2_LANES_ROWS("bytesliced-avx2")};

KERNELS_WHERE(ciphermark_snow3g_avx2_rows, rows, RUN_HERE);

#include "instructions_end.h"

#endif
