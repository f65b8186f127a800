#include "cmac.h"

#include "cbc_mac.h"
#include "words.h"

/* The schedule keeps the alignment of the context. */
typedef char schedule_is_aligned[sizeof(struct cmac_subkeys) % CONTEXT_ALIGNMENT == 0 ? 1 : -1];

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

void ciphermark_cmac_update(const struct block_cipher *cipher, void *context, struct cmac *cmac,
                            const uint8_t *input, size_t bytes)
{
    const void *schedule = schedule_of(context);
    const size_t block_bytes = cipher->block_bytes;
    const size_t room = block_bytes - cmac->held_bytes;
    const size_t taken = bytes < room ? bytes : room;
    size_t whole;
    memcpy(cmac->held + cmac->held_bytes, input, taken);
    cmac->held_bytes += taken;
    if (taken == bytes)
        return;
    ciphermark_cbc_mac_absorb(cipher, schedule, cmac->chain, cmac->held, block_bytes);
    input += taken;
    bytes -= taken;
    whole = (bytes - 1) / block_bytes * block_bytes;
    ciphermark_cbc_mac_absorb(cipher, schedule, cmac->chain, input, whole);
    cmac->held_bytes = bytes - whole;
    memcpy(cmac->held, input + whole, cmac->held_bytes);
}

/* A one after the last bit of the message, and zeros. */
static void pad(struct cmac *cmac, size_t block_bytes, unsigned unused_bits)
{
    uint8_t *last = cmac->held + cmac->held_bytes;
    memset(last, 0, block_bytes - cmac->held_bytes);
    if (unused_bits == 0) {
        *last = 0x80;
    } else {
        last--;
        *last = (uint8_t)((*last & 0xffu << unused_bits) | 1u << (unused_bits - 1));
    }
}

/* Section 6.2, steps 4 to 7: K1 masks a whole last block, K2 one that is padded. */
void ciphermark_cmac_finish(const struct block_cipher *cipher, void *context, struct cmac *cmac,
                            unsigned unused_bits)
{
    const struct cmac_subkeys *subkeys = context;
    const size_t block_bytes = cipher->block_bytes;
    const uint8_t *mask = subkeys->k1;
    if (cmac->held_bytes < block_bytes || unused_bits > 0) {
        mask = subkeys->k2;
        pad(cmac, block_bytes, unused_bits);
    }
    xor_bytes(cmac->held, cmac->held, mask, block_bytes);
    ciphermark_cbc_mac_absorb(cipher, schedule_of(context), cmac->chain, cmac->held, block_bytes);
}

int ciphermark_cmac(const row *self, void *context, const message *m)
{
    return ciphermark_cmac_chunks(self, context, m, SIZE_MAX);
}

int ciphermark_cmac_chunks(const row *self, void *context, const message *m, size_t chunk_bytes)
{
    const struct block_cipher *cipher = self->parameters;
    struct cmac cmac = {{0}, {0}, 0};
    size_t at, bytes;
    for (at = 0; at < m->input_bytes; at += bytes) {
        bytes = m->input_bytes - at < chunk_bytes ? m->input_bytes - at : chunk_bytes;
        ciphermark_cmac_update(cipher, context, &cmac, chunk_at(m, at), bytes);
    }
    ciphermark_cmac_finish(cipher, context, &cmac, 0);
    memcpy(m->output, cmac.chain, self->tag_bytes);
    return CIPHERMARK_DONE;
}
