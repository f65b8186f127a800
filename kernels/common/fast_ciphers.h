/* The faster block ciphers (portable/), for what is built of them. */
#ifndef CIPHERMARK_FAST_CIPHERS_H
#define CIPHERMARK_FAST_CIPHERS_H

#include "block_cipher.h"

/* All with keys of 16, 24 or 32 bytes. */
#define AES_TABLE_SCHEDULE_BYTES (61 * 4)
extern const struct block_cipher ciphermark_aes_table;
#define AES_PORTABLE_SCHEDULE_BYTES ((15 * 8 + 1) * 8)
extern const struct block_cipher ciphermark_aes_portable;
#define TWOFISH_TABLE_SCHEDULE_BYTES ((40 + 4 * 256) * 4)
extern const struct block_cipher ciphermark_twofish_table;

/* With the schedules of their references (reference/ciphers.h). */
extern const struct block_cipher ciphermark_camellia_table;
extern const struct block_cipher ciphermark_idea_portable;
extern const struct block_cipher ciphermark_rc5_portable;
extern const struct block_cipher ciphermark_rc5_8_portable;
extern const struct block_cipher ciphermark_rc5_16_portable;
extern const struct block_cipher ciphermark_rc6_portable;
extern const struct block_cipher ciphermark_serpent_portable;
extern const struct block_cipher ciphermark_speck128_portable;
extern const struct block_cipher ciphermark_tea_portable;
extern const struct block_cipher ciphermark_xtea_portable;

/*
 * Defines `name`, a cipher's encrypt or decrypt, as `process_batch` on one batch of blocks after
 * another, and `process_rest` on the blocks that are left.
 */
#define BATCH_BY_BATCH(name, process_batch, batch_blocks, block_bytes, process_rest) \
    static void name(const void *schedule, uint8_t *output, const uint8_t *input, size_t blocks) \
    { \
        for (; blocks >= (batch_blocks); blocks -= (batch_blocks)) { \
            process_batch(schedule, output, input); \
            output += (batch_blocks) * (block_bytes); \
            input += (batch_blocks) * (block_bytes); \
        } \
        process_rest(schedule, output, input, blocks); \
    }

#endif
