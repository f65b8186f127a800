/* Cipher block chaining (NIST SP 800-38A, 6.2) of whole blocks; the nonce is the IV, one block. */
#ifndef CIPHERMARK_CBC_H
#define CIPHERMARK_CBC_H

#include "ecb.h"

/* Functions of rows whose parameters are a `struct block_cipher`; the context is its schedule. */
int ciphermark_cbc_encrypt(const row *self, void *context, const message *m);
int ciphermark_cbc_decrypt(const row *self, void *context, const message *m);
int ciphermark_cbc_encrypt_chunks(const row *self, void *context, const message *m,
                                  size_t chunk_bytes);
int ciphermark_cbc_decrypt_chunks(const row *self, void *context, const message *m,
                                  size_t chunk_bytes);

#define CBC_ROW(name, does, way, key, block, cipher, schedule, timing_, backend_) \
    {.algorithm = name, .operation = does, .timing = timing_, .key_bytes = {key, key}, \
     .nonce_bytes = {block, block}, .lanes = 1, .context_bytes = schedule, \
     .context_alignment = CONTEXT_ALIGNMENT, .parameters = &(cipher), \
     .set_key = ciphermark_ecb_set_##way##_key, .process = ciphermark_cbc_##way, \
     .backend = backend_, .process_chunks = ciphermark_cbc_##way##_chunks, \
     .input_bytes = {block, SIZE_MAX}, .block_bytes = block}

/* Both rows of a cipher with keys of `key` bytes, blocks of `block` and schedules of `schedule`. */
#define CBC_ROWS(name, key, block, cipher, schedule, timing_, backend_) \
    CBC_ROW(name, ENCRYPT, encrypt, key, block, cipher, schedule, timing_, backend_), \
    CBC_ROW(name, DECRYPT, decrypt, key, block, cipher, schedule, timing_, backend_)

#endif
