#include "cbc.h"

#include "batch.h"
#include "words.h"

/* Encrypts after the block `chain`; returns the last block, after which the next piece comes. */
static const uint8_t *encrypt_piece(const struct block_cipher *cipher, const void *schedule,
                                    const uint8_t *chain, uint8_t *output, const uint8_t *input,
                                    size_t bytes)
{
    const size_t block_bytes = cipher->block_bytes;
    for (; bytes > 0; bytes -= block_bytes, input += block_bytes, output += block_bytes) {
        xor_bytes(output, input, chain, block_bytes);
        cipher->encrypt(schedule, output, output, 1);
        chain = output;
    }
    return chain;
}

/* Decrypts after the block `chain`, and leaves there the last block. */
static void decrypt_piece(const struct block_cipher *cipher, const void *schedule, uint8_t *chain,
                          uint8_t *output, const uint8_t *input, size_t bytes)
{
    const size_t block_bytes = cipher->block_bytes;
    uint8_t text[BATCH_BYTES];
    size_t now;
    for (; bytes > 0; bytes -= now, input += now, output += now) {
        now = bytes < BATCH_BYTES ? bytes : BATCH_BYTES;
        cipher->decrypt(schedule, text, input, now / block_bytes);
        xor_bytes(text, text, chain, block_bytes);
        xor_bytes(text + block_bytes, text + block_bytes, input, now - block_bytes);
        memcpy(chain, input + now - block_bytes, block_bytes);
        memcpy(output, text, now);
    }
}

int ciphermark_cbc_encrypt(const row *self, void *context, const message *m)
{
    encrypt_piece(self->parameters, context, m->nonce, m->output, m->input, m->input_bytes);
    return CIPHERMARK_DONE;
}

int ciphermark_cbc_decrypt(const row *self, void *context, const message *m)
{
    return ciphermark_cbc_decrypt_chunks(self, context, m, m->input_bytes);
}

int ciphermark_cbc_encrypt_chunks(const row *self, void *context, const message *m,
                                  size_t chunk_bytes)
{
    const uint8_t *chain = m->nonce;
    size_t at, bytes;
    for (at = 0; at < m->input_bytes; at += bytes) {
        bytes = m->input_bytes - at < chunk_bytes ? m->input_bytes - at : chunk_bytes;
        chain = encrypt_piece(self->parameters, context, chain, m->output + at, m->input + at,
                              bytes);
    }
    return CIPHERMARK_DONE;
}

int ciphermark_cbc_decrypt_chunks(const row *self, void *context, const message *m,
                                  size_t chunk_bytes)
{
    uint8_t chain[MOST_CIPHER_BLOCK_BYTES];
    size_t at, bytes;
    memcpy(chain, m->nonce, m->nonce_bytes);
    for (at = 0; at < m->input_bytes; at += bytes) {
        bytes = m->input_bytes - at < chunk_bytes ? m->input_bytes - at : chunk_bytes;
        decrypt_piece(self->parameters, context, chain, m->output + at, m->input + at, bytes);
    }
    return CIPHERMARK_DONE;
}
