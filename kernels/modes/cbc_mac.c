#include "cbc_mac.h"

#include "words.h"

void ciphermark_cbc_mac_absorb(const struct block_cipher *cipher, const void *schedule,
                               uint8_t *chain, const uint8_t *input, size_t bytes)
{
    const size_t block_bytes = cipher->block_bytes;
    for (; bytes > 0; bytes -= block_bytes, input += block_bytes) {
        xor_bytes(chain, chain, input, block_bytes);
        cipher->encrypt(schedule, chain, chain, 1);
    }
}

int ciphermark_cbc_mac(const row *self, void *context, const message *m)
{
    return ciphermark_cbc_mac_chunks(self, context, m, m->input_bytes);
}

int ciphermark_cbc_mac_chunks(const row *self, void *context, const message *m, size_t chunk_bytes)
{
    uint8_t chain[MOST_CIPHER_BLOCK_BYTES] = {0};
    size_t at, bytes;
    for (at = 0; at < m->input_bytes; at += bytes) {
        bytes = m->input_bytes - at < chunk_bytes ? m->input_bytes - at : chunk_bytes;
        ciphermark_cbc_mac_absorb(self->parameters, context, chain, chunk_at(m, at), bytes);
    }
    memcpy(m->output, chain, self->tag_bytes);
    return CIPHERMARK_DONE;
}
