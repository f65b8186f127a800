#include "eea2eia2.h"

#include "ctr.h"

#define AES_BLOCK_BYTES 16

/* Section B.1.3: the first counter block ends with 64 zeros. */
int ciphermark_eea2(const row *self, void *context, const message *m)
{
    uint8_t counter[AES_BLOCK_BYTES] = {0};
    message counted = *m;
    const int status = bearer_block(m, counter);
    if (status != CIPHERMARK_DONE)
        return status;
    counted.nonce = counter;
    counted.nonce_bytes = AES_BLOCK_BYTES;
    ciphermark_ctr(self, context, &counted);
    clear_unused_bits(m);
    return CIPHERMARK_DONE;
}

/* Section B.2.3: what is authenticated begins with COUNT, BEARER and DIRECTION. */
int ciphermark_eia2(const row *self, void *context, const message *m)
{
    const struct block_cipher *cipher = self->parameters;
    struct cmac cmac = {{0}, {0}, 0};
    uint8_t start[8];
    const int status = bearer_block(m, start);
    if (status != CIPHERMARK_DONE)
        return status;
    ciphermark_cmac_update(cipher, context, &cmac, start, sizeof start);
    ciphermark_cmac_update(cipher, context, &cmac, m->input, m->input_bytes);
    ciphermark_cmac_finish(cipher, context, &cmac, m->unused_bits);
    memcpy(m->output, cmac.chain, THREEGPP_TAG_BYTES);
    return CIPHERMARK_DONE;
}
