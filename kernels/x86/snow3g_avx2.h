/* Additions of SNOW 3G's words by AVX2, for lanes/snow3g_bytes.h. */
#ifndef CIPHERMARK_SNOW3G_AVX2_H
#define CIPHERMARK_SNOW3G_AVX2_H

/* A byte carries where both have the top bit, or one has and the sum has not. */
static inline void add_words(vector sum[4], const vector a[4], const vector b[4])
{
    vector carry = all8(0);
    unsigned i = 4;
    while (i-- > 0) {
        const vector x = a[i], y = b[i];
        sum[i] = _mm256_sub_epi8(add8(x, y), carry);
        carry = or2(and2(x, y), _mm256_andnot_si256(sum[i], or2(x, y)));
        carry = _mm256_cmpgt_epi8(all8(0), carry);
    }
}

#endif
