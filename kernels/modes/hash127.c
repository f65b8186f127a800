#include "hash127.h"

#include "words.h"

int ciphermark_hash127_set_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    const struct hash127_mac *mac = self->parameters;
    (void)key_bytes;
    mac->hash->set_key(context, key);
    return CIPHERMARK_DONE;
}

int ciphermark_hash127_start(const row *self, void *context, const uint8_t *nonce,
                             size_t nonce_bytes)
{
    const struct hash127_mac *mac = self->parameters;
    (void)nonce_bytes;
    mac->hash->start(context, nonce);
    return CIPHERMARK_DONE;
}

static void *schedule_of(const struct hash127_mac *mac, void *context)
{
    return (uint8_t *)context + ALIGNED(mac->hash->state_bytes);
}

int ciphermark_hash127_mac_set_key(const row *self, void *context, const uint8_t *key,
                                   size_t key_bytes)
{
    const struct hash127_mac *mac = self->parameters;
    void *schedule = schedule_of(mac, context);
    uint8_t r[HASH127_BYTES];
    mac->cipher->set_encrypt_key(schedule, key, key_bytes);
    memset(r, 0xff, sizeof r);
    mac->cipher->encrypt(schedule, r, r, 1);
    mac->hash->set_key(context, r);
    return CIPHERMARK_DONE;
}

/* k: the nonce, encrypted. */
static void make_pad(const struct hash127_mac *mac, void *context, uint8_t k[HASH127_BYTES],
                     const uint8_t *nonce, size_t nonce_bytes)
{
    memset(k, 0, HASH127_BYTES);
    memcpy(k, nonce, nonce_bytes);
    mac->cipher->encrypt(schedule_of(mac, context), k, k, 1);
}

int ciphermark_hash127_mac_start(const row *self, void *context, const uint8_t *nonce,
                                 size_t nonce_bytes)
{
    const struct hash127_mac *mac = self->parameters;
    uint8_t k[HASH127_BYTES];
    make_pad(mac, context, k, nonce, nonce_bytes);
    mac->hash->start(context, k);
    return CIPHERMARK_DONE;
}

int ciphermark_hash127(const row *self, void *context, const message *m)
{
    const struct hash127_mac *mac = self->parameters;
    uint8_t k[HASH127_BYTES];
    const uint8_t *number = m->nonce;
    if (mac->cipher != NULL) {
        make_pad(mac, context, k, m->nonce, m->nonce_bytes);
        number = k;
    }
    mac->hash->hash_message(context, number, m->input, m->input_bytes, m->output);
    return CIPHERMARK_DONE;
}

void ciphermark_hash127_update(const row *self, void *context, const uint8_t *input, size_t bytes)
{
    const struct hash127_mac *mac = self->parameters;
    mac->hash->update(context, input, bytes);
}

void ciphermark_hash127_finish(const row *self, void *context, uint8_t *hash)
{
    const struct hash127_mac *mac = self->parameters;
    mac->hash->finish(context, hash);
}
