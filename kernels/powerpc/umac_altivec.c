/*
 * UMAC and UHASH by AltiVec, for processors before POWER8: words of 2 bytes in vectors, those of 4
 * bytes by the multiplier of 32 bits, as these vectors have no product of such words.
 */
#include "rows.h"

#if defined(__ALTIVEC__)

#include <altivec.h>

#include "ciphers.h"
#include "fast_ciphers.h"
#include "inlined.h"
#include "umac.h"
#include "words.h"

typedef __vector signed short words16;
typedef __vector signed int sums32;
typedef __vector unsigned char bytes16;

/* What makes two vectors of memory, from the one that an address lies in, the words that begin at
 * the address, which a message has with their least significant byte first. */
static inline bytes16 order_at(const uint8_t *input)
{
    const bytes16 swapped = {1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14};
    const bytes16 from = vec_lvsl(0, input);
    return vec_perm(from, from, swapped);
}

static inline words16 words_of(bytes16 before, bytes16 after, bytes16 order)
{
    return (words16)vec_perm(before, after, order);
}

/* A stream's key is that of the one before from 16 bytes on; contexts are aligned for vectors. */
INLINED void nh_streams_of_2(const uint16_t *key, unsigned streams, const uint8_t *input,
                             size_t groups, uint32_t *sums)
{
    const bytes16 order = order_at(input);
    sums32 products[MOST_UHASH_STREAMS];
    unsigned i;
#pragma GCC unroll 8
    for (i = 0; i < streams; i++)
        products[i] = vec_splat_s32(0);
    for (; groups > 0; groups--, key += 16, input += UHASH_GROUP_BYTES) {
        /* The last byte of the group is read, and nothing behind its vector. */
        const bytes16 a = vec_ld(0, input), b = vec_ld(16, input), c = vec_ld(31, input);
        const words16 first = words_of(a, b, order), second = words_of(b, c, order);
        words16 first_key = vec_ld(0, (const short *)key);
#pragma GCC unroll 8
        for (i = 0; i < streams; i++) {
            const words16 second_key = vec_ld(16 * (int)(i + 1), (const short *)key);
            products[i] = vec_msum(vec_add(first, first_key), vec_add(second, second_key),
                                   products[i]);
            first_key = second_key;
        }
    }
#pragma GCC unroll 8
    for (i = 0; i < streams; i++) {
        const sums32 halves = vec_add(products[i], vec_sld(products[i], products[i], 8));
        const sums32 sum = vec_add(halves, vec_sld(halves, halves, 4));
        vec_ste((__vector unsigned int)sum, 0, sums + i);
    }
}
#define NH_OF_2_BEFORE

#include "uhash_loops.h"
#include "umac_process.h"

ENCRYPT_PART(encrypt_aes_part, ciphermark_aes_table)

UMAC_KERNEL_ROWS(UHASH_TEMPLATE, ciphermark_aes_table, AES_TABLE_SCHEDULE_BYTES,
                 CIPHERMARK_VARIABLE_TIME, "altivec")

KERNELS(ciphermark_umac_altivec_rows, rfc4418);
KERNELS(ciphermark_umac2000_altivec_rows, october2000);
KERNELS(ciphermark_umac2000_rc6_altivec_rows, october2000_rc6);

#endif
