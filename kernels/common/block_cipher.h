/* Block ciphers, as modes of operation use them. */
#ifndef CIPHERMARK_BLOCK_CIPHER_H
#define CIPHERMARK_BLOCK_CIPHER_H

#include "rows.h"

#define MOST_CIPHER_BLOCK_BYTES 16

struct block_cipher {
    size_t block_bytes;    /* 8 or 16 */
    size_t schedule_bytes; /* of the largest key; aligned to CONTEXT_ALIGNMENT */
    void (*set_encrypt_key)(void *schedule, const uint8_t *key, size_t key_bytes);
    void (*set_decrypt_key)(void *schedule, const uint8_t *key, size_t key_bytes);
    /* So many blocks, each for itself. The output may be where the input is. */
    void (*encrypt)(const void *schedule, uint8_t *output, const uint8_t *input, size_t blocks);
    void (*decrypt)(const void *schedule, uint8_t *output, const uint8_t *input, size_t blocks);
};

/* Defines `name`, a cipher's encrypt or decrypt, as `process_block` on one block after another. */
#define BLOCK_BY_BLOCK(name, process_block, block_bytes) \
    static void name(const void *schedule, uint8_t *output, const uint8_t *input, size_t blocks) \
    { \
        for (; blocks > 0; blocks--, output += (block_bytes), input += (block_bytes)) \
            process_block(schedule, output, input); \
    }

#endif
