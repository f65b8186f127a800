#include "ecb.h"

int ciphermark_ecb_set_encrypt_key(const row *self, void *context, const uint8_t *key,
                                   size_t key_bytes)
{
    const struct block_cipher *cipher = self->parameters;
    cipher->set_encrypt_key(context, key, key_bytes);
    return CIPHERMARK_DONE;
}

int ciphermark_ecb_set_decrypt_key(const row *self, void *context, const uint8_t *key,
                                   size_t key_bytes)
{
    const struct block_cipher *cipher = self->parameters;
    cipher->set_decrypt_key(context, key, key_bytes);
    return CIPHERMARK_DONE;
}

int ciphermark_ecb_encrypt(const row *self, void *context, const message *m)
{
    const struct block_cipher *cipher = self->parameters;
    cipher->encrypt(context, m->output, m->input, m->input_bytes / cipher->block_bytes);
    return CIPHERMARK_DONE;
}

int ciphermark_ecb_decrypt(const row *self, void *context, const message *m)
{
    const struct block_cipher *cipher = self->parameters;
    cipher->decrypt(context, m->output, m->input, m->input_bytes / cipher->block_bytes);
    return CIPHERMARK_DONE;
}
