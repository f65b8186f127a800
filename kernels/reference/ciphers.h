/* The block ciphers of this folder, for what is built of them. */
#ifndef CIPHERMARK_CIPHERS_H
#define CIPHERMARK_CIPHERS_H

#include "block_cipher.h"

/* AES with keys of 16, 24 or 32 bytes. */
#define AES_SCHEDULE_BYTES (15 * 16 + 1)
extern const struct block_cipher ciphermark_aes_reference;

/* Camellia, Serpent and Twofish with keys of 16, 24 or 32 bytes. */
#define CAMELLIA_SCHEDULE_BYTES (35 * 8)
extern const struct block_cipher ciphermark_camellia_reference;

#define SERPENT_SCHEDULE_BYTES (33 * 16)
extern const struct block_cipher ciphermark_serpent_reference;

#define TWOFISH_SCHEDULE_BYTES (45 * 4)
extern const struct block_cipher ciphermark_twofish_reference;

#endif
