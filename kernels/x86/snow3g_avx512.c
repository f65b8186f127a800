/*
 * UEA2 and UIA2 of 16 packets by AVX-512: S1 by a round of AES, S_Q by permutes of bytes, MULalpha and
 * DIValpha by GFNI.
 */
#include "rows.h"

#if defined(__x86_64__)

#include "avx512.h"
#include "gfni.h"
#include "multiply64.h"
#include "snow3g_alpha.h"
#include "snow3g_sbox.h"
#include "vpclmulqdq.h"

/* The same 16 bytes in all quarters. */
static inline vector in_quarters(const uint8_t bytes[16])
{
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const void *)bytes));
}

/* The rows are where they were after the round has shifted them. */
static inline vector s1(vector w)
{
    static const uint8_t rows_shifted_back[16] = {0, 13, 10, 7, 4, 1,  14, 11,
                                                  8, 5,  2,  15, 12, 9, 6,  3};
    return _mm512_aesenc_epi128(_mm512_shuffle_epi8(w, in_quarters(rows_shifted_back)),
                                _mm512_setzero_si512());
}

#define ITSELF(value) value
static const uint8_t SQ[256] = {SNOW3G_SQ(ITSELF)};

static inline vector sq(vector x)
{
    const vector low = _mm512_permutex2var_epi8(load_vector(SQ), x, load_vector(SQ + 64));
    const vector high = _mm512_permutex2var_epi8(load_vector(SQ + 128), x, load_vector(SQ + 192));
    return _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(x), high);
}

static inline vector times_x_69(vector x)
{
    return _mm512_gf2p8affine_epi64_epi8(x, same64(GFNI_MATRIX(SNOW3G_TIMES_X_69, 0)), 0);
}

static inline vector rotate24(vector x)
{
    return _mm512_rol_epi32(x, 24);
}

/*
 * A matrix of GFNI is that of eight bytes, so the bytes of eight packets are brought together, once
 * for each byte of the product: quads 0 to 3 of packets 0 to 7, the last byte of the word first, and
 * quads 4 to 7 of the others.
 */
#define EIGHT(X, quad) \
    X(quad, 0), X(quad, 1), X(quad, 2), X(quad, 3), X(quad, 4), X(quad, 5), X(quad, 6), X(quad, 7)
#define EACH_QUAD(X) \
    EIGHT(X, 0), EIGHT(X, 1), EIGHT(X, 2), EIGHT(X, 3), EIGHT(X, 4), EIGHT(X, 5), EIGHT(X, 6), \
        EIGHT(X, 7)
#define FIRST_BYTE(quad, i) 4 * ((quad) / 4 * 8 + (i)) + 3
#define LAST_BYTE(quad, i) 4 * ((quad) / 4 * 8 + (i))
static const uint8_t first_bytes[64] = {EACH_QUAD(FIRST_BYTE)};
static const uint8_t last_bytes[64] = {EACH_QUAD(LAST_BYTE)};

/* Where byte i of eight stands in that order: byte i % 4 of a word of packet quad * 2 + i / 4. */
#define BACK(quad, i) 8 * ((quad) / 4 * 4 + (i) % 4) + ((quad) * 2 + (i) / 4) % 8
static const uint8_t back[64] = {EACH_QUAD(BACK)};

#define FOUR_MATRICES(map) \
    GFNI_MATRIX(map, 0), GFNI_MATRIX(map, 8), GFNI_MATRIX(map, 16), GFNI_MATRIX(map, 24)
static const uint64_t mul_alpha[8] = {FOUR_MATRICES(SNOW3G_MUL_ALPHA),
                                      FOUR_MATRICES(SNOW3G_MUL_ALPHA)};
static const uint64_t div_alpha[8] = {FOUR_MATRICES(SNOW3G_DIV_ALPHA),
                                      FOUR_MATRICES(SNOW3G_DIV_ALPHA)};

static inline vector alphas(const vector *s)
{
    const vector first = _mm512_permutexvar_epi8(load_vector(first_bytes), s[0]);
    const vector last = _mm512_permutexvar_epi8(load_vector(last_bytes), s[11]);
    const vector product = _mm512_gf2p8affine_epi64_epi8(first, load_vector(mul_alpha), 0);
    const vector quotient = _mm512_gf2p8affine_epi64_epi8(last, load_vector(div_alpha), 0);
    return _mm512_permutexvar_epi8(load_vector(back), xor2(product, quotient));
}

/* They are quick enough one by one. */
static inline void prepare_alphas(vector *s)
{
    (void)s;
}

static inline vector load_fourths(const uint8_t *row)
{
    return load_apart16(row, 4 * 16);
}

#include "snow3g_words.h"
#include "uea2uia2_lanes.h"
#include "uia2_tags.h"

static const row rows[] = {UEA2_LANES_ROWS("wordsliced-avx512"),
                           UIA2_LANES_ROW("wordsliced-avx512")};

KERNELS_WHERE(ciphermark_snow3g_avx512_rows, rows, RUN_HERE);

#include "instructions_end.h"

#endif
