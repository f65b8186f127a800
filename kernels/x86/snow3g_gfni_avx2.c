/*
 * UEA2 and UIA2 of eight packets by AVX2 with GFNI: S1 by a round of AES, S_Q as the polynomial that
 * it is made of, MULalpha and DIValpha by matrices.
 */
#include "rows.h"

#if defined(__x86_64__)

#define WITH_GFNI
#include "avx2.h"
#include "gfni.h"
#include "multiply64.h"
#include "pclmulqdq.h"
#include "snow3g_alpha.h"
#include "snow3g_words_avx2.h"

#define AFFINE(x, matrix, constant) _mm256_gf2p8affine_epi64_epi8(x, same64(matrix), constant)

/*
 * The table of S_Q is D(x) ^ 0x25, where D is the Dickson polynomial of degree 49 over GF(2^8)
 * modulo x^8 + x^6 + x^5 + x^3 + 1: that of degree 7, taken twice. GFNI multiplies modulo another
 * polynomial, in a field where 0x12 is a root of that one: powers of x become powers of it.
 */
#define TO_GFNI(v) \
    (SNOW3G_BIT(v, 0, 0x01) ^ SNOW3G_BIT(v, 1, 0x12) ^ SNOW3G_BIT(v, 2, 0x1f) ^ \
     SNOW3G_BIT(v, 3, 0xd5) ^ SNOW3G_BIT(v, 4, 0x4e) ^ SNOW3G_BIT(v, 5, 0x10) ^ \
     SNOW3G_BIT(v, 6, 0x3b) ^ SNOW3G_BIT(v, 7, 0xeb))
#define FROM_GFNI(v) \
    (SNOW3G_BIT(v, 0, 0x01) ^ SNOW3G_BIT(v, 1, 0x22) ^ SNOW3G_BIT(v, 2, 0xc9) ^ \
     SNOW3G_BIT(v, 3, 0xce) ^ SNOW3G_BIT(v, 4, 0x20) ^ SNOW3G_BIT(v, 5, 0x8d) ^ \
     SNOW3G_BIT(v, 6, 0x35) ^ SNOW3G_BIT(v, 7, 0xd5))

/* Squaring in GFNI's field is linear. */
#define SQUARE(v) \
    (SNOW3G_BIT(v, 0, 0x01) ^ SNOW3G_BIT(v, 1, 0x04) ^ SNOW3G_BIT(v, 2, 0x10) ^ \
     SNOW3G_BIT(v, 3, 0x40) ^ SNOW3G_BIT(v, 4, 0x1b) ^ SNOW3G_BIT(v, 5, 0x6c) ^ \
     SNOW3G_BIT(v, 6, 0xab) ^ SNOW3G_BIT(v, 7, 0x9a))

/* x^7 + x^5 + x = x ((x + 1) x^2 + 1)^2 */
static inline vector dickson7(vector x)
{
    const vector square = AFFINE(x, GFNI_MATRIX(SQUARE, 0), 0);
    const vector product = _mm256_gf2p8mul_epi8(xor2(x, all8(1)), square);
    return _mm256_gf2p8mul_epi8(AFFINE(product, GFNI_MATRIX(SQUARE, 0), 0x01), x);
}

static inline vector sq(vector x)
{
    return AFFINE(dickson7(dickson7(AFFINE(x, GFNI_MATRIX(TO_GFNI, 0), 0))),
                  GFNI_MATRIX(FROM_GFNI, 0), 0x25);
}

static inline vector times_x_69(vector x)
{
    return AFFINE(x, GFNI_MATRIX(SNOW3G_TIMES_X_69, 0), 0);
}

/*
 * A matrix of GFNI is that of eight bytes, so the bytes of the four packets of a half are brought
 * together, four times; of each eight bytes that are multiplied, the lower four are those of one byte
 * of the product, and the upper four of another.
 */
static inline vector four_times(vector x, uint64_t places)
{
    return _mm256_shuffle_epi8(x, in_both(places, places));
}

#define BYTES(map, low, high) in_both(GFNI_MATRIX(map, low), GFNI_MATRIX(map, high))

static inline vector alphas(const vector *s)
{
    const vector first = four_times(s[0], 0x0f0b07030f0b0703);
    const vector last = four_times(s[11], 0x0c0804000c080400);
    const vector bytes02 = xor2(
        _mm256_gf2p8affine_epi64_epi8(first, BYTES(SNOW3G_MUL_ALPHA, 0, 16), 0),
        _mm256_gf2p8affine_epi64_epi8(last, BYTES(SNOW3G_DIV_ALPHA, 0, 16), 0));
    const vector bytes13 = xor2(
        _mm256_gf2p8affine_epi64_epi8(first, BYTES(SNOW3G_MUL_ALPHA, 8, 24), 0),
        _mm256_gf2p8affine_epi64_epi8(last, BYTES(SNOW3G_DIV_ALPHA, 8, 24), 0));
    return _mm256_shuffle_epi8(_mm256_blend_epi32(bytes02, bytes13, 0xaa),
                               in_both(0x0d0905010c080400, 0x0f0b07030e0a0602));
}

/* They are quick enough one by one. */
static inline void prepare_alphas(vector *s)
{
    (void)s;
}

#include "snow3g_words.h"
#include "uea2uia2_lanes.h"
#include "uia2_polynomial.h"
#include "uia2_single_tags.h"

static const row rows[] = {UEA2_LANES_ROWS("wordsliced-gfni-avx2"),
                           UIA2_LANES_ROW("wordsliced-gfni-avx2")};

KERNELS_WHERE(ciphermark_snow3g_gfni_avx2_rows, rows, RUN_HERE);

#include "instructions_end.h"

#endif
