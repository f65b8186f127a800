/*
 * KASUMI over 64 packets a group, by AVX-512 with VBMI and GFNI.
 *
 * S9 is quadratic over GF(2). With L = (u, a, b), u being seven bits and a and b one each,
 *
 *     S9[L] = T[u] ^ a M(u) ^ b N(u, a)
 *
 * M and N being affine. T[u] is one lookup in two registers (128 entries), and so is S7, which needs
 * no more. u and a are `nine`, a being its sign, and b is the sign of `seven`; lookups do not see a
 * sign. So a M(u) is a linear map of what is `nine` where that is negative and 0 elsewhere, a
 * minimum; and b N(u, a) is an affine map under the sign of `seven` spread over its byte.
 *
 * Each step does that twice, for nine of the bits have a use in `nine` and in `seven`.
 */
#include "rows.h"

#if defined(__x86_64__)

#include "avx512.h"

#define ROUNDS_WRITTEN_OUT 2
#define MOST_GROUPS 3
#define EACH_COUNT(X) X(1) X(2) X(3)

#include "kasumi_step.h"

/* The entry of a byte without its sign. */
static inline vector lookup128(const uint8_t table[128], vector index)
{
    return _mm512_permutex2var_epi8(load_vector(table), index, load_vector(table + 64));
}

static inline vector map(uint64_t matrix, vector x)
{
    return _mm512_gf2p8affine_epi64_epi8(x, _mm512_set1_epi64((long long)matrix), 0);
}

#define SIGN_EVERYWHERE 0x8080808080808080

/* a ^ (b & c) */
static inline vector xor_and(vector a, vector b, vector c)
{
    return _mm512_ternarylogic_epi64(a, b, c, 0x78);
}

/* The maps of the ninth bit, whose constants must be part of the instruction. */
#define MAP_OF_NINTH(name, matrix, constant) \
    static inline vector name(vector x) \
    { \
        return _mm512_gf2p8affine_epi64_epi8(x, _mm512_set1_epi64((long long)(matrix)), constant); \
    }
#define MAPS_OF_NINTH(name, prefix) MAP_OF_NINTH(name, prefix##_NINTH, prefix##_NINTH_CONSTANT)

MAPS_OF_NINTH(first_ninth_to_nine, KASUMI_FIRST_TO_NINE)
MAPS_OF_NINTH(first_ninth_to_seven, KASUMI_FIRST_TO_SEVEN)
MAPS_OF_NINTH(second_ninth_to_nine, KASUMI_SECOND_TO_NINE)
MAPS_OF_NINTH(second_ninth_to_seven, KASUMI_SECOND_TO_SEVEN)

VECTOR_TABLE FIRST_SEVEN[128] = {KASUMI_FIRST_SEVEN};
VECTOR_TABLE FIRST_TO_NINE[128] = {KASUMI_FIRST_TO_NINE_TABLE};
VECTOR_TABLE FIRST_TO_SEVEN[128] = {KASUMI_FIRST_TO_SEVEN_TABLE};
VECTOR_TABLE SECOND_SEVEN[128] = {KASUMI_SECOND_SEVEN};
VECTOR_TABLE SECOND_TO_NINE[128] = {KASUMI_SECOND_TO_NINE_TABLE};
VECTOR_TABLE SECOND_TO_SEVEN[128] = {KASUMI_SECOND_TO_SEVEN_TABLE};

/* `nine` where it is negative, and 0 elsewhere. */
static inline vector if_negative(vector nine)
{
    return _mm512_min_epi8(nine, _mm512_setzero_si512());
}

ALWAYS_INLINE struct step first_step(struct step x, struct step one)
{
    const vector a = if_negative(x.nine), b = map(SIGN_EVERYWHERE, x.seven);
    const vector to_nine = xor_and(xor2(x.seven, one.nine), b, first_ninth_to_nine(x.nine));
    const vector to_seven = xor_and(one.seven, b, first_ninth_to_seven(x.nine));
    struct step y;
    y.nine = xor3(to_nine, map(KASUMI_FIRST_TO_NINE_SIGN, a), lookup128(FIRST_TO_NINE, x.nine));
    y.seven = xor3(xor2(to_seven, lookup128(FIRST_SEVEN, x.seven)),
                   map(KASUMI_FIRST_TO_SEVEN_SIGN, a), lookup128(FIRST_TO_SEVEN, x.nine));
    return y;
}

ALWAYS_INLINE struct step second_step(struct step x, struct step one, struct step other)
{
    const vector a = if_negative(x.nine), b = map(SIGN_EVERYWHERE, x.seven);
    const vector to_nine =
        xor_and(xor3(x.seven, one.nine, other.nine), b, second_ninth_to_nine(x.nine));
    const vector to_seven =
        xor_and(xor3(one.seven, other.seven, map(KASUMI_SECOND_TO_SEVEN_SIGN, a)), b,
                second_ninth_to_seven(x.nine));
    struct step y;
    y.nine = xor3(to_nine, map(KASUMI_SECOND_TO_NINE_SIGN, a), lookup128(SECOND_TO_NINE, x.nine));
    y.seven =
        xor3(to_seven, lookup128(SECOND_TO_SEVEN, x.nine), lookup128(SECOND_SEVEN, x.seven));
    return y;
}

#include "byte_blocks.h"
#include "f8f9_lanes.h"

static const row rows[] = {F8F9_LANES_ROWS("bytesliced-avx512")};

KERNELS_WHERE(ciphermark_kasumi_bytesliced_avx512_rows, rows, RUN_HERE);

#include "instructions_end.h"

#endif
