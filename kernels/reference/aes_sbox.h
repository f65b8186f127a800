/* The S-box of AES (FIPS 197, figure 7), which other ciphers use too. */
#ifndef CIPHERMARK_AES_SBOX_H
#define CIPHERMARK_AES_SBOX_H

#include <stdint.h>

/* Read with flash8 of table.h. */
extern const uint8_t ciphermark_aes_sbox[256];

#endif
