/* Pads of VMAC by AES-NI. */
#ifndef CIPHERMARK_VMAC_AESNI_H
#define CIPHERMARK_VMAC_AESNI_H

#include "aes_aesni.h"

INLINED void encrypt_pad(const void *schedule, uint8_t *output, struct part input)
{
    store_aes_block(output, aes_encrypted(schedule, 10, aes_block_of(input.low, input.high)));
}

#define VMAC_AESNI_ROWS(backend) \
    VMAC_KERNEL_ROWS(ciphermark_aes_aesni, AES_INSTRUCTIONS_SCHEDULE_BYTES, \
                     CIPHERMARK_CONSTANT_TIME, backend)

#endif
