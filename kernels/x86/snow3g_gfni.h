/*
 * What SNOW 3G (3GPP TS 35.216) does to single bytes, but for S_Q, by GFNI, for
 * lanes/snow3g_lanes.h. To be included by a file that has a vector header, and
 *
 *     AFFINE(x, matrix, constant), AFFINE_INVERSE(x, matrix, constant)   of each byte
 */
#ifndef CIPHERMARK_SNOW3G_GFNI_H
#define CIPHERMARK_SNOW3G_GFNI_H

#include "gfni.h"
#include "snow3g_alpha.h"

/* FIPS 197, section 5.1.1: the linear part after the inversion. */
#define ROTATED(b, bits) ((b) << (bits) | (b) >> (8 - (bits)))
#define SR_LINEAR(b) \
    (((b) ^ ROTATED(b, 1) ^ ROTATED(b, 2) ^ ROTATED(b, 3) ^ ROTATED(b, 4)) & 0xff)

static inline void sr(vector s[4], const vector x[4])
{
    unsigned i;
    for (i = 0; i < 4; i++)
        s[i] = AFFINE_INVERSE(x[i], GFNI_MATRIX(SR_LINEAR, 0), 0x63);
}

#define TIMES_X_1B(v) (((v) << 1 ^ ((v) >> 7) * 0x1b) & 0xff)
#define TIMES_X_69(v) (((v) << 1 ^ ((v) >> 7) * 0x69) & 0xff)

static inline vector times_x_1b(vector x)
{
    return AFFINE(x, GFNI_MATRIX(TIMES_X_1B, 0), 0);
}

static inline vector times_x_69(vector x)
{
    return AFFINE(x, GFNI_MATRIX(TIMES_X_69, 0), 0);
}

static inline void mul_alpha(vector product[4], vector byte)
{
    product[0] = AFFINE(byte, GFNI_MATRIX(SNOW3G_MUL_ALPHA, 24), 0);
    product[1] = AFFINE(byte, GFNI_MATRIX(SNOW3G_MUL_ALPHA, 16), 0);
    product[2] = AFFINE(byte, GFNI_MATRIX(SNOW3G_MUL_ALPHA, 8), 0);
    product[3] = AFFINE(byte, GFNI_MATRIX(SNOW3G_MUL_ALPHA, 0), 0);
}

static inline void div_alpha(vector quotient[4], vector byte)
{
    quotient[0] = AFFINE(byte, GFNI_MATRIX(SNOW3G_DIV_ALPHA, 24), 0);
    quotient[1] = AFFINE(byte, GFNI_MATRIX(SNOW3G_DIV_ALPHA, 16), 0);
    quotient[2] = AFFINE(byte, GFNI_MATRIX(SNOW3G_DIV_ALPHA, 8), 0);
    quotient[3] = AFFINE(byte, GFNI_MATRIX(SNOW3G_DIV_ALPHA, 0), 0);
}

#endif
