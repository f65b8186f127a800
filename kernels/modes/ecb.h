/* The bare block cipher, one block after the other (NIST SP 800-38A, 6.1). */
#ifndef CIPHERMARK_ECB_H
#define CIPHERMARK_ECB_H

#include "block_cipher.h"

/* Functions of rows whose parameters are a `struct block_cipher`; the context is its schedule. */
int ciphermark_ecb_set_encrypt_key(const row *self, void *context, const uint8_t *key,
                                   size_t key_bytes);
int ciphermark_ecb_set_decrypt_key(const row *self, void *context, const uint8_t *key,
                                   size_t key_bytes);
int ciphermark_ecb_encrypt(const row *self, void *context, const message *m);
int ciphermark_ecb_decrypt(const row *self, void *context, const message *m);

#define ECB_ROW(name, does, way, key, block, cipher, schedule, timing_, backend_) \
    {.algorithm = name, .operation = does, .timing = timing_, .key_bytes = {key, key}, .lanes = 1, \
     .context_bytes = schedule, .context_alignment = CONTEXT_ALIGNMENT, .parameters = &(cipher), \
     .set_key = ciphermark_ecb_set_##way##_key, .process = ciphermark_ecb_##way, \
     .backend = backend_, .input_bytes = {block, SIZE_MAX}, .block_bytes = block}

/* Both rows of a cipher with keys of `key` bytes, blocks of `block` and schedules of `schedule`. */
#define ECB_ROWS(name, key, block, cipher, schedule, timing_, backend_) \
    ECB_ROW(name, ENCRYPT, encrypt, key, block, cipher, schedule, timing_, backend_), \
    ECB_ROW(name, DECRYPT, decrypt, key, block, cipher, schedule, timing_, backend_)

#endif
