/* AES by AES-NI, in files that include avx2.h or avx512.h first. */
#ifndef CIPHERMARK_AES_AESNI_H
#define CIPHERMARK_AES_AESNI_H

#include "block_cipher.h"

typedef __m128i aes_block;

static inline aes_block load_aes_block(const uint8_t *bytes)
{
    return _mm_loadu_si128((const void *)bytes);
}

/* Words, the lower one first. */
static inline aes_block aes_block_of(uint64_t low, uint64_t high)
{
    return _mm_set_epi64x((long long)high, (long long)low);
}

static inline void store_aes_block(uint8_t *bytes, aes_block x)
{
    _mm_storeu_si128((void *)bytes, x);
}

static inline aes_block begin_aes(aes_block x, aes_block key)
{
    return _mm_xor_si128(x, key);
}

static inline aes_block encrypt_aes_round(aes_block x, aes_block before, aes_block key)
{
    (void)before;
    return _mm_aesenc_si128(x, key);
}

static inline aes_block encrypt_last_aes_round(aes_block x, aes_block before, aes_block key)
{
    (void)before;
    return _mm_aesenclast_si128(x, key);
}

static inline aes_block decrypt_aes_round(aes_block x, aes_block before, aes_block key)
{
    (void)before;
    return _mm_aesdec_si128(x, key);
}

static inline aes_block decrypt_last_aes_round(aes_block x, aes_block before, aes_block key)
{
    (void)before;
    return _mm_aesdeclast_si128(x, key);
}

static inline aes_block substitute_and_shift_aes(aes_block x)
{
    return _mm_aesenclast_si128(x, _mm_setzero_si128());
}

static inline aes_block unmix_aes_columns(aes_block x)
{
    return _mm_aesimc_si128(x);
}

#include "aes_rounds.h"

/* Where ciphermark_has_avx2, with AES_INSTRUCTIONS_SCHEDULE_BYTES. */
extern const struct block_cipher ciphermark_aes_aesni;

#endif
