/* Pads of VMAC by table AES, for kernels on processors without instructions for AES. */
#ifndef CIPHERMARK_VMAC_TABLE_H
#define CIPHERMARK_VMAC_TABLE_H

#include "fast_ciphers.h"
#include "part.h"

static inline void encrypt_pad(const void *schedule, uint8_t *output, struct part input)
{
    uint8_t block[16];
    store_le64(block, input.low);
    store_le64(block + 8, input.high);
    ciphermark_aes_table.encrypt(schedule, output, block, 1);
}

#define VMAC_TABLE_ROWS(backend) \
    VMAC_KERNEL_ROWS(ciphermark_aes_table, AES_TABLE_SCHEDULE_BYTES, CIPHERMARK_VARIABLE_TIME, \
                     backend)

#endif
