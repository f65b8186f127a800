/*
 * Hashes that compress block after block into a chaining value (Merkle–Damgård): MD5, SHA-1, SHA-2.
 */
#ifndef CIPHERMARK_HASH_H
#define CIPHERMARK_HASH_H

#include "rows.h"

#define MOST_BLOCK_BYTES 128
#define MOST_CHAIN_BYTES 64

struct hash {
    uint8_t block_bytes;  /* 64 or 128 */
    uint8_t digest_bytes;
    uint8_t chain_bytes;
    uint8_t length_bytes;      /* of the length in bits that ends the padding: 8 or 16 */
    uint8_t length_is_big_endian;
    /* Writes the initial chaining value. */
    void (*start)(void *chain);
    /* Compresses so many blocks. */
    void (*compress)(void *chain, const uint8_t *blocks, size_t count);
    /* Writes the chaining value as a digest. */
    void (*finish)(const void *chain, uint8_t *digest);
};

/* A message as far as it has come. Any kernel's chain fits. */
struct hashing {
    uint64_t chain[MOST_CHAIN_BYTES / 8];
    uint64_t bytes; /* of the message so far */
    uint8_t rest[MOST_BLOCK_BYTES]; /* its bytes after the last whole block */
};

void ciphermark_hash_start(const struct hash *hash, struct hashing *hashing);
void ciphermark_hash_update(const struct hash *hash, struct hashing *hashing, const uint8_t *input,
                            size_t input_bytes);
/* The input of a message, chunk_bytes at a time. */
void ciphermark_hash_update_chunks(const struct hash *hash, struct hashing *hashing,
                                   const message *m, size_t chunk_bytes);
void ciphermark_hash_finish(const struct hash *hash, struct hashing *hashing, uint8_t *digest);

/* The functions of a digest's row, whose parameters are a `struct hash`. */
int ciphermark_digest(const row *self, void *context, const message *m);
int ciphermark_digest_chunks(const row *self, void *context, const message *m, size_t chunk_bytes);

#define DIGEST_ROW(name, hash_, hash_digest_bytes, backend_) \
    {.algorithm = name, .operation = DIGEST, .timing = CIPHERMARK_CONSTANT_TIME, \
     .tag_bytes = hash_digest_bytes, .lanes = 1, .context_bytes = sizeof(struct hashing), \
     .context_alignment = CONTEXT_ALIGNMENT, .parameters = &(hash_), .process = ciphermark_digest, \
     .backend = backend_, .process_chunks = ciphermark_digest_chunks, \
     .input_bytes = {0, SIZE_MAX}, .block_bytes = 1, .takes_repeats = 1}

#endif
