#include "f8f9.h"

#define KEY_BYTES 16
#define BLOCK_BYTES 8
#define BLOCK_BITS F8F9_BLOCK_BITS

static void *modified(const struct block_cipher *cipher, void *context)
{
    return (uint8_t *)context + cipher->schedule_bytes;
}

static void set_keys(const struct block_cipher *cipher, void *context, const uint8_t *key,
                     uint8_t modifier)
{
    uint8_t modified_key[KEY_BYTES];
    unsigned i;
    for (i = 0; i < KEY_BYTES; i++)
        modified_key[i] = key[i] ^ modifier;
    cipher->set_encrypt_key(context, key, KEY_BYTES);
    cipher->set_encrypt_key(modified(cipher, context), modified_key, KEY_BYTES);
}

int ciphermark_f8_set_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    (void)key_bytes;
    set_keys(self->parameters, context, key, F8_MODIFIER);
    return CIPHERMARK_DONE;
}

int ciphermark_f9_set_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    (void)key_bytes;
    set_keys(self->parameters, context, key, F9_MODIFIER);
    return CIPHERMARK_DONE;
}

static uint64_t encrypted(const struct block_cipher *cipher, const void *schedule, uint64_t block)
{
    uint8_t bytes[BLOCK_BYTES];
    store_be64(bytes, block);
    cipher->encrypt(schedule, bytes, bytes, 1);
    return load_be64(bytes);
}

/* Section 3.6, for the last block. */
static void xor_part(uint8_t *output, const uint8_t *input, uint64_t keystream, size_t bytes)
{
    uint8_t block[BLOCK_BYTES];
    store_be64(block, keystream);
    xor_bytes(output, input, block, bytes);
}

/* Sections 3.4 to 3.6. */
int ciphermark_f8(const row *self, void *context, const message *m)
{
    const struct block_cipher *cipher = self->parameters;
    const size_t blocks = m->input_bytes / BLOCK_BYTES, whole = blocks * BLOCK_BYTES;
    uint8_t start[BLOCK_BYTES];
    uint64_t a, keystream = 0;
    size_t i;
    const int status = bearer_block(m, start);
    if (status != CIPHERMARK_DONE)
        return status;
    a = encrypted(cipher, modified(cipher, context), load_be64(start));
    for (i = 0; i < blocks; i++) {
        keystream = encrypted(cipher, context, a ^ i ^ keystream);
        store_be64(m->output + BLOCK_BYTES * i, load_be64(m->input + BLOCK_BYTES * i) ^ keystream);
    }
    if (m->input_bytes > whole) {
        keystream = encrypted(cipher, context, a ^ i ^ keystream);
        xor_part(m->output + whole, m->input + whole, keystream, m->input_bytes - whole);
    }
    clear_unused_bits(m);
    return CIPHERMARK_DONE;
}

/* The registers of section 4.3. */
struct f9 {
    uint64_t a, b;
};

static void absorb(const struct block_cipher *cipher, const void *schedule, struct f9 *f9,
                   uint64_t block)
{
    f9->a = encrypted(cipher, schedule, f9->a ^ block);
    f9->b ^= f9->a;
}

/* The last blocks of the padded string: the bits after the last whole block. Returns how many. */
static unsigned last_blocks(uint64_t blocks[2], const message *m, uint8_t direction)
{
    const unsigned bits = (unsigned)(message_bits(m) % BLOCK_BITS);
    uint8_t end[2 * BLOCK_BYTES] = {0};
    padded_end(end, m, bits, direction);
    blocks[0] = load_be64(end);
    blocks[1] = load_be64(end + BLOCK_BYTES);
    return padded_blocks(bits);
}

/* Sections 4.4 and 4.5. */
int ciphermark_f9(const row *self, void *context, const message *m)
{
    const struct block_cipher *cipher = self->parameters;
    const size_t blocks = (size_t)(message_bits(m) / BLOCK_BITS);
    struct f9 f9 = {0, 0};
    uint64_t last[2];
    uint8_t direction;
    unsigned count;
    size_t i;
    const int status = fresh_direction(m, &direction);
    if (status != CIPHERMARK_DONE)
        return status;
    absorb(cipher, context, &f9, load_be64(m->nonce));
    for (i = 0; i < blocks; i++)
        absorb(cipher, context, &f9, load_be64(m->input + BLOCK_BYTES * i));
    count = last_blocks(last, m, direction);
    for (i = 0; i < count; i++)
        absorb(cipher, context, &f9, last[i]);
    f9.b = encrypted(cipher, modified(cipher, context), f9.b);
    store_be32(m->output, (uint32_t)(f9.b >> 32));
    return CIPHERMARK_DONE;
}
