/*
 * UMAC as of October 2000 (draft-krovetz-umac-01) and of RFC 4418, over a block cipher and UHASH,
 * the hash in it, which can be had alone.
 */
#ifndef CIPHERMARK_UMAC_H
#define CIPHERMARK_UMAC_H

#include "incremental.h"
#include "pad.h"

#define UHASH_BLOCK_BYTES 1024
#define UHASH_GROUP_BYTES 32
#define MOST_UHASH_STREAMS 8

/* The output is that of so many streams, each of one word. */
struct uhash_form {
    uint8_t word_bytes; /* 2 or 4 */
    uint8_t streams;    /* 1 to 8 of 2 bytes, 1 to 4 of 4 bytes */
};

/* Most bytes that the keys of the layers have, with either word. */
#define MOST_L1_KEY_BYTES (UHASH_BLOCK_BYTES + 16 * (MOST_UHASH_STREAMS - 1))
#define MOST_L2_KEY_BYTES (28 * MOST_UHASH_STREAMS)
#define MOST_L3_KEY_BYTES (32 * MOST_UHASH_STREAMS)
#define MOST_L3_PAD_BYTES 16

/* What is derived from a key: those of the layers of UHASH, and the one that makes pads. */
enum umac_key { L1_KEY, L2_KEY, L3_KEY, L3_PAD, PAD_KEY };

/* Derives keys from the one that the schedule of `cipher` was made of. */
struct umac_kdf {
    void (*derive)(const struct umac_kdf *self, enum umac_key which, uint8_t *output, size_t bytes);
    const struct block_cipher *cipher;
    const void *schedule;
};

/* Bytes of the keys of layers 1, 2 and 3 for a form. */
size_t ciphermark_l1_key_bytes(const struct uhash_form *form);
size_t ciphermark_l2_key_bytes(const struct uhash_form *form);
size_t ciphermark_l3_key_bytes(const struct uhash_form *form);

/* An implementation of UHASH; its state holds keys and message. */
struct uhash {
    size_t state_bytes;
    void (*set_key)(void *state, const struct uhash_form *form, const struct umac_kdf *kdf);
    void (*start)(void *state, const struct uhash_form *form);
    void (*update)(void *state, const struct uhash_form *form, const uint8_t *input, size_t bytes);
    void (*finish)(void *state, const struct uhash_form *form, uint8_t *output);
};

/* The parameters of a row. */
struct umac {
    struct incremental calls;
    struct uhash_form form;
    const struct uhash *hash;
    const struct block_cipher *cipher;
    void (*derive)(const struct umac_kdf *self, enum umac_key which, uint8_t *output, size_t bytes);
    uint8_t key_step_bytes; /* keys are whole steps */
};

struct umac_pad {
    struct pad pad;
    uint8_t index; /* which part of the block the tag is masked by */
};

/* A context is the pad, the state of the hash at an offset that suits vectors, and the cipher's
 * schedule. */
#define UMAC_STATE_OFFSET 64
#define UMAC_CONTEXT_BYTES(state_bytes, schedule_bytes) \
    (UMAC_STATE_OFFSET + ALIGNED(state_bytes) + (schedule_bytes))

int ciphermark_umac_set_key(const row *self, void *context, const uint8_t *key, size_t key_bytes);
int ciphermark_umac_start(const row *self, void *context, const uint8_t *nonce, size_t nonce_bytes);
int ciphermark_uhash_start(const row *self, void *context, const uint8_t *nonce,
                           size_t nonce_bytes);
void ciphermark_umac_update(const row *self, void *context, const uint8_t *input, size_t bytes);
void ciphermark_umac_finish(const row *self, void *context, uint8_t *tag);
void ciphermark_uhash_finish(const row *self, void *context, uint8_t *output);

/* KDF of the draft, of the authors' code, where it differs, and of the RFC. */
void ciphermark_umac2000_derive(const struct umac_kdf *self, enum umac_key which, uint8_t *output,
                                size_t bytes);
void ciphermark_umac2000_code_derive(const struct umac_kdf *self, enum umac_key which,
                                     uint8_t *output, size_t bytes);
void ciphermark_umac_rfc4418_derive(const struct umac_kdf *self, enum umac_key which,
                                    uint8_t *output, size_t bytes);

/*
 * A row of a UMAC with tags of streams * word bytes, or of a UHASH; variants are named. What makes
 * it, `by`, is the name of macros: by_HASH(word, streams), a `struct uhash`, with by_STATE_BYTES
 * and by_ALIGNMENT of its state, by_PROCESS(mac, word, streams), a row's `process`, `mac` being one
 * of UHASH, UMAC and UMAC_RC6, and by_LANES(mac, word, streams), which sets `lanes` and, where
 * there is one, `process_lanes`.
 */
