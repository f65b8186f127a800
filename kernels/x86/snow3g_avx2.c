/*
 * UEA2 and UIA2 of eight packets by AVX2: S1 by a round of AES, S_Q and multiplications by shuffles of
 * 16 bytes.
 */
#include "rows.h"

#if defined(__x86_64__)

#include "avx2.h"
#include "inlined.h"
#include "multiply64.h"
#include "pclmulqdq.h"
#include "snow3g_nibbles.h"
#include "snow3g_sbox.h"
#include "snow3g_words_avx2.h"

#define ITSELF(value) value
static const uint8_t SQ[256] = {SNOW3G_SQ(ITSELF)};

/* `b` where the top bit of a byte of `choice` is set, else `a`. */
static inline vector choose(vector choice, vector a, vector b)
{
    return _mm256_blendv_epi8(a, b, choice);
}

/* A byte to look up. */
struct lookup {
    vector low_bits;
    vector bit4, bit5, bit6, bit7; /* as the top bit */
};

static inline vector sq_16(const struct lookup *at, const uint8_t *table)
{
    return _mm256_shuffle_epi8(table16(table), at->low_bits);
}

static inline vector sq_32(const struct lookup *at, const uint8_t *table)
{
    return choose(at->bit4, sq_16(at, table), sq_16(at, table + 16));
}

static inline vector sq_64(const struct lookup *at, const uint8_t *table)
{
    return choose(at->bit5, sq_32(at, table), sq_32(at, table + 32));
}

static inline vector sq_128(const struct lookup *at, const uint8_t *table)
{
    return choose(at->bit6, sq_64(at, table), sq_64(at, table + 64));
}

INLINED vector sq(vector x)
{
    const struct lookup at = {and2(x, all8(0x0f)), _mm256_slli_epi16(x, 3),
                              _mm256_slli_epi16(x, 2), add8(x, x), x};
    return choose(at.bit7, sq_128(&at, SQ), sq_128(&at, SQ + 128));
}

static inline vector times_x_69(vector x)
{
    return xor2(add8(x, x), choose(x, all8(0), all8(0x69)));
}

#include "snow3g_words.h"
#include "uea2uia2_lanes.h"
#include "uia2_polynomial.h"
#include "uia2_single_tags.h"

static const row rows[] = {UEA2_LANES_ROWS("wordsliced-avx2"), UIA2_LANES_ROW("wordsliced-avx2")};

KERNELS_WHERE(ciphermark_snow3g_avx2_rows, rows, RUN_HERE);

#include "instructions_end.h"

#endif
