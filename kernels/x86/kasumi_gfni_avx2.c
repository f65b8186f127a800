/*
 * KASUMI over 32 packets a group, by AVX2 with GFNI: what is linear in a byte is one instruction.
 */
#include "rows.h"

#if defined(__x86_64__)

#define WITH_GFNI
#include "avx2.h"

#define MOST_GROUPS 2
#define EACH_COUNT(X) X(1) X(2)
#define ROUNDS_WRITTEN_OUT 1

#include "kasumi_avx2_lookups.h"
#include "kasumi_step.h"

static inline vector map(uint64_t matrix, vector x)
{
    return _mm256_gf2p8affine_epi64_epi8(x, _mm256_set1_epi64x((long long)matrix), 0);
}

/* A map whose constant must be part of the instruction. */
#define AFFINE_MAP(prefix, x) \
    _mm256_gf2p8affine_epi64_epi8(x, _mm256_set1_epi64x((long long)prefix##_NINTH), \
                                  prefix##_NINTH_CONSTANT)

struct indices {
    vector low, high, both, mixed0, mixed1;
};

INLINED struct indices indices(struct step x)
{
    struct indices at;
    at.low = and2(x.nine, all8(0x0f));
    at.high = map(KASUMI_HIGH, x.nine);
    at.both = xor2(at.low, at.high);
    at.mixed0 = map(KASUMI_MIXED0, x.nine);
    at.mixed1 = map(KASUMI_MIXED1, x.nine);
    return at;
}

/* Those of both maps' images whose ninth bit, the sign of `seven`, is clear. */
INLINED struct step if_clear(vector to_nine, vector to_seven, struct step x)
{
    const vector set = _mm256_cmpgt_epi8(_mm256_setzero_si256(), x.seven);
    const struct step change = {_mm256_andnot_si256(set, to_nine),
                                _mm256_andnot_si256(set, to_seven)};
    return change;
}

INLINED struct step first_change(struct step x, const struct indices *at)
{
    (void)at;
    return if_clear(AFFINE_MAP(KASUMI_FIRST_TO_NINE, x.nine),
                    AFFINE_MAP(KASUMI_FIRST_TO_SEVEN, x.nine), x);
}

INLINED struct step second_change(struct step x, const struct indices *at)
{
    (void)at;
    return if_clear(AFFINE_MAP(KASUMI_SECOND_TO_NINE, x.nine),
                    AFFINE_MAP(KASUMI_SECOND_TO_SEVEN, x.nine), x);
}

#include "kasumi_shuffles.h"
#include "byte_blocks.h"
#include "f8f9_lanes.h"

static const row rows[] = {F8F9_LANES_ROWS("bytesliced-gfni-avx2")};

KERNELS_WHERE(ciphermark_kasumi_bytesliced_gfni_avx2_rows, rows, RUN_HERE);

#include "instructions_end.h"

#endif
