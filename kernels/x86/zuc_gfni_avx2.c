/* EEA3 and EIA3 by AVX2, with S1 by GFNI. */
#define WITH_GFNI
#include "rows.h"

#if defined(__x86_64__)

#include "avx2.h"
#include "nibbles.h"
#include "zuc_s1.h"

static inline vector matrix(uint64_t rows)
{
    return _mm256_set1_epi64x((long long)rows);
}

static inline vector s1(vector x)
{
    const vector in_aes = _mm256_gf2p8affine_epi64_epi8(x, matrix(ZUC_S1_TO_AES), ZUC_S1_ALL_ONES);
    return _mm256_gf2p8affineinv_epi64_epi8(in_aes, matrix(ZUC_S1_FROM_AES), ZUC_S1_OF_0);
}

static inline vector reverse_bits(vector x)
{
    return _mm256_gf2p8affine_epi64_epi8(x, matrix(REVERSED_BITS), 0);
}

#include "zuc_avx2.h"

static const row rows[] = {EEA3EIA3_LANES_ROWS("wordsliced-gfni-avx2")};

KERNELS_WHERE(ciphermark_zuc_wordsliced_gfni_avx2_rows, rows, RUN_HERE);

#include "instructions_end.h"

#endif
