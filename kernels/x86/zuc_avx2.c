/*
 * EEA3 and EIA3 over eight packets to a vector, by AVX2.
 *
 * S0 is a network of three boxes of 4 bits (section 3.4.1 of ZUC's design), so it takes a shuffle
 * for each. S1 is an inversion in a field of 256 elements between affine maps; AES inverts in
 * another field of that size, so AESENCLAST does it, between other affine maps.
 */
#include "rows.h"

#if defined(__x86_64__)

#include "avx2.h"
#include "zuc_cells.h"

#define MOST_GROUPS 2
#define CHUNK 64

/* Bytes of a table by indices less than 16. */
static inline vector look_up(const uint8_t table[16], vector indices)
{
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)table);
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(bytes), indices);
}

#include "zuc_s0.h"

/* A linear map of bytes is the sum of one of each nibble. */
static inline vector mapped(vector x, const uint8_t of_low[16], const uint8_t of_high[16])
{
    return xor2(look_up(of_low, low_nibbles(x)), look_up(of_high, high_nibbles(x)));
}

/*
 * S1 of complements. Its field is that of x^8 + x^7 + x^3 + x + 1; the one of AES has 0x32 as the
 * smallest root of that polynomial, which decides the map to it. The map back is together with
 * the inverse of AES's own affine map and with S1's.
 */
static const uint8_t TO_AES_LOW[16] = {0xe4, 0xe5, 0xd6, 0xd7, 0x97, 0x96, 0xa5, 0xa4,
                                       0x91, 0x90, 0xa3, 0xa2, 0xe2, 0xe3, 0xd0, 0xd1};
static const uint8_t TO_AES_HIGH[16] = {0x00, 0xd9, 0xe8, 0x31, 0xcd, 0x14, 0x25, 0xfc,
                                        0x2d, 0xf4, 0xc5, 0x1c, 0xe0, 0x39, 0x08, 0xd1};
static const uint8_t FROM_AES_LOW[16] = {0xfe, 0xb1, 0x6e, 0x21, 0xb5, 0xfa, 0x25, 0x6a,
                                         0xc9, 0x86, 0x59, 0x16, 0x82, 0xcd, 0x12, 0x5d};
static const uint8_t FROM_AES_HIGH[16] = {0x00, 0x34, 0x42, 0x76, 0x36, 0x02, 0x74, 0x40,
                                          0x66, 0x52, 0x24, 0x10, 0x50, 0x64, 0x12, 0x26};

/* SubBytes, without ShiftRows. */
static inline vector aes_sbox(vector x)
{
    const __m128i low = _mm_aesenclast_si128(_mm256_castsi256_si128(x), _mm_setzero_si128());
    const __m128i high = _mm_aesenclast_si128(_mm256_extracti128_si256(x, 1), _mm_setzero_si128());
    return _mm256_shuffle_epi8(_mm256_set_m128i(high, low),
                               in_both(0x0b0e0104070a0d00, 0x0306090c0f020508));
}

static inline vector s1(vector x)
{
    return mapped(aes_sbox(mapped(x, TO_AES_LOW, TO_AES_HIGH)), FROM_AES_LOW, FROM_AES_HIGH);
}

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

/* The bits of each byte in the other order. */
static inline vector reverse_bits(vector x)
{
    static const uint8_t OF_LOW[16] = {0x00, 0x80, 0x40, 0xc0, 0x20, 0xa0, 0x60, 0xe0,
                                       0x10, 0x90, 0x50, 0xd0, 0x30, 0xb0, 0x70, 0xf0};
    static const uint8_t OF_HIGH[16] = {0x00, 0x08, 0x04, 0x0c, 0x02, 0x0a, 0x06, 0x0e,
                                        0x01, 0x09, 0x05, 0x0d, 0x03, 0x0b, 0x07, 0x0f};
    return mapped(x, OF_LOW, OF_HIGH);
}

#include "eia3_pclmul.h"
#include "eea3eia3_lanes.h"

static const row rows[] = {EEA3_EIA3_LANES_ROWS("wordsliced-avx2")};

KERNELS_WHERE(ciphermark_zuc_wordsliced_avx2_rows, rows, RUN_HERE);

#include "instructions_end.h"

#endif
