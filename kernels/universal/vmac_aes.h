/* Pads of VMAC by instructions for AES, for kernels that include aes_aesni.h or aes_armv8.h. */
#ifndef CIPHERMARK_VMAC_AES_H
#define CIPHERMARK_VMAC_AES_H

#include "inlined.h"
#include "part.h"

INLINED void encrypt_pad(const void *schedule, uint8_t *output, struct part input)
{
    store_aes_block(output, aes_encrypted(schedule, AES_ROUNDS(16),
                                          aes_block_of(input.low, input.high)));
}

#define VMAC_AES_ROWS(cipher, backend) \
    VMAC_KERNEL_ROWS(cipher, AES_INSTRUCTIONS_SCHEDULE_BYTES, CIPHERMARK_CONSTANT_TIME, backend)

#endif
