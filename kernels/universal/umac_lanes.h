/*
 * Calls with many messages of UMAC, for kernels with instructions for AES.
 *
 * Messages are hashed one after the other, but the pads of a few are encrypted together: no round
 * of one waits for that of another. Contexts are only read, and so this is for the tags of which
 * a pad has one. Where it has several, messages that are processed alone find most of theirs in the
 * context, and that is faster.
 */
#ifndef CIPHERMARK_UMAC_LANES_H
#define CIPHERMARK_UMAC_LANES_H

#include "umac_process.h"

AES_PART(encrypt_aes_part)

#define AES128_ROUNDS AES_ROUNDS(16)
/* With more there is little left to hide, and they take registers. */
#define PADS_AT_ONCE 4

typedef void hash_message(const struct uhash_context *state, const message *m, const uint8_t *mask);

static int are_all_aes128(void *const *contexts)
{
    unsigned i, others = 0;
    for (i = 0; i < PADS_AT_ONCE; i++) {
        const struct aes_schedule *schedule = umac_schedule_of(contexts[i]);
        others |= schedule->rounds ^ AES128_ROUNDS;
    }
    return others == 0;
}

/* The pads of PADS_AT_ONCE messages. */
INLINED void encrypt_pads(void *const *contexts, const message *messages,
                          uint8_t (*pads)[PAD_BLOCK_BYTES])
{
    const struct aes_schedule *keys[PADS_AT_ONCE];
    aes_block x[PADS_AT_ONCE];
    unsigned round, i;
    for (i = 0; i < PADS_AT_ONCE; i++) {
        const struct part nonce = load_part16(messages[i].nonce, messages[i].nonce_bytes);
        keys[i] = umac_schedule_of(contexts[i]);
        x[i] = begin_aes(aes_block_of(nonce.low, nonce.high), load_aes_block(keys[i]->keys[0]));
    }
    for (round = 1; round < AES128_ROUNDS; round++) {
        for (i = 0; i < PADS_AT_ONCE; i++)
            x[i] = encrypt_aes_round(x[i], load_aes_block(keys[i]->keys[round - 1]),
                                     load_aes_block(keys[i]->keys[round]));
    }
    for (i = 0; i < PADS_AT_ONCE; i++)
        store_aes_block(pads[i],
                        encrypt_last_aes_round(x[i], load_aes_block(keys[i]->keys[round - 1]),
                                               load_aes_block(keys[i]->keys[round])));
}

INLINED void process_together(void *const *contexts, const message *messages, hash_message *hash)
{
    uint8_t pads[PADS_AT_ONCE][PAD_BLOCK_BYTES];
    unsigned i;
    encrypt_pads(contexts, messages, pads);
    for (i = 0; i < PADS_AT_ONCE; i++)
        hash(uhash_context_of(contexts[i]), &messages[i], pads[i]);
}

INLINED void process_alone(void *context, const message *m, hash_message *hash)
{
    uint8_t pad[PAD_BLOCK_BYTES];
    encrypt_aes_part(umac_schedule_of(context), pad, load_part16(m->nonce, m->nonce_bytes));
    hash(uhash_context_of(context), m, pad);
}

#define UMAC_LANES(word, streams) \
    static int lanes_##word##_##streams(const row *self, void *const *contexts, \
                                        const message *messages, size_t count) \
    { \
        size_t i = 0; \
        (void)self; \
        while (i < count) { \
            if (count - i >= PADS_AT_ONCE && are_all_aes128(contexts + i)) { \
                process_together(contexts + i, messages + i, hash_##word##_##streams); \
                i += PADS_AT_ONCE; \
            } else { \
                process_alone(contexts[i], &messages[i], hash_##word##_##streams); \
                i++; \
            } \
        } \
        return CIPHERMARK_DONE; \
    }

/* Rows choose among these, see HAS_LANES. */
UMAC_LANES(2, 2)
UMAC_LANES(2, 4)
UMAC_LANES(2, 6)
UMAC_LANES(2, 8)
UMAC_LANES(4, 1)
UMAC_LANES(4, 2)
UMAC_LANES(4, 3)
UMAC_LANES(4, 4)

/* For rows, see umac.h. */
#define UMAC_AES_HASH UHASH_TEMPLATE_HASH
#define UMAC_AES_STATE_BYTES UHASH_TEMPLATE_STATE_BYTES
#define UMAC_AES_ALIGNMENT UHASH_TEMPLATE_ALIGNMENT
#define UMAC_AES_PROCESS UHASH_TEMPLATE_PROCESS
#define UMAC_AES_LANES(mac, word, streams) \
    .lanes = HAS_LANES(mac, word, streams) ? CIPHERMARK_MOST_LANES : 1, \
    .process_lanes = HAS_LANES(mac, word, streams) ? lanes_##word##_##streams : NULL

/* Whether there are pads, and each has one tag. */
#define HAS_LANES(mac, word, streams) \
    (IS_##mac##_PADDED && (word) * (streams) > PAD_BLOCK_BYTES / 2)
#define IS_UMAC_PADDED 1
#define IS_UHASH_PADDED 0

#endif
