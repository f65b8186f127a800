/*
 * EEA3 and EIA3 over sixteen packets to a vector, by AVX-512 with VBMI, GFNI and VPCLMULQDQ.
 *
 * S0 is a table of 256 bytes in four vectors. S1 is an inversion in a field of 256 elements between
 * affine maps; GFNI inverts in another such field.
 */
#include "rows.h"

#if defined(__x86_64__)

#include "avx512.h"
#include "zuc_cells.h"
#include "zuc_s1.h"
#include "zuc_tables.h"

#define CHUNK 192

/* The bytes that S1 takes of each word (section 3.4.1); S0 takes the others. */
#define S1_BYTES 0x5555555555555555

#define ITSELF(value) value
static const uint8_t S0[256] = {ZUC_S0(ITSELF)};

static inline vector matrix(uint64_t rows)
{
    return _mm512_set1_epi64((long long)rows);
}

static inline vector substitute(vector x)
{
    const vector low = _mm512_permutex2var_epi8(load_vector(S0), x, load_vector(S0 + 64));
    const vector high = _mm512_permutex2var_epi8(load_vector(S0 + 128), x, load_vector(S0 + 192));
    const vector s0 = _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(x), high);
    const vector in_aes = _mm512_gf2p8affine_epi64_epi8(x, matrix(ZUC_S1_TO_AES), 0);
    return _mm512_mask_gf2p8affineinv_epi64_epi8(s0, S1_BYTES, in_aes, matrix(ZUC_S1_FROM_AES),
                                                 ZUC_S1_OF_0);
}

static inline vector rotate8(vector x)
{
    return _mm512_rol_epi32(x, 8);
}

static inline vector rotate24(vector x)
{
    return _mm512_rol_epi32(x, 24);
}

#include "zuc_l.h"

/* Complemented, since S0 is by a table of what it is of. */
static inline vector crossed(vector a, vector b)
{
    return _mm512_ternarylogic_epi32(all32(0xffff), b, a, 0x35);
}

static inline void next_registers(vector r[2], vector u, vector v)
{
    r[0] = substitute(l1(u));
    r[1] = substitute(l2(v));
}

#include "zuc_lanes.h"

/* The bits of each byte in the other order. */
static inline vector reverse_bits(vector x)
{
    return _mm512_gf2p8affine_epi64_epi8(x, matrix(REVERSED_BITS), 0);
}

#include "eia3_vpclmul.h"
#include "eea3eia3_lanes.h"

static const row rows[] = {EEA3EIA3_LANES_ROWS("wordsliced-avx512")};

KERNELS_WHERE(ciphermark_zuc_wordsliced_avx512_rows, rows, RUN_HERE);

#include "instructions_end.h"

#endif
