#include "pad.h"

#include "words.h"

static int is_same_block(const uint8_t *one, const uint8_t *other)
{
    return load_le64(one) == load_le64(other) && load_le64(one + 8) == load_le64(other + 8);
}

void ciphermark_find_pad(struct pad *pad, const struct block_cipher *cipher, const void *schedule,
                         const uint8_t input[PAD_BLOCK_BYTES])
{
    if (pad->is_known && is_same_block(pad->input, input))
        return;
    memcpy(pad->input, input, PAD_BLOCK_BYTES);
    cipher->encrypt(schedule, pad->block, input, 1);
    pad->is_known = 1;
}
