#include "hmac.h"

#include "words.h"

#define MOST_DIGEST_BYTES MOST_CHAIN_BYTES

/* RFC 2104, section 2. */
#define IPAD 0x36
#define OPAD 0x5c

/* The chaining value after the first block, the padded key with each byte xored with `pad`. */
static void start_padded(const struct hash *hash, uint64_t *chain, const uint8_t *padded_key,
                         uint8_t pad)
{
    uint8_t block[MOST_BLOCK_BYTES];
    size_t i;
    for (i = 0; i < hash->block_bytes; i++)
        block[i] = (uint8_t)(padded_key[i] ^ pad);
    hash->start(chain);
    hash->compress(chain, block, 1);
}

/* A key longer than a block is hashed first; then zeros make it as long as a block. */
int ciphermark_hmac_set_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    const struct hash *hash = self->parameters;
    struct hmac *hmac = context;
    uint8_t padded_key[MOST_BLOCK_BYTES] = {0};
    if (key_bytes > hash->block_bytes) {
        ciphermark_hash_start(hash, &hmac->hashing);
        ciphermark_hash_update(hash, &hmac->hashing, key, key_bytes);
        ciphermark_hash_finish(hash, &hmac->hashing, padded_key);
    } else {
        memcpy(padded_key, key, key_bytes);
    }
    start_padded(hash, hmac->inner, padded_key, IPAD);
    start_padded(hash, hmac->outer, padded_key, OPAD);
    return CIPHERMARK_DONE;
}

/* Goes on after a first block. */
static void resume(const struct hash *hash, struct hashing *hashing, const uint64_t *chain)
{
    memcpy(hashing->chain, chain, hash->chain_bytes);
    hashing->bytes = hash->block_bytes;
}

int ciphermark_hmac(const row *self, void *context, const message *m)
{
    return ciphermark_hmac_chunks(self, context, m, SIZE_MAX);
}

int ciphermark_hmac_chunks(const row *self, void *context, const message *m, size_t chunk_bytes)
{
    const struct hash *hash = self->parameters;
    struct hmac *hmac = context;
    uint8_t digest[MOST_DIGEST_BYTES];
    resume(hash, &hmac->hashing, hmac->inner);
    ciphermark_hash_update_chunks(hash, &hmac->hashing, m, chunk_bytes);
    ciphermark_hash_finish(hash, &hmac->hashing, digest);
    resume(hash, &hmac->hashing, hmac->outer);
    ciphermark_hash_update(hash, &hmac->hashing, digest, hash->digest_bytes);
    ciphermark_hash_finish(hash, &hmac->hashing, m->output);
    return CIPHERMARK_DONE;
}
