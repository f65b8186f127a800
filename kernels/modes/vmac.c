#include "vmac.h"

#include "words.h"

#define BLOCK_BYTES PAD_BLOCK_BYTES

/* The first byte of what is encrypted for a key; for a pad it is less than 128. */
enum { L1_INDEX = 128, L2_INDEX = 192, L3_INDEX = 224 };

static void *state_of(void *context)
{
    return (uint8_t *)context + ALIGNED(sizeof(struct vmac_pad));
}

static void *schedule_of(const struct vmac *vmac, void *context)
{
    return (uint8_t *)state_of(context) + ALIGNED(vmac->hash->state_bytes);
}

/* KDF: one block of it. */
static void derive(const struct vmac *vmac, const void *schedule, uint8_t index, uint64_t counter,
                   uint8_t output[BLOCK_BYTES])
{
    uint8_t block[BLOCK_BYTES] = {0};
    block[0] = index;
    store_be64(block + 8, counter);
    vmac->cipher->encrypt(schedule, output, block, 1);
}

/* 1 for a number that is not less than the prime 2^64 - 257, else 0. */
static uint8_t is_beyond(uint64_t number)
{
    return (uint8_t)(((number >> 9) + ((number & 0x1ff) + 257) / 512) >> 55);
}

/*
 * A key of layer 3 is two numbers less than the prime. That numbers are not is no secret: they are
 * then no key.
 */
static int is_l3_key(const uint8_t *key)
{
    static const uint8_t NONE[2] = {0, 0};
    const uint8_t beyond[2] = {is_beyond(load_be64(key)), is_beyond(load_be64(key + 8))};
    return equal_bytes(beyond, NONE, 2);
}

static void derive_keys(const struct vmac *vmac, const void *schedule, struct vhash_keys *keys)
{
    uint64_t counter = 0;
    unsigned i;
    for (i = 0; i < sizeof keys->l1 / BLOCK_BYTES; i++)
        derive(vmac, schedule, L1_INDEX, i, keys->l1 + BLOCK_BYTES * i);
    for (i = 0; i < vmac->iterations; i++) {
        derive(vmac, schedule, L2_INDEX, i, keys->l2[i]);
        do
            derive(vmac, schedule, L3_INDEX, counter++, keys->l3[i]);
        while (!is_l3_key(keys->l3[i]));
    }
}

int ciphermark_vmac_set_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    const struct vmac *vmac = self->parameters;
    void *schedule = schedule_of(vmac, context);
    struct vmac_pad *pad = context;
    struct vhash_keys keys;
    vmac->cipher->set_encrypt_key(schedule, key, key_bytes);
    derive_keys(vmac, schedule, &keys);
    vmac->hash->set_key(state_of(context), &keys, vmac->iterations);
    pad->pad.is_known = 0;
    return CIPHERMARK_DONE;
}

/* A nonce has zeros before it, and at most 127 bits. */
int ciphermark_check_vmac_nonce(const row *self, const uint8_t *nonce, size_t nonce_bytes)
{
    (void)self;
    return nonce_bytes == BLOCK_BYTES && nonce[0] >= L1_INDEX ? CIPHERMARK_BAD_NONCE
                                                              : CIPHERMARK_DONE;
}

/* The last bit of a nonce chooses a half. */
int ciphermark_vmac_start(const row *self, void *context, const uint8_t *nonce, size_t nonce_bytes)
{
    const struct vmac *vmac = self->parameters;
    struct vmac_pad *pad = context;
    uint8_t input[BLOCK_BYTES] = {0};
    if (ciphermark_check_vmac_nonce(self, nonce, nonce_bytes) != CIPHERMARK_DONE)
        return CIPHERMARK_BAD_NONCE;
    memcpy(input + BLOCK_BYTES - nonce_bytes, nonce, nonce_bytes);
    pad->index = vmac->iterations == 1 ? input[15] & 1 : 0;
    input[15] = (uint8_t)(input[15] - pad->index);
    ciphermark_find_pad(&pad->pad, vmac->cipher, schedule_of(vmac, context), input);
    vmac->hash->start(state_of(context), vmac->iterations);
    return CIPHERMARK_DONE;
}

void ciphermark_vmac_update(const row *self, void *context, const uint8_t *input, size_t bytes)
{
    const struct vmac *vmac = self->parameters;
    vmac->hash->update(state_of(context), vmac->iterations, input, bytes);
}

void ciphermark_vmac_finish(const row *self, void *context, uint8_t *tag)
{
    const struct vmac *vmac = self->parameters;
    const struct vmac_pad *pad = context;
    uint64_t hashes[MOST_VHASH_ITERATIONS];
    unsigned i;
    vmac->hash->finish(state_of(context), vmac->iterations, hashes);
    for (i = 0; i < vmac->iterations; i++)
        store_be64(tag + 8 * i, hashes[i] + load_be64(pad->pad.block + 8 * (pad->index + i)));
}
