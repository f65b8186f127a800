/* hash127 (Bernstein, 2000), and a MAC of it whose numbers a block cipher makes. */
#ifndef CIPHERMARK_HASH127_H
#define CIPHERMARK_HASH127_H

#include "block_cipher.h"
#include "incremental.h"

#define HASH127_BYTES 16 /* of r, of k and of the hash */
#define HASH127_WORD_BYTES 4

/* A part of a word counts as a word, of which the rest is zeros. */
static inline size_t words_of(size_t bytes)
{
    return (bytes + HASH127_WORD_BYTES - 1u) / HASH127_WORD_BYTES;
}

/* An implementation; its state holds key and message. Numbers are as the specification has them. */
struct hash127 {
    size_t state_bytes;
    void (*set_key)(void *state, const uint8_t r[HASH127_BYTES]);
    void (*start)(void *state, const uint8_t k[HASH127_BYTES]);
    void (*update)(void *state, const uint8_t *input, size_t bytes);
    /* Zeros follow a last word of which only a part was given. */
    void (*finish)(void *state, uint8_t hash[HASH127_BYTES]);
    /* All that in one call; null where there is no faster way. */
    void (*hash_message)(const void *state, const uint8_t k[HASH127_BYTES], const uint8_t *input,
                         size_t bytes, uint8_t hash[HASH127_BYTES]);
};

/* The parameters of a row: of hash127 itself there is no cipher. */
struct hash127_mac {
    struct incremental calls;
    const struct hash127 *hash;
    const struct block_cipher *cipher;
};

/* The functions of hash127: the key is r, and the nonce is k; the context is the state. */
int ciphermark_hash127_set_key(const row *self, void *context, const uint8_t *key,
                               size_t key_bytes);
int ciphermark_hash127_start(const row *self, void *context, const uint8_t *nonce,
                             size_t nonce_bytes);

/* Those of the MAC: r is 16 bytes of ones, encrypted, and k the nonce; the schedule comes last. */
int ciphermark_hash127_mac_set_key(const row *self, void *context, const uint8_t *key,
                                   size_t key_bytes);
int ciphermark_hash127_mac_start(const row *self, void *context, const uint8_t *nonce,
                                 size_t nonce_bytes);

/* A message in one call, of implementations that have such calls. */
int ciphermark_hash127(const row *self, void *context, const message *m);

void ciphermark_hash127_update(const row *self, void *context, const uint8_t *input, size_t bytes);
void ciphermark_hash127_finish(const row *self, void *context, uint8_t *hash);

#define HASH127_MAC_CONTEXT_BYTES(state_bytes, schedule_bytes) \
    (ALIGNED(state_bytes) + (schedule_bytes))

#define HASH127_ROW(name, start_, hash_, cipher_, timing_, least_nonce, context, set_key_, block, \
                    process_, backend_) \
    {.algorithm = name, .operation = MAC, .timing = timing_, .key_bytes = {16, 16}, \
     .nonce_bytes = {least_nonce, 16}, .tag_bytes = HASH127_BYTES, .lanes = 1, \
     .context_bytes = context, .context_alignment = CONTEXT_ALIGNMENT, \
     .parameters = &(const struct hash127_mac){{start_, ciphermark_hash127_update, \
                                                ciphermark_hash127_finish}, \
                                               &(hash_), cipher_}, \
     .set_key = set_key_, .process = process_, .backend = backend_, \
     .process_chunks = ciphermark_incremental_chunks, .input_bytes = {0, SIZE_MAX}, \
     .block_bytes = block, .takes_repeats = 1}

/* Both rows of an implementation, with one of RC6. */
#define HASH127_ROWS(hash, state_bytes, rc6, schedule_bytes, process, backend) \
    HASH127_ROW("hash127", ciphermark_hash127_start, hash, NULL, CIPHERMARK_CONSTANT_TIME, 16, \
                state_bytes, ciphermark_hash127_set_key, HASH127_WORD_BYTES, \
                process, backend), \
    HASH127_ROW("hash127-rc6", ciphermark_hash127_mac_start, hash, &(rc6), \
                CIPHERMARK_VARIABLE_TIME, 1, \
                HASH127_MAC_CONTEXT_BYTES(state_bytes, schedule_bytes), \
                ciphermark_hash127_mac_set_key, 1, process, backend)

#endif
