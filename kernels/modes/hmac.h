/* HMAC (RFC 2104, FIPS 198-1) of a hash. */
#ifndef CIPHERMARK_HMAC_H
#define CIPHERMARK_HMAC_H

#include "hash.h"

/* Chaining values after the key xored with ipad, and with opad. */
struct hmac {
    uint64_t inner[MOST_CHAIN_BYTES / 8];
    uint64_t outer[MOST_CHAIN_BYTES / 8];
    struct hashing hashing;
};

/* The functions of rows whose parameters are a `struct hash`; the context is a `struct hmac`. */
int ciphermark_hmac_set_key(const row *self, void *context, const uint8_t *key, size_t key_bytes);
int ciphermark_hmac(const row *self, void *context, const message *m);
int ciphermark_hmac_chunks(const row *self, void *context, const message *m, size_t chunk_bytes);

#define HMAC_ROW(name, hash_, hash_digest_bytes, backend_) \
    {.algorithm = name, .operation = MAC, .timing = CIPHERMARK_CONSTANT_TIME, \
     .key_bytes = {0, SIZE_MAX}, .tag_bytes = hash_digest_bytes, .lanes = 1, \
     .context_bytes = sizeof(struct hmac), .context_alignment = CONTEXT_ALIGNMENT, \
     .parameters = &(hash_), .set_key = ciphermark_hmac_set_key, .process = ciphermark_hmac, \
     .backend = backend_, .process_chunks = ciphermark_hmac_chunks, \
     .input_bytes = {0, SIZE_MAX}, .block_bytes = 1, .takes_repeats = 1}

#endif
