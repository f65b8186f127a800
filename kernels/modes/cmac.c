#include "cmac.h"

#include "cbc_mac.h"
#include "words.h"

/* The schedule keeps the alignment of the context. */
typedef char schedule_is_aligned[sizeof(struct cmac_subkeys) % CONTEXT_ALIGNMENT == 0 ? 1 : -1];

/* A message as far as it has come. Its last block is held back: it is treated differently. */
struct macing {
    uint8_t chain[MOST_CIPHER_BLOCK_BYTES];
    uint8_t held[MOST_CIPHER_BLOCK_BYTES];
    size_t held_bytes;
};

static void *schedule_of(void *context)
{
    return (uint8_t *)context + sizeof(struct cmac_subkeys);
}

/* Shifts the block left by one bit, and adds R_b for the bit that falls out (sections 5.3, 6.1). */
static void times_x(uint8_t *doubled, const uint8_t *block, size_t block_bytes)
{
    const unsigned r = block_bytes == 8 ? 0x1b : 0x87;
    const unsigned carry = block[0] >> 7;
    size_t i;
    for (i = 0; i < block_bytes - 1; i++)
        doubled[i] = (uint8_t)((unsigned)block[i] << 1 | block[i + 1] >> 7);
    doubled[i] = (uint8_t)((unsigned)block[i] << 1 ^ (r & (0u - carry)));
}

int ciphermark_cmac_set_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    const struct block_cipher *cipher = self->parameters;
    struct cmac_subkeys *subkeys = context;
    uint8_t block[MOST_CIPHER_BLOCK_BYTES] = {0};
    cipher->set_encrypt_key(schedule_of(context), key, key_bytes);
    cipher->encrypt(schedule_of(context), block, block, 1);
    times_x(subkeys->k1, block, cipher->block_bytes);
    times_x(subkeys->k2, subkeys->k1, cipher->block_bytes);
    return CIPHERMARK_DONE;
}

static void update(const struct block_cipher *cipher, const void *schedule, struct macing *macing,
                   const uint8_t *input, size_t bytes)
{
    const size_t block_bytes = cipher->block_bytes;
    const size_t room = block_bytes - macing->held_bytes;
    const size_t taken = bytes < room ? bytes : room;
    size_t whole;
    memcpy(macing->held + macing->held_bytes, input, taken);
    macing->held_bytes += taken;
    if (taken == bytes)
        return;
    ciphermark_cbc_mac_absorb(cipher, schedule, macing->chain, macing->held, block_bytes);
    input += taken;
    bytes -= taken;
    whole = (bytes - 1) / block_bytes * block_bytes;
    ciphermark_cbc_mac_absorb(cipher, schedule, macing->chain, input, whole);
    macing->held_bytes = bytes - whole;
    memcpy(macing->held, input + whole, macing->held_bytes);
}

/* Section 6.2, steps 4 to 7: K1 masks a whole last block, K2 one that is padded. */
static void finish(const struct block_cipher *cipher, const struct cmac_subkeys *subkeys,
                   const void *schedule, struct macing *macing)
{
    const size_t block_bytes = cipher->block_bytes;
    const uint8_t *mask = subkeys->k1;
    if (macing->held_bytes < block_bytes) {
        mask = subkeys->k2;
        memset(macing->held + macing->held_bytes, 0, block_bytes - macing->held_bytes);
        macing->held[macing->held_bytes] = 0x80;
    }
    xor_bytes(macing->held, macing->held, mask, block_bytes);
    ciphermark_cbc_mac_absorb(cipher, schedule, macing->chain, macing->held, block_bytes);
}

int ciphermark_cmac(const row *self, void *context, const message *m)
{
    return ciphermark_cmac_chunks(self, context, m, SIZE_MAX);
}

int ciphermark_cmac_chunks(const row *self, void *context, const message *m, size_t chunk_bytes)
{
    const struct block_cipher *cipher = self->parameters;
    const void *schedule = schedule_of(context);
    struct macing macing = {{0}, {0}, 0};
    size_t at, bytes;
    for (at = 0; at < m->input_bytes; at += bytes) {
        bytes = m->input_bytes - at < chunk_bytes ? m->input_bytes - at : chunk_bytes;
        update(cipher, schedule, &macing, m->input + at, bytes);
    }
    finish(cipher, context, schedule, &macing);
    memcpy(m->output, macing.chain, self->tag_bytes);
    return CIPHERMARK_DONE;
}
