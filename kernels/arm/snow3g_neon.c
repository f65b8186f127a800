/*
 * UEA2 and UIA2 of 16 packets by NEON: S-boxes by look-ups in 64 bytes, multiplications by look-ups
 * in 16; UIA2 where the processor has carry-less multiplication.
 */
#include "rows.h"

#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN)

#include "aes_sbox.h"
#include "cpu.h"
#include "neon.h"
#include "pmull.h"
#include "snow3g_nibbles.h"
#include "snow3g_sbox.h"

#define ITSELF(value) value
static const uint8_t SR[256] = {AES_SBOX(ITSELF)};
static const uint8_t SQ[256] = {SNOW3G_SQ(ITSELF)};

static inline void sr(vector s[4], const vector x[4])
{
    unsigned i;
    for (i = 0; i < 4; i++)
        s[i] = look_up256(SR, x[i]);
}

static inline void sq(vector s[4], const vector x[4])
{
    unsigned i;
    for (i = 0; i < 4; i++)
        s[i] = look_up256(SQ, x[i]);
}

static inline vector times_x(vector x, uint8_t constant)
{
    const vector tops = vreinterpretq_u8_s8(vshrq_n_s8(vreinterpretq_s8_u8(x), 7));
    return xor2(add8(x, x), and2(tops, all8(constant)));
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
    const vector low = and2(byte, all8(0x0f)), high = vshrq_n_u8(byte, 4);
    unsigned i;
    for (i = 0; i < 4; i++)
        product[i] = xor2(vqtbl1q_u8(load_vector(nibbles[i][0]), low),
                          vqtbl1q_u8(load_vector(nibbles[i][1]), high));
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
        sum[i] = vsraq_n_u8(add8(x, y), carry, 7);
        carry = vbslq_u8(xor2(x, y), vmvnq_u8(sum[i]), x);
    }
}

#include "snow3g_bytes.h"
#include "uea2uia2_lanes.h"
#include "uia2_polynomial.h"
#include "uia2_single_tags.h"

static const row uea2_rows[] = {UEA2_LANES_ROWS("bytesliced-neon")};
static const row uia2_rows[] = {UIA2_LANES_ROW("bytesliced-neon")};

KERNELS(ciphermark_uea2_neon_rows, uea2_rows);
KERNELS_WHERE(ciphermark_uia2_neon_rows, uia2_rows, ciphermark_has_pmull);

#endif
