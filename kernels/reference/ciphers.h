/* The block ciphers of this folder, for what is built of them. */
#ifndef CIPHERMARK_CIPHERS_H
#define CIPHERMARK_CIPHERS_H

#include "block_cipher.h"

/* With keys of 16, 24 or 32 bytes. */
#define AES_SCHEDULE_BYTES (15 * 16 + 1)
extern const struct block_cipher ciphermark_aes_reference;
#define CAMELLIA_SCHEDULE_BYTES (35 * 8)
extern const struct block_cipher ciphermark_camellia_reference;
#define SERPENT_SCHEDULE_BYTES (33 * 16)
extern const struct block_cipher ciphermark_serpent_reference;
#define TWOFISH_SCHEDULE_BYTES (45 * 4)
extern const struct block_cipher ciphermark_twofish_reference;

/* RC5-32 with 12, 8 and 16 rounds and keys of 1 to 32 bytes, and RC6-32/20 with as many. */
#define RC5_SCHEDULE_BYTES(rounds) ((2 * (rounds) + 2) * 4)
extern const struct block_cipher ciphermark_rc5_reference;
extern const struct block_cipher ciphermark_rc5_8_reference;
extern const struct block_cipher ciphermark_rc5_16_reference;
#define RC6_SCHEDULE_BYTES (44 * 4)
extern const struct block_cipher ciphermark_rc6_reference;

/* With keys of 16 bytes. */
#define IDEA_SCHEDULE_BYTES (52 * 2)
extern const struct block_cipher ciphermark_idea_reference;
#define TEA_SCHEDULE_BYTES 16
extern const struct block_cipher ciphermark_tea_reference;
#define XTEA_SCHEDULE_BYTES 16
extern const struct block_cipher ciphermark_xtea_reference;
#define SPECK64_SCHEDULE_BYTES (27 * 4)
extern const struct block_cipher ciphermark_speck64_reference;
#define SPECK128_SCHEDULE_BYTES (32 * 8)
extern const struct block_cipher ciphermark_speck128_reference;

/* KASUMI, whose keys have 16 bytes and its blocks 8. */
#define KASUMI_SCHEDULE_BYTES 128
extern const struct block_cipher ciphermark_kasumi_reference;
#define KASUMI_TABLE_SCHEDULE_BYTES 256
extern const struct block_cipher ciphermark_kasumi_table;

#endif
