/*
 * EEA3 and EIA3 over eight packets to a vector, to be included after avx2.h by a file that has
 *
 *     s1(x)             S1 of the complements of bytes
 *     reverse_bits(x)   of each byte
 */
#ifndef CIPHERMARK_ZUC_AVX2_H
#define CIPHERMARK_ZUC_AVX2_H

#include "zuc_cells.h"

#define CHUNK 192

static inline vector rotate8(vector x)
{
    return _mm256_shuffle_epi8(x, in_both(0x0605040702010003, 0x0e0d0c0f0a09080b));
}

static inline vector rotate24(vector x)
{
    return _mm256_shuffle_epi8(x, in_both(0x0407060500030201, 0x0c0f0e0d080b0a09));
}

/* In each half the even bytes, and then the odd ones. */
static inline vector part_bytes(vector x)
{
    return _mm256_shuffle_epi8(x, in_both(0x0e0c0a0806040200, 0x0f0d0b0907050301));
}

#include "zuc_l.h"
#include "zuc_s0.h"

/* Each S-box takes its bytes of both words at once; they are of complements. */
static inline void next_registers(vector r[2], vector u, vector v)
{
    const vector bytes_u = part_bytes(l1(u)), bytes_v = part_bytes(l2(v));
    const vector even = s1(interleave_low64(bytes_u, bytes_v));
    const vector odd = s0(interleave_high64(bytes_u, bytes_v));
    r[0] = interleave_low8(even, odd);
    r[1] = interleave_high8(even, odd);
}

#define crossed upper_lower16

#include "zuc_lanes.h"
#include "eia3_pclmul.h"
#include "eea3eia3_lanes.h"

#endif
