/* A product of two polynomials, for lanes/uia2_polynomial.h; after a vector header. */
#ifndef CIPHERMARK_MULTIPLY64_H
#define CIPHERMARK_MULTIPLY64_H

#include "uea2uia2.h"

static inline uint64_t multiply(uint64_t a, uint64_t b)
{
    const __m128i rest = _mm_cvtsi64_si128(X_TO_64);
    const __m128i product =
        _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)a), _mm_cvtsi64_si128((long long)b), 0);
    const __m128i once = _mm_clmulepi64_si128(product, rest, 0x01);
    const __m128i twice = _mm_clmulepi64_si128(once, rest, 0x01);
    return (uint64_t)_mm_cvtsi128_si64(_mm_xor_si128(_mm_xor_si128(product, once), twice));
}

#endif
