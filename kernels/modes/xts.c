#include "xts.h"

#include "batch.h"
#include "words.h"

/* A cipher in one direction, under the first half of the key. */
struct blocks {
    void (*crypt)(const void *schedule, uint8_t *output, const uint8_t *input, size_t blocks);
    const void *schedule;
};

/* The schedule that encrypts tweaks. */
static uint8_t *tweak_schedule(const struct block_cipher *cipher, void *context)
{
    return (uint8_t *)context + ALIGNED(cipher->schedule_bytes);
}

int ciphermark_xts_set_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    const struct block_cipher *cipher = self->parameters;
    const size_t half = key_bytes / 2;
    if (equal_bytes(key, key + half, half))
        return CIPHERMARK_BAD_KEY;
    if (self->operation == ENCRYPT)
        cipher->set_encrypt_key(context, key, half);
    else
        cipher->set_decrypt_key(context, key, half);
    cipher->set_encrypt_key(tweak_schedule(cipher, context), key + half, half);
    return CIPHERMARK_DONE;
}

/* Writes the masks of so many bytes of blocks, and leaves the mask of the block after them in `next`:
 * each is the one before times x in GF(2^128). */
static void write_masks(uint8_t *masks, uint8_t *next, size_t bytes)
{
    uint64_t low = load_le64(next), high = load_le64(next + 8), carry;
    size_t at;
    for (at = 0; at < bytes; at += XTS_BLOCK_BYTES) {
        store_le64(masks + at, low);
        store_le64(masks + at + 8, high);
        carry = (uint8_t)(high >> 56) >> 7;
        high = high << 1 | (uint8_t)(low >> 56) >> 7;
        low = low << 1 ^ ((0 - carry) & 0x87);
    }
    store_le64(next, low);
    store_le64(next + 8, high);
}

static void crypt_masked(const struct blocks *cipher, uint8_t *output, const uint8_t *input,
                         const uint8_t *masks, size_t bytes)
{
    xor_bytes(output, input, masks, bytes);
    cipher->crypt(cipher->schedule, output, output, bytes / XTS_BLOCK_BYTES);
    xor_bytes(output, output, masks, bytes);
}

/* The last block and the `rest` bytes behind it, by masks in the order in which they are used. */
static void steal(const struct blocks *cipher, uint8_t *output, const uint8_t *input,
                  const uint8_t *first_mask, const uint8_t *second_mask, size_t rest)
{
    size_t i;
    crypt_masked(cipher, output, input, first_mask, XTS_BLOCK_BYTES);
    for (i = 0; i < rest; i++) {
        const uint8_t text = input[XTS_BLOCK_BYTES + i];
        output[XTS_BLOCK_BYTES + i] = output[i];
        output[i] = text;
    }
    crypt_masked(cipher, output, output, second_mask, XTS_BLOCK_BYTES);
}

int ciphermark_xts(const row *self, void *context, const message *m)
{
    const struct block_cipher *cipher = self->parameters;
    const int encrypts = self->operation == ENCRYPT;
    const struct blocks blocks = {encrypts ? cipher->encrypt : cipher->decrypt, context};
    const size_t rest = m->input_bytes % XTS_BLOCK_BYTES;
    const size_t whole = m->input_bytes - (rest == 0 ? 0 : XTS_BLOCK_BYTES + rest);
    uint8_t masks[BATCH_BYTES], mask[XTS_BLOCK_BYTES];
    size_t at, now;
    if (m->input_bytes < XTS_BLOCK_BYTES)
        return CIPHERMARK_BAD_INPUT;
    cipher->encrypt(tweak_schedule(cipher, context), mask, m->nonce, 1);
    for (at = 0; at < whole; at += now) {
        now = whole - at < BATCH_BYTES ? whole - at : BATCH_BYTES;
        write_masks(masks, mask, now);
        crypt_masked(&blocks, m->output + at, m->input + at, masks, now);
    }
    if (rest > 0) {
        uint8_t *const last = masks + XTS_BLOCK_BYTES;
        write_masks(masks, mask, 2 * XTS_BLOCK_BYTES);
        steal(&blocks, m->output + at, m->input + at, encrypts ? masks : last,
              encrypts ? last : masks, rest);
    }
    return CIPHERMARK_DONE;
}
