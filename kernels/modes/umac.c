#include "umac.h"

#include "words.h"

#define BLOCK_BYTES PAD_BLOCK_BYTES
#define MOST_KEY_BYTES 32

size_t ciphermark_l1_key_bytes(const struct uhash_form *form)
{
    return UHASH_BLOCK_BYTES + 16 * (form->streams - 1u);
}

/* POLY has keys of 4 (with words of 2 bytes), 8 and 16 bytes. */
size_t ciphermark_l2_key_bytes(const struct uhash_form *form)
{
    return (form->word_bytes == 2 ? 28u : 24u) * form->streams;
}

size_t ciphermark_l3_key_bytes(const struct uhash_form *form)
{
    return 16u * form->word_bytes * form->streams;
}

/* Section 4.1 of the draft: each block is the one before, encrypted. */
void ciphermark_umac2000_derive(const struct umac_kdf *self, enum umac_key which, uint8_t *output,
                                size_t bytes)
{
    uint8_t block[BLOCK_BYTES] = {0};
    size_t at;
    block[15] = (uint8_t)(which == PAD_KEY ? 128 : which);
    for (at = 0; at < bytes; at += BLOCK_BYTES) {
        self->cipher->encrypt(self->schedule, block, block, 1);
        memcpy(output + at, block, bytes - at < BLOCK_BYTES ? bytes - at : BLOCK_BYTES);
    }
}

/* Of the keys of layer 3, all eight for each stream, one of those that the authors' code keeps. */
static uint8_t *kept_key(uint8_t *keys, size_t place)
{
    return keys + 64 * (place / 4) + 32 + 8 * (place % 4);
}

/*
 * The authors' code 0.05 keeps of the eight keys of 8 bytes that layer 3 has for a stream the last
 * four, in one list, and takes those of stream i from place i on instead of 4 i. Going backwards
 * to the second stream, no key is overwritten before it was taken.
 */
void ciphermark_umac2000_code_derive(const struct umac_kdf *self, enum umac_key which,
                                     uint8_t *output, size_t bytes)
{
    size_t at;
    ciphermark_umac2000_derive(self, which, output, bytes);
    if (which != L3_KEY)
        return;
    for (at = bytes / 16; at-- > 4;)
        memcpy(kept_key(output, at), kept_key(output, at / 4 + at % 4), 8);
}

/* Section 3.2.1 of the RFC: blocks are the key's number and a counter, both of 8 bytes. */
void ciphermark_umac_rfc4418_derive(const struct umac_kdf *self, enum umac_key which,
                                    uint8_t *output, size_t bytes)
{
    uint8_t block[BLOCK_BYTES];
    size_t at;
    for (at = 0; at < bytes; at += BLOCK_BYTES) {
        store_be64(block, which == PAD_KEY ? 0 : (uint64_t)which + 1);
        store_be64(block + 8, at / BLOCK_BYTES + 1);
        self->cipher->encrypt(self->schedule, block, block, 1);
        memcpy(output + at, block, bytes - at < BLOCK_BYTES ? bytes - at : BLOCK_BYTES);
    }
}

static void *state_of(void *context)
{
    return (uint8_t *)context + UMAC_STATE_OFFSET;
}

static void *schedule_of(const struct umac *umac, void *context)
{
    return (uint8_t *)state_of(context) + ALIGNED(umac->hash->state_bytes);
}

int ciphermark_umac_set_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    const struct umac *umac = self->parameters;
    void *schedule = schedule_of(umac, context);
    const struct umac_kdf kdf = {umac->derive, umac->cipher, schedule};
    struct umac_pad *pad = context;
    uint8_t pad_key[MOST_KEY_BYTES];
    if (key_bytes % umac->key_step_bytes != 0)
        return CIPHERMARK_BAD_KEY;
    umac->cipher->set_encrypt_key(schedule, key, key_bytes);
    umac->hash->set_key(state_of(context), &umac->form, &kdf);
    umac->derive(&kdf, PAD_KEY, pad_key, key_bytes);
    umac->cipher->set_encrypt_key(schedule, pad_key, key_bytes);
    pad->pad.is_known = 0;
    return CIPHERMARK_DONE;
}

/*
 * PDF, section 3.3.1 of the RFC. Where a block has several pads, the low bits of the nonce choose
 * one: of the nonce as it is given, as the RFC and the code of 2000 do it, not of what it is
 * extended to, as the draft says.
 */
static void find_pad(const struct umac *umac, void *context, const uint8_t *nonce,
                     size_t nonce_bytes, size_t tag_bytes)
{
    const unsigned pads = tag_bytes > BLOCK_BYTES / 2 ? 1 : BLOCK_BYTES / (unsigned)tag_bytes;
    struct umac_pad *pad = context;
    uint8_t input[BLOCK_BYTES] = {0};
    memcpy(input, nonce, nonce_bytes);
    pad->index = (uint8_t)(input[nonce_bytes - 1] & (pads - 1));
    input[nonce_bytes - 1] = (uint8_t)(input[nonce_bytes - 1] - pad->index);
    ciphermark_find_pad(&pad->pad, umac->cipher, schedule_of(umac, context), input);
}

int ciphermark_uhash_start(const row *self, void *context, const uint8_t *nonce, size_t nonce_bytes)
{
    const struct umac *umac = self->parameters;
    (void)nonce;
    (void)nonce_bytes;
    umac->hash->start(state_of(context), &umac->form);
    return CIPHERMARK_DONE;
}

int ciphermark_umac_start(const row *self, void *context, const uint8_t *nonce, size_t nonce_bytes)
{
    find_pad(self->parameters, context, nonce, nonce_bytes, self->tag_bytes);
    return ciphermark_uhash_start(self, context, nonce, nonce_bytes);
}

void ciphermark_umac_update(const row *self, void *context, const uint8_t *input, size_t bytes)
{
    const struct umac *umac = self->parameters;
    umac->hash->update(state_of(context), &umac->form, input, bytes);
}

void ciphermark_uhash_finish(const row *self, void *context, uint8_t *output)
{
    const struct umac *umac = self->parameters;
    umac->hash->finish(state_of(context), &umac->form, output);
}

void ciphermark_umac_finish(const row *self, void *context, uint8_t *tag)
{
    const struct umac_pad *pad = context;
    ciphermark_uhash_finish(self, context, tag);
    xor_bytes(tag, tag, pad->pad.block + pad->index * self->tag_bytes, self->tag_bytes);
}
