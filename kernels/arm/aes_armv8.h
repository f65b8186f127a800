/*
 * AES by the instructions of ARMv8. Where cpu.h says that the processor has them: compilers are not
 * told, so that nothing else uses them. Pairs that processors fuse stand side by side.
 */
#ifndef CIPHERMARK_AES_ARMV8_H
#define CIPHERMARK_AES_ARMV8_H

#include <arm_neon.h>

#include "block_cipher.h"

typedef uint8x16_t aes_block;

static inline aes_block load_aes_block(const uint8_t *bytes)
{
    return vld1q_u8(bytes);
}

/* Words, the lower one first. */
static inline aes_block aes_block_of(uint64_t low, uint64_t high)
{
    return vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(low), vcreate_u64(high)));
}

static inline void store_aes_block(uint8_t *bytes, aes_block x)
{
    vst1q_u8(bytes, x);
}

static inline aes_block begin_aes(aes_block x, aes_block key)
{
    (void)key;
    return x;
}

static inline aes_block encrypt_aes_round(aes_block x, aes_block before, aes_block key)
{
    (void)key;
    __asm__(".arch_extension aes\n\taese %0.16b, %1.16b\n\taesmc %0.16b, %0.16b"
            : "+w"(x)
            : "w"(before));
    return x;
}

static inline aes_block encrypt_last_aes_round(aes_block x, aes_block before, aes_block key)
{
    __asm__(".arch_extension aes\n\taese %0.16b, %1.16b" : "+w"(x) : "w"(before));
    return veorq_u8(x, key);
}

static inline aes_block decrypt_aes_round(aes_block x, aes_block before, aes_block key)
{
    (void)key;
    __asm__(".arch_extension aes\n\taesd %0.16b, %1.16b\n\taesimc %0.16b, %0.16b"
            : "+w"(x)
            : "w"(before));
    return x;
}

static inline aes_block decrypt_last_aes_round(aes_block x, aes_block before, aes_block key)
{
    __asm__(".arch_extension aes\n\taesd %0.16b, %1.16b" : "+w"(x) : "w"(before));
    return veorq_u8(x, key);
}

static inline aes_block substitute_and_shift_aes(aes_block x)
{
    return encrypt_last_aes_round(x, vdupq_n_u8(0), vdupq_n_u8(0));
}

static inline aes_block unmix_aes_columns(aes_block x)
{
    __asm__(".arch_extension aes\n\taesimc %0.16b, %1.16b" : "=w"(x) : "w"(x));
    return x;
}

#include "aes_rounds.h"

/* Where ciphermark_has_aes, with AES_INSTRUCTIONS_SCHEDULE_BYTES. */
extern const struct block_cipher ciphermark_aes_armv8;

#endif
