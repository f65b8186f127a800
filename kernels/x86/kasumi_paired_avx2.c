/*
 * KASUMI over at most 8 packets (kasumi_paired.h), by AVX2: what kasumi_avx2.c leaves to it.
 *
 * The halves of a vector look the same indices up in two tables: in the lower one for `nine`, in the upper
 * one for `seven` (kasumi_step.h).
 */
#include "rows.h"

#if defined(__x86_64__)

#include "avx2.h"

#include "kasumi_step.h"

/* ---- Halves, which have the same packets ----------------------------------------------------- */

/* The lower half in both, and the upper one. */
static inline vector low_halves(vector x)
{
    return _mm256_inserti128_si256(x, _mm256_castsi256_si128(x), 1);
}

static inline vector high_halves(vector x)
{
    return _mm256_permute2x128_si256(x, x, 0x11);
}

static inline vector halves_exchanged(vector x)
{
    return _mm256_permute2x128_si256(x, x, 0x01);
}

/* ---- Steps of FI ----------------------------------------------------------------------------- */

/* Of each lookup a table for both halves. */
struct both_tables {
    uint8_t low[32], high[32], both[32], mixed[32], mixed_other[32];
    uint8_t low_clear[32], high_clear[32];
    uint8_t seven[4][32]; /* differences, from each 64 on */
};

#define BOTH_TABLES(prefix) {prefix##_BOTH, {prefix##_BOTH_SEVEN}}

static const struct both_tables __attribute__((aligned(64))) FIRST = BOTH_TABLES(KASUMI_FIRST);
static const struct both_tables __attribute__((aligned(64))) SECOND = BOTH_TABLES(KASUMI_SECOND);

VECTOR_TABLE MIXES[2][16] = {KASUMI_MIXES};

static inline vector in_both_tables(const uint8_t tables[32], vector index)
{
    return _mm256_shuffle_epi8(load_vector(tables), index);
}

/* Both mixtures, see indices(): one in each half, and the other way round. */
static inline vector mixed(vector low, vector high, unsigned first)
{
    const __m128i one = _mm_loadu_si128((const void *)MIXES[first]);
    const __m128i other = _mm_loadu_si128((const void *)MIXES[1 - first]);
    const vector tables = _mm256_inserti128_si256(_mm256_castsi128_si256(one), other, 1);
    return xor2(low, _mm256_shuffle_epi8(tables, high));
}

/* What S9 adds to `nine` in the lower half, and to `seven` in the upper one. */
INLINED vector both_of_nine(const struct both_tables *tables, struct step x)
{
    const vector sign = and2(x.seven, all8(0x80));
    const vector low = and2(x.nine, all8(0x0f)), high = shift_right8(x.nine, 4);
    const vector by_halves =
        xor2(in_both_tables(tables->low, low), in_both_tables(tables->high, high));
    const vector by_mixed = xor2(in_both_tables(tables->mixed, mixed(low, high, 0)),
                                 in_both_tables(tables->mixed_other, mixed(low, high, 1)));
    const vector clear = xor2(in_both_tables(tables->low_clear, or2(low, sign)),
                              in_both_tables(tables->high_clear, or2(high, sign)));
    const vector by_both = in_both_tables(tables->both, xor2(low, high));
    return xor2(xor2(by_halves, by_both), xor2(by_mixed, clear));
}

/* What S7 adds to `seven`: each half finds what is in its half of the table (lookup128). */
INLINED vector of_seven(const struct both_tables *tables, struct step x)
{
    const vector offset = _mm256_inserti128_si256(_mm256_setzero_si256(), _mm_set1_epi8(64), 1);
    const vector at = _mm256_sub_epi8(and2(x.seven, all8(0x7f)), offset);
    vector sum = in_both_tables(tables->seven[0], at);
    unsigned i;
    for (i = 1; i < 4; i++) {
        const vector from = _mm256_sub_epi8(at, all8((uint8_t)(16 * i)));
        sum = xor2(sum, in_both_tables(tables->seven[i], from));
    }
    return xor2(sum, halves_exchanged(sum));
}

INLINED struct step both_step(const struct both_tables *tables, struct step x, struct step sum)
{
    const vector nine = both_of_nine(tables, x);
    const struct step y = {xor3(low_halves(nine), x.seven, sum.nine),
                           xor3(high_halves(nine), of_seven(tables, x), sum.seven)};
    return y;
}

#define paired_step both_step
#define PAIRED_F8 ciphermark_f8_paired_avx2
#define PAIRED_F9 ciphermark_f9_paired_avx2
#include "kasumi_paired.h"

#include "instructions_end.h"

#endif
