/*
 * Adiantum (Crowley, Biggers, ToSC 2018(4)) with XChaCha12 and AES-256: a message is a sector, and the
 * nonce its tweak.
 */
#ifndef CIPHERMARK_ADIANTUM_H
#define CIPHERMARK_ADIANTUM_H

#include "block_cipher.h"
#include "chacha20.h"
#include "poly1305.h"

#define ADIANTUM_BLOCK_BYTES 16
#define ADIANTUM_KEY_BYTES 32
#define ADIANTUM_TWEAK_BYTES 32

/* A unit of NH has four words, and a chunk 64 units; each of four passes begins a unit later. */
#define NH_PASSES 4
#define NH_UNIT_WORDS 4
#define NH_CHUNK_BYTES 1024
#define NH_KEY_WORDS (NH_CHUNK_BYTES / 4 + NH_UNIT_WORDS * (NH_PASSES - 1))

/* Parameters of its rows. */
struct adiantum {
    const struct chacha20 *chacha12;
    const struct poly1305 *poly1305;
    const struct block_cipher *cipher;
};

struct adiantum_context {
    struct chacha20_stream stream; /* with the key K_S */
    uint64_t of_tweak[MOST_POLY1305_STATE_BYTES / 8], of_text[MOST_POLY1305_STATE_BYTES / 8];
    uint32_t nh_key[NH_KEY_WORDS];
};

int ciphermark_adiantum_set_key(const row *self, void *context, const uint8_t *key, size_t key_bytes);
int ciphermark_adiantum(const row *self, void *context, const message *m);

#define ADIANTUM_ROW(does, parameters_, schedule, timing_, backend_) \
    {.algorithm = "adiantum", .operation = does, .timing = timing_, \
     .key_bytes = {ADIANTUM_KEY_BYTES, ADIANTUM_KEY_BYTES}, \
     .nonce_bytes = {ADIANTUM_TWEAK_BYTES, ADIANTUM_TWEAK_BYTES}, .lanes = 1, \
     .context_bytes = ALIGNED(sizeof(struct adiantum_context)) + (schedule), \
     .context_alignment = CONTEXT_ALIGNMENT, .parameters = &(parameters_), \
     .set_key = ciphermark_adiantum_set_key, .process = ciphermark_adiantum, .backend = backend_, \
     .input_bytes = {ADIANTUM_BLOCK_BYTES, SIZE_MAX}, .block_bytes = 1}

#define ADIANTUM_ROWS(parameters_, schedule, timing_, backend_) \
    ADIANTUM_ROW(ENCRYPT, parameters_, schedule, timing_, backend_), \
    ADIANTUM_ROW(DECRYPT, parameters_, schedule, timing_, backend_)

#endif
