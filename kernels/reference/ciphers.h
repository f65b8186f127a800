/* The block ciphers of this folder, for what is built of them. */
#ifndef CIPHERMARK_CIPHERS_H
#define CIPHERMARK_CIPHERS_H

#include "block_cipher.h"

/* AES with keys of 16, 24 or 32 bytes. */
#define AES_SCHEDULE_BYTES (15 * 16 + 1)
extern const struct block_cipher ciphermark_aes_reference;

/* KASUMI, whose keys have 16 bytes and its blocks 8. */
#define KASUMI_SCHEDULE_BYTES 128
extern const struct block_cipher ciphermark_kasumi_reference;
#define KASUMI_TABLE_SCHEDULE_BYTES 256
extern const struct block_cipher ciphermark_kasumi_table;

#endif
