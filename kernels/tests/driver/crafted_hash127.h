/* Nonces by which hash127, which does not encrypt them, comes to values next to its prime. */
#ifndef CIPHERMARK_CRAFTED_HASH127_H
#define CIPHERMARK_CRAFTED_HASH127_H

#include "crafted_vhash.h"
#include "hash127.h"

static inline int is_hash127(const row *kernel)
{
    return strncmp(kernel->algorithm, "hash127", 7) == 0;
}

static inline number load_number(const uint8_t bytes[HASH127_BYTES])
{
    return (number)load_le64(bytes + 8) << 64 | load_le64(bytes);
}

/* The nonce is added to the hash, as a number of four signed words. */
static inline void store_nonce(uint8_t nonce[HASH127_BYTES], number value)
{
    signed_number left = (signed_number)value;
    unsigned i;
    for (i = 0; i < 4; i++) {
        const uint32_t word = (uint32_t)left;
        store_le32(nonce + 4 * i, word);
        left = (left - (int32_t)word) >> 32;
    }
}

/* The text has its tag with a nonce of zeros. */
static inline void craft_hash127(struct text *text)
{
    const number around[] = {0, P127 - 1, (number)1 << 64, (number)1 << 96};
    const number wanted = around[random_below(4)] + P127 + random_below(5) - 2;
    store_nonce(text->nonce, (wanted - load_number(text->tag)) % P127);
}

#endif
