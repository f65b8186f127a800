/*
 * KASUMI over 64 packets a group, by AVX-512 with VBMI and GFNI.
 *
 * S9 is quadratic over GF(2). Its nine bits are three parts of three, and two of those at a time are
 * the index of a table of 64 entries, one register: every product of two bits is in one of three
 * such lookups. Their indices are the six low bits of a byte, whatever is above them: `nine` itself
 * has the low and the middle part. S7 has 128 entries, two registers.
 *
 * Each step does that twice, for nine of the bits have a use in `nine` and in `seven`.
 *
 * Intel's cores have two ports for vectors of 512 bits, and one for permutes; a lookup in two
 * registers is three instructions to them, two of them permutes. So one in two registers and two
 * affine maps, as products with the two bits that are left, took 42 instructions an FI and 21
 * cycles; this takes 36 and 18.
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

/* The entry of the six low bits of a byte. */
static inline vector lookup64(const uint8_t table[64], vector index)
{
    return _mm512_permutexvar_epi8(index, load_vector(table));
}

struct step_tables {
    uint8_t to_nine[3][64], to_seven[3][64], seven[128];
};

#define THIRDS(prefix) {{prefix##_LOW_MIDDLE}, {prefix##_MIDDLE_HIGH}, {prefix##_LOW_HIGH}}
#define STEP_TABLES(prefix) \
    {THIRDS(prefix##_TO_NINE), THIRDS(prefix##_TO_SEVEN), {prefix##_SEVEN}}

static const struct step_tables __attribute__((aligned(64))) FIRST = STEP_TABLES(KASUMI_FIRST);
static const struct step_tables __attribute__((aligned(64))) SECOND = STEP_TABLES(KASUMI_SECOND);

struct indices {
    vector low_middle, middle_high, low_high;
};

/* Shifted words are shifted bytes here, for only bits that no index has come from the next byte. */
INLINED struct indices indices(struct step x)
{
    const vector ninth = _mm512_srli_epi16(x.seven, 2);
    struct indices at;
    at.low_middle = x.nine;
    at.middle_high = select_bits(all8(0x20), ninth, _mm512_srli_epi16(x.nine, 3));
    at.low_high = select_bits(all8(0x07), x.nine, at.middle_high);
    return at;
}

INLINED vector nine_bits(const uint8_t tables[3][64], const struct indices *at)
{
    return xor3(lookup64(tables[0], at->low_middle), lookup64(tables[1], at->middle_high),
                lookup64(tables[2], at->low_high));
}

INLINED struct step any_step(const struct step_tables *tables, struct step x,
                                   struct step one)
{
    const struct indices at = indices(x);
    const vector seven = lookup128(tables->seven, x.seven);
    struct step y;
    y.nine = xor3(nine_bits(tables->to_nine, &at), x.seven, one.nine);
    y.seven = xor3(nine_bits(tables->to_seven, &at), seven, one.seven);
    return y;
}

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
#include "f8f9_lanes.h"

static const row rows[] = {F8F9_LANES_ROWS("bytesliced-avx512")};

KERNELS_WHERE(ciphermark_kasumi_bytesliced_avx512_rows, rows, RUN_HERE);

#include "instructions_end.h"

#endif
