/*
 * UEA2 and UIA2 of 32 packets by AVX2 with GFNI: linear maps of a byte, the inversion of S_R, and
 * S_Q as the polynomial that it is made of.
 */
#include "rows.h"

#if defined(__x86_64__)

#define WITH_GFNI
#include "avx2.h"
#include "multiply64.h"
#include "pclmulqdq.h"
#include "snow3g_avx2.h"

#define AFFINE(x, matrix, constant) \
    _mm256_gf2p8affine_epi64_epi8(x, _mm256_set1_epi64x((long long)(matrix)), constant)
#define AFFINE_INVERSE(x, matrix, constant) \
    _mm256_gf2p8affineinv_epi64_epi8(x, _mm256_set1_epi64x((long long)(matrix)), constant)

#include "snow3g_gfni.h"

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

static inline void sq(vector s[4], const vector x[4])
{
    unsigned i;
    for (i = 0; i < 4; i++)
        s[i] = AFFINE(dickson7(dickson7(AFFINE(x[i], GFNI_MATRIX(TO_GFNI, 0), 0))),
                      GFNI_MATRIX(FROM_GFNI, 0), 0x25);
}

#include "uia2_polynomial.h"
#include "uea2uia2_lanes.h"

static const row rows[] = {UEA2_LANES_ROWS("bytesliced-gfni-avx2"),
                           UIA2_LANES_ROW("bytesliced-gfni-avx2")};

KERNELS_WHERE(ciphermark_snow3g_gfni_avx2_rows, rows, RUN_HERE);

#include "instructions_end.h"

#endif
