#include "hash.h"

#include "words.h"

void ciphermark_hash_start(const struct hash *hash, struct hashing *hashing)
{
    hash->start(hashing->chain);
    hashing->bytes = 0;
}

void ciphermark_hash_update(const struct hash *hash, struct hashing *hashing, const uint8_t *input,
                            size_t input_bytes)
{
    const size_t block_bytes = hash->block_bytes;
    const size_t held = (size_t)(hashing->bytes % block_bytes);
    size_t blocks;
    hashing->bytes += input_bytes;
    if (held > 0) {
        const size_t wanted = block_bytes - held;
        if (input_bytes < wanted) {
            memcpy(hashing->rest + held, input, input_bytes);
            return;
        }
        memcpy(hashing->rest + held, input, wanted);
        hash->compress(hashing->chain, hashing->rest, 1);
        input += wanted;
        input_bytes -= wanted;
    }
    blocks = input_bytes / block_bytes;
    if (blocks > 0)
        hash->compress(hashing->chain, input, blocks);
    memcpy(hashing->rest, input + blocks * block_bytes, input_bytes - blocks * block_bytes);
}

/*
 * A one bit, zeros, and the length in bits at the end of a block (RFC 1321, 3.1–3.2; FIPS 180-4,
 * 5.1).
 */
void ciphermark_hash_finish(const struct hash *hash, struct hashing *hashing, uint8_t *digest)
{
    const size_t block_bytes = hash->block_bytes;
    size_t held = (size_t)(hashing->bytes % block_bytes);
    uint8_t *rest = hashing->rest;
    rest[held++] = 0x80;
    if (held > block_bytes - hash->length_bytes) {
        memset(rest + held, 0, block_bytes - held);
        hash->compress(hashing->chain, rest, 1);
        held = 0;
    }
    memset(rest + held, 0, block_bytes - held);
    if (hash->length_is_big_endian) {
        store_be64(rest + block_bytes - 8, hashing->bytes << 3);
        if (hash->length_bytes > 8)
            rest[block_bytes - 9] = (uint8_t)(hashing->bytes >> 61);
    } else {
        store_le64(rest + block_bytes - 8, hashing->bytes << 3);
    }
    hash->compress(hashing->chain, rest, 1);
    hash->finish(hashing->chain, digest);
}

void ciphermark_hash_update_chunks(const struct hash *hash, struct hashing *hashing,
                                   const message *m, size_t chunk_bytes)
{
    size_t at, bytes;
    for (at = 0; at < m->input_bytes; at += bytes) {
        bytes = m->input_bytes - at < chunk_bytes ? m->input_bytes - at : chunk_bytes;
        ciphermark_hash_update(hash, hashing, chunk_at(m, at), bytes);
    }
}

int ciphermark_digest(const row *self, void *context, const message *m)
{
    return ciphermark_digest_chunks(self, context, m, SIZE_MAX);
}

int ciphermark_digest_chunks(const row *self, void *context, const message *m, size_t chunk_bytes)
{
    const struct hash *hash = self->parameters;
    struct hashing *hashing = context;
    ciphermark_hash_start(hash, hashing);
    ciphermark_hash_update_chunks(hash, hashing, m, chunk_bytes);
    ciphermark_hash_finish(hash, hashing, m->output);
    return CIPHERMARK_DONE;
}
