/*
 * UEA2 and UIA2 of 64 packets by AVX-512: all linear maps of a byte and the inversion of S_R by
 * GFNI, S_Q by permutes of bytes.
 */
#include "rows.h"

#if defined(__x86_64__)

#include "avx512.h"
#include "multiply64.h"
#include "snow3g_sbox.h"
#include "vpclmulqdq.h"

#define AFFINE(x, matrix, constant) \
    _mm512_gf2p8affine_epi64_epi8(x, _mm512_set1_epi64((long long)(matrix)), constant)
#define AFFINE_INVERSE(x, matrix, constant) \
    _mm512_gf2p8affineinv_epi64_epi8(x, _mm512_set1_epi64((long long)(matrix)), constant)

#include "snow3g_gfni.h"

#define ITSELF(value) value
static const uint8_t SQ[256] = {SNOW3G_SQ(ITSELF)};

/* Both halves by the low seven bits: the lower half, and what the upper one differs by. */
static inline vector sq_byte(vector x)
{
    const vector low = load_vector(SQ), high = load_vector(SQ + 64);
    const vector low_change = xor2(low, load_vector(SQ + 128));
    const vector high_change = xor2(high, load_vector(SQ + 192));
    return xor2(_mm512_permutex2var_epi8(low, x, high),
                _mm512_maskz_permutex2var_epi8(_mm512_movepi8_mask(x), low_change, x, high_change));
}

static inline void sq(vector s[4], const vector x[4])
{
    unsigned i;
    for (i = 0; i < 4; i++)
        s[i] = sq_byte(x[i]);
}

/*
 * A byte carries where its own sum is less than one of both, or is 255 and carried to. Whether it
 * would does not wait for the bytes below, so that what waits is short.
 */
static inline void add_words(vector sum[4], const vector a[4], const vector b[4])
{
    const vector most = all8(0xff);
    __mmask64 carries = 0;
    unsigned i = 4;
    while (i-- > 0) {
        const vector own = add8(a[i], b[i]);
        const __mmask64 over = _mm512_cmplt_epu8_mask(own, a[i]);
        sum[i] = _mm512_mask_sub_epi8(own, carries, own, most);
        carries = over | (_mm512_cmpeq_epi8_mask(own, most) & carries);
    }
}

#define WRITES_TAGS_TOGETHER

#include "uia2_polynomial.h"
#include "uea2uia2_lanes.h"
#include "uia2_tags.h"

static const row rows[] = {UEA2_LANES_ROWS("bytesliced-avx512"),
                           UIA2_LANES_ROW("bytesliced-avx512")};

KERNELS_WHERE(ciphermark_snow3g_avx512_rows, rows, RUN_HERE);

#include "instructions_end.h"

#endif
