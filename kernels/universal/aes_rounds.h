/*
 * AES by instructions for its rounds, over the operations of x86/aes_aesni.h or arm/aes_armv8.h.
 *
 * Some instructions add a round's key before SubBytes and others after MixColumns, so operations
 * are given both keys and use one.
 */
#ifndef CIPHERMARK_AES_ROUNDS_H
#define CIPHERMARK_AES_ROUNDS_H

#include "aes.h"
#include "block_cipher.h"
#include "words.h"

#define AES_BLOCK_BYTES 16
#define AES_ROUNDS(key_bytes) ((unsigned)(key_bytes) / 4 + 6)

/* Round keys in the order of use. */
struct aes_schedule {
    uint8_t keys[15][AES_BLOCK_BYTES];
    uint32_t rounds;
};

#define AES_INSTRUCTIONS_SCHEDULE_BYTES sizeof(struct aes_schedule)

/* As many blocks as hide the latency of a round. */
#define AES_BATCH_BLOCKS 8

/*
 * Defines `name`, which does at most AES_BATCH_BLOCKS blocks at once. Callers give constants for
 * `rounds` and `blocks` where they can.
 */
#define AES_BLOCKS(name, round_, last_round) \
    static inline void name(const struct aes_schedule *schedule, unsigned rounds, \
                            uint8_t *output, const uint8_t *input, unsigned blocks) \
    { \
        aes_block x[AES_BATCH_BLOCKS], before, key = load_aes_block(schedule->keys[0]); \
        unsigned round, i; \
        for (i = 0; i < blocks; i++) \
            x[i] = begin_aes(load_aes_block(input + AES_BLOCK_BYTES * i), key); \
        for (round = 1; round < rounds; round++) { \
            before = key; \
            key = load_aes_block(schedule->keys[round]); \
            for (i = 0; i < blocks; i++) \
                x[i] = round_(x[i], before, key); \
        } \
        before = key; \
        key = load_aes_block(schedule->keys[rounds]); \
        for (i = 0; i < blocks; i++) \
            store_aes_block(output + AES_BLOCK_BYTES * i, last_round(x[i], before, key)); \
    }

AES_BLOCKS(aes_encrypt_blocks, encrypt_aes_round, encrypt_last_aes_round)
AES_BLOCKS(aes_decrypt_blocks, decrypt_aes_round, decrypt_last_aes_round)

/* One block that is at hand. */
static inline aes_block aes_encrypted(const struct aes_schedule *schedule, unsigned rounds,
                                      aes_block x)
{
    aes_block before, key = load_aes_block(schedule->keys[0]);
    unsigned round;
    x = begin_aes(x, key);
    for (round = 1; round < rounds; round++) {
        before = key;
        key = load_aes_block(schedule->keys[round]);
        x = encrypt_aes_round(x, before, key);
    }
    return encrypt_last_aes_round(x, key, load_aes_block(schedule->keys[rounds]));
}

/* Four equal columns stay so when ShiftRows moves them. */
static inline void substitute_aes_word(uint8_t word[4])
{
    uint8_t block[AES_BLOCK_BYTES] = {0};
    unsigned i;
    for (i = 0; i < AES_BLOCK_BYTES; i += 4)
        memcpy(block + i, word, 4);
    store_aes_block(block, substitute_and_shift_aes(load_aes_block(block)));
    memcpy(word, block, 4);
}

static inline void set_aes_encrypt_key(void *context, const uint8_t *key, size_t key_bytes)
{
    struct aes_schedule *schedule = context;
    schedule->rounds = AES_ROUNDS(key_bytes);
    ciphermark_aes_expand_key(schedule->keys[0], key, key_bytes, substitute_aes_word);
}

/* The equivalent inverse cipher (FIPS 197, 5.3.5): keys backwards, all but the outer unmixed. */
static inline void set_aes_decrypt_key(void *context, const uint8_t *key, size_t key_bytes)
{
    struct aes_schedule *schedule = context, forwards;
    unsigned round;
    set_aes_encrypt_key(&forwards, key, key_bytes);
    schedule->rounds = forwards.rounds;
    for (round = 0; round <= forwards.rounds; round++) {
        const aes_block from = load_aes_block(forwards.keys[forwards.rounds - round]);
        const int is_outer = round == 0 || round == forwards.rounds;
        store_aes_block(schedule->keys[round], is_outer ? from : unmix_aes_columns(from));
    }
}

#define AES_BATCHES(name, process_blocks) \
    static void name(const void *context, uint8_t *output, const uint8_t *input, size_t blocks) \
    { \
        const struct aes_schedule *schedule = context; \
        for (; blocks >= AES_BATCH_BLOCKS; blocks -= AES_BATCH_BLOCKS) { \
            process_blocks(schedule, schedule->rounds, output, input, AES_BATCH_BLOCKS); \
            output += AES_BATCH_BLOCKS * AES_BLOCK_BYTES; \
            input += AES_BATCH_BLOCKS * AES_BLOCK_BYTES; \
        } \
        for (; blocks > 0; blocks--, output += AES_BLOCK_BYTES, input += AES_BLOCK_BYTES) \
            process_blocks(schedule, schedule->rounds, output, input, 1); \
    }

/* Defines the cipher `name`, and the functions in it. */
#define AES_CIPHER(name) \
    AES_BATCHES(encrypt, aes_encrypt_blocks) \
    AES_BATCHES(decrypt, aes_decrypt_blocks) \
    const struct block_cipher name = {AES_BLOCK_BYTES, AES_INSTRUCTIONS_SCHEDULE_BYTES, \
                                      set_aes_encrypt_key, set_aes_decrypt_key, encrypt, decrypt};

#endif
