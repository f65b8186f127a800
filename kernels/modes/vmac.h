/* VMAC (draft-krovetz-vmac-01), over a block cipher of 16-byte blocks and VHASH, the hash in it. */
#ifndef CIPHERMARK_VMAC_H
#define CIPHERMARK_VMAC_H

#include "incremental.h"
#include "pad.h"

#define VHASH_BLOCK_BYTES 128
#define MOST_VHASH_ITERATIONS 2

/* Keys of the layers of VHASH, big-endian words of 64 bits. Iteration i takes l1 from 16 i on. */
struct vhash_keys {
    uint8_t l1[VHASH_BLOCK_BYTES + 16 * (MOST_VHASH_ITERATIONS - 1)];
    uint8_t l2[MOST_VHASH_ITERATIONS][16];
    uint8_t l3[MOST_VHASH_ITERATIONS][16];
};

/* An implementation of VHASH of so many iterations; its state holds keys and message. */
struct vhash {
    size_t state_bytes;
    void (*set_key)(void *state, const struct vhash_keys *keys, unsigned iterations);
    void (*start)(void *state, unsigned iterations);
    void (*update)(void *state, unsigned iterations, const uint8_t *input, size_t bytes);
    /* Writes the hash of each iteration. */
    void (*finish)(void *state, unsigned iterations, uint64_t *hashes);
};

/* The parameters of a row. */
struct vmac {
    struct incremental calls;
    uint8_t iterations; /* one for each 64 bits of tag */
    const struct vhash *hash;
    const struct block_cipher *cipher;
};

struct vmac_pad {
    struct pad pad;
    uint8_t index; /* which half of the block is for a tag of 64 bits */
};

/* A context is the pad, the state of the hash, and the cipher's schedule. */
#define VMAC_CONTEXT_BYTES(state_bytes, schedule_bytes) \
    (ALIGNED(sizeof(struct vmac_pad)) + ALIGNED(state_bytes) + (schedule_bytes))

int ciphermark_vmac_set_key(const row *self, void *context, const uint8_t *key, size_t key_bytes);
int ciphermark_check_vmac_nonce(const row *self, const uint8_t *nonce, size_t nonce_bytes);
int ciphermark_vmac_start(const row *self, void *context, const uint8_t *nonce, size_t nonce_bytes);
void ciphermark_vmac_update(const row *self, void *context, const uint8_t *input, size_t bytes);
void ciphermark_vmac_finish(const row *self, void *context, uint8_t *tag);

#define VMAC_ROW(name, iterations_, process_, hash_, state_bytes, cipher_, schedule_bytes, timing_, \
                 backend_) \
    {.algorithm = name, .operation = MAC, .timing = timing_, .key_bytes = {16, 16}, \
     .nonce_bytes = {1, 16}, .tag_bytes = 8 * (iterations_), .lanes = 1, \
     .context_bytes = VMAC_CONTEXT_BYTES(state_bytes, schedule_bytes), \
     .context_alignment = CONTEXT_ALIGNMENT, \
     .parameters = &(const struct vmac){{ciphermark_vmac_start, ciphermark_vmac_update, \
                                         ciphermark_vmac_finish}, \
                                        iterations_, &(hash_), &(cipher_)}, \
     .set_key = ciphermark_vmac_set_key, .process = process_, .backend = backend_, \
     .process_chunks = ciphermark_incremental_chunks, .input_bytes = {0, SIZE_MAX}, \
     .block_bytes = 1, .check_nonce = ciphermark_check_vmac_nonce}

/* Both rows of an implementation, with one of AES, by its incremental calls. */
#define VMAC_ROWS(...) \
    VMAC_ROW("vmac-64", 1, ciphermark_incremental, __VA_ARGS__), \
    VMAC_ROW("vmac-128", 2, ciphermark_incremental, __VA_ARGS__)

#endif
