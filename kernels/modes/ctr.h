/* Counter mode (NIST SP 800-38A, 6.5); the nonce is the first counter block. */
#ifndef CIPHERMARK_CTR_H
#define CIPHERMARK_CTR_H

#include "ecb.h"

/* Functions of rows whose parameters are a `struct block_cipher`; the context is its schedule. */
int ciphermark_ctr(const row *self, void *context, const message *m);
int ciphermark_ctr_chunks(const row *self, void *context, const message *m, size_t chunk_bytes);

#define CTR_ROW(name, does, key, block, cipher, schedule, timing_, backend_) \
    {.algorithm = name, .operation = does, .timing = timing_, .key_bytes = {key, key}, \
     .nonce_bytes = {block, block}, .lanes = 1, .context_bytes = schedule, \
     .context_alignment = CONTEXT_ALIGNMENT, .parameters = &(cipher), \
     .set_key = ciphermark_ecb_set_encrypt_key, .process = ciphermark_ctr, .backend = backend_, \
     .process_chunks = ciphermark_ctr_chunks, .input_bytes = {0, SIZE_MAX}, .block_bytes = 1}

/* Both rows of a cipher with keys of `key` bytes, blocks of `block` and schedules of `schedule`. */
#define CTR_ROWS(name, key, block, cipher, schedule, timing_, backend_) \
    CTR_ROW(name, ENCRYPT, key, block, cipher, schedule, timing_, backend_), \
    CTR_ROW(name, DECRYPT, key, block, cipher, schedule, timing_, backend_)

#endif