#define UMAC_ROW(name, mac, start_, finish_, word, streams_, most_key, key_step, least_nonce, \
                 most_nonce, by, cipher_, schedule_bytes, derive_, timing_, backend_, variant_) \
    {.algorithm = name, .operation = MAC, .timing = timing_, .key_bytes = {16, most_key}, \
     .nonce_bytes = {least_nonce, most_nonce}, .tag_bytes = (word) * (streams_), \
     by##_LANES(mac, word, streams_), \
     .context_bytes = UMAC_CONTEXT_BYTES(by##_STATE_BYTES, schedule_bytes), \
     .context_alignment = by##_ALIGNMENT, \
     .parameters = &(const struct umac){{start_, ciphermark_umac_update, finish_}, \
                                        {word, streams_}, &by##_HASH(word, streams_), &(cipher_), \
                                        derive_, key_step}, \
     .set_key = ciphermark_umac_set_key, .process = by##_PROCESS(mac, word, streams_), \
     .backend = backend_, .process_chunks = ciphermark_incremental_chunks, \
     .input_bytes = {0, SIZE_MAX}, .block_bytes = 1, .variant = variant_, .takes_repeats = 1}

/* The rows of RFC 4418, with an implementation of AES. */
#define UMAC_RFC4418_ROW(name, streams, by, cipher, schedule_bytes, timing, backend) \
    UMAC_ROW(name, UMAC, ciphermark_umac_start, ciphermark_umac_finish, 4, streams, 32, 8, 1, 16, \
             by, cipher, schedule_bytes, ciphermark_umac_rfc4418_derive, timing, backend, NULL)

#define UMAC_RFC4418_ROWS(by, cipher, schedule_bytes, timing, backend) \
    UMAC_RFC4418_ROW("umac-32", 1, by, cipher, schedule_bytes, timing, backend), \
    UMAC_RFC4418_ROW("umac-64", 2, by, cipher, schedule_bytes, timing, backend), \
    UMAC_RFC4418_ROW("umac-96", 3, by, cipher, schedule_bytes, timing, backend), \
    UMAC_RFC4418_ROW("umac-128", 4, by, cipher, schedule_bytes, timing, backend)

/* Each form of 2000, by ROW(name, word, streams, ...). */
#define UMAC2000_FORMS(ROW, ...) \
    ROW("2-4", 2, 2, __VA_ARGS__), ROW("2-8", 2, 4, __VA_ARGS__), ROW("2-12", 2, 6, __VA_ARGS__), \
    ROW("2-16", 2, 8, __VA_ARGS__), ROW("4-4", 4, 1, __VA_ARGS__), ROW("4-8", 4, 2, __VA_ARGS__), \
    ROW("4-12", 4, 3, __VA_ARGS__), ROW("4-16", 4, 4, __VA_ARGS__)

/* The rows of 2000: a UMAC, and the UHASH in it. */
#define UMAC2000_ROW(name, word, streams, by, cipher, schedule_bytes, timing, backend) \
    UMAC_ROW("umac2000-" name, UMAC, ciphermark_umac_start, ciphermark_umac_finish, word, streams, \
             32, 16, 1, 16, by, cipher, schedule_bytes, ciphermark_umac2000_derive, timing, \
             backend, NULL), \
    UMAC_ROW("uhash2000-" name, UHASH, ciphermark_uhash_start, ciphermark_uhash_finish, word, \
             streams, 32, 16, 0, 0, by, cipher, schedule_bytes, ciphermark_umac2000_derive, \
             timing, backend, NULL)

#define UMAC2000_ROWS(by, cipher, schedule_bytes, timing, backend) \
    UMAC2000_FORMS(UMAC2000_ROW, by, cipher, schedule_bytes, timing, backend)

/* The rows of 2000 whose keys and pads RC6 makes. UHASH has none: only its keys would differ. */
#define UMAC2000_RC6_ROW(name, word, streams, by, rc6, schedule_bytes, timing, backend) \
    UMAC_ROW("umac2000-" name "-rc6", UMAC_RC6, ciphermark_umac_start, ciphermark_umac_finish, \
             word, streams, 16, 16, 1, 16, by, rc6, schedule_bytes, ciphermark_umac2000_derive, \
             timing, backend, NULL)

#define UMAC2000_RC6_ROWS(by, rc6, schedule_bytes, timing, backend) \
    UMAC2000_FORMS(UMAC2000_RC6_ROW, by, rc6, schedule_bytes, timing, backend)

#endif
