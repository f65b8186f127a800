/*
 * AVX-512 and GFNI in portable C, by SIMDe: for tests on processors that lack them, which compile
 * with CIPHERMARK_EMULATED and with the flags of what avx2.h switches on.
 */
#ifndef CIPHERMARK_EMULATED_H
#define CIPHERMARK_EMULATED_H

#include <immintrin.h>

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx2.h>
#include <simde/x86/avx512.h>
#include <simde/x86/clmul.h>
#include <simde/x86/gfni.h>
#include <string.h>

/* SIMDe has no _mm512_shuffle_i64x2; quarters of 128 bits by two bits of imm8 each. */
static inline __m512i ciphermark_shuffle_i64x2(__m512i a, __m512i b, unsigned imm8)
{
    __m128i from[8], to[4];
    memcpy(from, &a, sizeof a);
    memcpy(from + 4, &b, sizeof b);
    to[0] = from[imm8 & 3];
    to[1] = from[imm8 >> 2 & 3];
    to[2] = from[4 + (imm8 >> 4 & 3)];
    to[3] = from[4 + (imm8 >> 6 & 3)];
    memcpy(&a, to, sizeof a);
    return a;
}
#undef _mm512_shuffle_i64x2
#define _mm512_shuffle_i64x2(a, b, imm8) ciphermark_shuffle_i64x2(a, b, imm8)

#endif
