/*
 * KASUMI over at most 8 packets (kasumi_paired.h), by AVX-512 with VBMI: what kasumi_avx512.c leaves to it.
 * Tables take registers of 512 bits, all else is in vectors of 256.
 */
#include "rows.h"

#if defined(__x86_64__)

#define WITH_AVX512
#include "avx2.h"

/* The entry of a byte without its sign. */
static inline vector lookup128(const uint8_t table[128], vector index)
{
    const __m512i low = _mm512_loadu_si512(table), high = _mm512_loadu_si512(table + 64);
    return _mm512_castsi512_si256(
        _mm512_permutex2var_epi8(low, _mm512_castsi256_si512(index), high));
}

/* The entry of the six low bits of a byte. */
static inline vector lookup64(const uint8_t table[64], vector index)
{
    return _mm512_castsi512_si256(
        _mm512_permutexvar_epi8(_mm512_castsi256_si512(index), _mm512_loadu_si512(table)));
}

#include "kasumi_thirds.h"

#define paired_step any_step
#define PAIRED_F8 ciphermark_f8_paired_avx512
#define PAIRED_F9 ciphermark_f9_paired_avx512
#include "kasumi_paired.h"

#include "instructions_end.h"

#endif
