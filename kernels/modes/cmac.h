/* CMAC (NIST SP 800-38B) of ciphers with blocks of 64 or 128 bits; tags are whole blocks. */
#ifndef CIPHERMARK_CMAC_H
#define CIPHERMARK_CMAC_H

#include "block_cipher.h"

/* What a context begins with (section 6.1); the cipher's schedule follows. */
struct cmac_subkeys {
    uint8_t k1[MOST_CIPHER_BLOCK_BYTES];
    uint8_t k2[MOST_CIPHER_BLOCK_BYTES];
};

/* A message as far as it has come. Its last block is held back: it is treated differently. */
struct cmac {
    uint8_t chain[MOST_CIPHER_BLOCK_BYTES]; /* the tag, once it is finished */
    uint8_t held[MOST_CIPHER_BLOCK_BYTES];
    size_t held_bytes;
};

/* Of a context that ciphermark_cmac_set_key has filled; a message begins with zeros in `cmac`. */
void ciphermark_cmac_update(const struct block_cipher *cipher, void *context, struct cmac *cmac,
                            const uint8_t *input, size_t bytes);
/* The low bits of the last byte, so many, are no part of the message. */
void ciphermark_cmac_finish(const struct block_cipher *cipher, void *context, struct cmac *cmac,
                            unsigned unused_bits);

/* The functions of rows whose parameters are a `struct block_cipher`. */
int ciphermark_cmac_set_key(const row *self, void *context, const uint8_t *key, size_t key_bytes);
int ciphermark_cmac(const row *self, void *context, const message *m);
int ciphermark_cmac_chunks(const row *self, void *context, const message *m, size_t chunk_bytes);

/* The row of a cipher with keys of `key` bytes, blocks of `block` and schedules of `schedule`. */
#define CMAC_ROW(name, key, block, cipher, schedule, timing_, backend_) \
    {.algorithm = name, .operation = MAC, .timing = timing_, .key_bytes = {key, key}, \
     .tag_bytes = block, .lanes = 1, .context_bytes = sizeof(struct cmac_subkeys) + (schedule), \
     .context_alignment = CONTEXT_ALIGNMENT, .parameters = &(cipher), \
     .set_key = ciphermark_cmac_set_key, .process = ciphermark_cmac, .backend = backend_, \
     .process_chunks = ciphermark_cmac_chunks, .input_bytes = {0, SIZE_MAX}, .block_bytes = 1, \
     .takes_repeats = 1}

#endif
