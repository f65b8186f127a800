/* The lookups of kasumi_shuffles.h by AVX2. */
#ifndef CIPHERMARK_KASUMI_AVX2_LOOKUPS_H
#define CIPHERMARK_KASUMI_AVX2_LOOKUPS_H

/*
 * x. gcc would first look everything up and then add, for which there are too few registers; this
 * makes it add as it goes, which takes a sixth off its time.
 */
static inline vector at_once(vector x)
{
#if !defined(__clang__)
    __asm__("" : "+x"(x));
#endif
    return x;
}

static inline vector lookup16(const uint8_t table[16], vector index)
{
    const __m128i entries = _mm_loadu_si128((const void *)table);
    return at_once(_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(entries), index));
}

/*
 * A lookup finds 0 where the index is negative. So of eight of them, by the byte less 0, 16, 32, …,
 * each replaces what the one before has found: the table has the differences.
 */
#define SEVEN(prefix) prefix##_SEVEN_DIFFERENCES
static inline vector lookup128(const uint8_t table[128], vector index)
{
    vector sum = lookup16(table, index);
    unsigned i;
    for (i = 16; i < 128; i += 16) {
        const vector at = _mm256_sub_epi8(index, all8((uint8_t)i));
        sum = at_once(xor2(sum, lookup16(table + i, at)));
    }
    return sum;
}

#endif
