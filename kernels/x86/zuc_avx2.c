/*
 * EEA3 and EIA3 by AVX2.
 *
 * S1 is an inversion between affine maps, and so is the S-box of AES in another field. AESENCLAST
 * does it, between affine maps from field to field, which are two shuffles each.
 */
#include "rows.h"

#if defined(__x86_64__)

#include "avx2.h"
#include "nibbles.h"

/*
 * See zuc_s1.h for the fields: to that of AES, of complements; and back, with the inverse of AES's
 * own affine map before and S1's after it.
 */
static const uint8_t TO_AES_LOW[16] = {0xe4, 0xe5, 0xd6, 0xd7, 0x97, 0x96, 0xa5, 0xa4,
                                       0x91, 0x90, 0xa3, 0xa2, 0xe2, 0xe3, 0xd0, 0xd1};
static const uint8_t TO_AES_HIGH[16] = {0x00, 0xd9, 0xe8, 0x31, 0xcd, 0x14, 0x25, 0xfc,
                                        0x2d, 0xf4, 0xc5, 0x1c, 0xe0, 0x39, 0x08, 0xd1};
static const uint8_t FROM_AES_LOW[16] = {0xfe, 0xb1, 0x6e, 0x21, 0xb5, 0xfa, 0x25, 0x6a,
                                         0xc9, 0x86, 0x59, 0x16, 0x82, 0xcd, 0x12, 0x5d};
static const uint8_t FROM_AES_HIGH[16] = {0x00, 0x34, 0x42, 0x76, 0x36, 0x02, 0x74, 0x40,
                                          0x66, 0x52, 0x24, 0x10, 0x50, 0x64, 0x12, 0x26};

static inline vector s1(vector x)
{
    return mapped(aes_sbox(mapped(x, TO_AES_LOW, TO_AES_HIGH)), FROM_AES_LOW, FROM_AES_HIGH);
}

/* The bits of each byte in the other order. */
static inline vector reverse_bits(vector x)
{
    static const uint8_t OF_LOW[16] = {0x00, 0x80, 0x40, 0xc0, 0x20, 0xa0, 0x60, 0xe0,
                                       0x10, 0x90, 0x50, 0xd0, 0x30, 0xb0, 0x70, 0xf0};
    static const uint8_t OF_HIGH[16] = {0x00, 0x08, 0x04, 0x0c, 0x02, 0x0a, 0x06, 0x0e,
                                        0x01, 0x09, 0x05, 0x0d, 0x03, 0x0b, 0x07, 0x0f};
    return mapped(x, OF_LOW, OF_HIGH);
}

#include "zuc_avx2.h"

static const row rows[] = {EEA3EIA3_LANES_ROWS("wordsliced-avx2")};

KERNELS_WHERE(ciphermark_zuc_wordsliced_avx2_rows, rows, RUN_HERE);

#include "instructions_end.h"

#endif
