/*
 * EEA3 and EIA3 over sixteen packets to a vector, by AVX-512 with VBMI, GFNI and VPCLMULQDQ.
 *
 * S0 is a table of 256 bytes in four vectors. S1 is an inversion in a field of 256 elements between
 * affine maps; GFNI inverts in another such field.
 */
#include "rows.h"

#if defined(__x86_64__)

#include "avx512.h"
#include "zuc_cells_ifma.h"
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

static inline vector s0(vector x)
{
    const vector low = _mm512_permutex2var_epi8(load_vector(S0), x, load_vector(S0 + 64));
    const vector high = _mm512_permutex2var_epi8(load_vector(S0 + 128), x, load_vector(S0 + 192));
    return _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(x), high);
}

static inline vector s1(vector x)
{
    const vector in_aes = _mm512_gf2p8affine_epi64_epi8(x, matrix(ZUC_S1_TO_AES), 0);
    return _mm512_gf2p8affineinv_epi64_epi8(in_aes, matrix(ZUC_S1_FROM_AES), ZUC_S1_OF_0);
}

/* Bytes of x where S1 takes them, and of y where S0 does. */
static inline vector mixed(vector x, vector y)
{
    return _mm512_mask_mov_epi8(y, S1_BYTES, x);
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

/* L2, and rotated by 8. */
static inline vector l2_rotated(vector x)
{
    const vector by_24 = rotate24(x);
    return xor3(by_24, x, rotate_left_words(xor3(exchange16(x), by_24, x), 22));
}

/*
 * Of both words together, since each S-box takes half of the bytes of each: the second word is
 * rotated by a byte, which brings the bytes of one S-box to the places of the other.
 */
static inline void next_registers(vector r[2], vector u, vector v)
{
    const vector one = l1(u), other = l2_rotated(v);
    const vector by_s0 = s0(mixed(other, one)), by_s1 = s1(mixed(one, other));
    r[0] = mixed(by_s1, by_s0);
    r[1] = rotate24(mixed(by_s0, by_s1));
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
