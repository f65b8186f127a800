/*
 * KASUMI over 64 packets a group, by AVX-512 with VBMI and GFNI.
 *
 * Intel's cores have two ports for vectors of 512 bits, and one for permutes; a lookup in two
 * registers is three instructions to them, two of them permutes. So one in two registers and two
 * affine maps, as products with the two bits that are left, took 42 instructions an FI and 21
 * cycles; steps by lookups of 64 entries (kasumi_thirds.h) take 36 and 18.
 */
#include "rows.h"

#if defined(__x86_64__)

#include "avx512.h"

#define ROUNDS_WRITTEN_OUT 2
#define MOST_GROUPS 3
#define EACH_COUNT(X) X(1) X(2) X(3)

/* The entry of a byte without its sign. */
static inline vector lookup128(const uint8_t table[128], vector index)
{
    return _mm512_permutex2var_epi8(load_vector(table), index, load_vector(table + 64));
}

/* The entry of the six low bits of a byte. */
static inline vector lookup64(const uint8_t table[64], vector index)
{
    return _mm512_permutexvar_epi8(index, load_vector(table));
}

#include "kasumi_thirds.h"

INLINED struct step first_step(struct step x, struct step one)
{
    return any_step(&FIRST, x, one);
}

INLINED struct step second_step(struct step x, struct step one, struct step other)
{
    const struct step sum = {xor2(one.nine, other.nine), xor2(one.seven, other.seven)};
    return any_step(&SECOND, x, sum);
}

#include "byte_blocks.h"

#define F8_OF_FEW ciphermark_f8_paired_avx512
#define F9_OF_FEW ciphermark_f9_paired_avx512
#include "kasumi_few.h"

static const row rows[] = {F8F9_LANES_ROWS("bytesliced-avx512")};

KERNELS_WHERE(ciphermark_kasumi_bytesliced_avx512_rows, rows, RUN_HERE);

#include "instructions_end.h"

#endif
