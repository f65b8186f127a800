/*
 * UEA2 and UIA2 of four packets by NEON: S-boxes by look-ups in 64 bytes, multiplications by look-ups
 * in 16; UIA2 where the processor has carry-less multiplication.
 */
#include "rows.h"

#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN)

#include "aes_sbox.h"
#include "cpu.h"
#include "inlined.h"
#include "neon.h"
#include "pmull.h"
#include "snow3g_nibbles.h"
#include "snow3g_sbox.h"

#define ITSELF(value) value
static const uint8_t SR[256] = {AES_SBOX(ITSELF)};
static const uint8_t SQ[256] = {SNOW3G_SQ(ITSELF)};

INLINED vector sq(vector x)
{
    return look_up256(SQ, x);
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

static inline vector rotate24(vector x)
{
    return rotate_left_words(x, 24);
}

static inline vector load_fourths(const uint8_t *row)
{
    return load_vector(row);
}

#include "snow3g_words.h"

static inline vector s1(vector w)
{
    return mixed(look_up256(SR, w), times_x_1b);
}

#include "uea2uia2_lanes.h"
#include "uia2_polynomial.h"
#include "uia2_single_tags.h"

static const row uea2_rows[] = {UEA2_LANES_ROWS("wordsliced-neon")};
static const row uia2_rows[] = {UIA2_LANES_ROW("wordsliced-neon")};

KERNELS(ciphermark_uea2_neon_rows, uea2_rows);
KERNELS_WHERE(ciphermark_uia2_neon_rows, uia2_rows, ciphermark_has_pmull);

#endif
