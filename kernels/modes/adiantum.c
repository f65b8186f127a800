#include "adiantum.h"

#include "words.h"

static uint8_t *schedule_of(void *context)
{
    return (uint8_t *)context + ALIGNED(sizeof(struct adiantum_context));
}

/* Begins the keystream of XChaCha12 for a nonce of `block`, a word and zeros. */
static void start_stream(const struct chacha20 *chacha12, struct chacha20_stream *running,
                         const uint8_t block[ADIANTUM_BLOCK_BYTES], uint32_t word)
{
    static const uint8_t zeros[CHACHA20_BLOCK_BYTES];
    uint8_t bytes[CHACHA20_BLOCK_BYTES];
    uint32_t state[16];
    unsigned i;
    for (i = 0; i < 4; i++)
        running->state[12 + i] = load_le32(block + 4 * i);
    memcpy(state, running->state, sizeof state);
    chacha12->xor_blocks(state, bytes, zeros, 1);
    /* HChaCha12 leaves out the addition of the state, and keeps the first and the last row. */
    for (i = 0; i < 4; i++) {
        const uint32_t first = load_le32(bytes + 4 * i) - running->state[i];
        const uint32_t last = load_le32(bytes + 48 + 4 * i) - running->state[12 + i];
        running->state[4 + i] = first;
        running->state[8 + i] = last;
    }
    memset(running->state + 12, 0, 4 * sizeof *running->state);
    running->state[14] = word;
    running->held = 0;
}

/* Gives so many bytes of the keystream of the nonce 1. */
static void derive(const struct chacha20 *chacha12, struct chacha20_stream *running, uint8_t *output,
                   size_t bytes)
{
    memset(output, 0, bytes);
    ciphermark_chacha20_xor(chacha12, running, output, output, bytes);
}

/* Sets a key of Poly1305 that has no second half. */
static void set_hash_key(const struct poly1305 *poly1305, void *state,
                         const uint8_t key[POLY1305_BLOCK_BYTES])
{
    uint8_t whole[POLY1305_KEY_BYTES] = {0};
    memcpy(whole, key, POLY1305_BLOCK_BYTES);
    poly1305->set_key(state, whole);
}

int ciphermark_adiantum_set_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    static const uint8_t one[ADIANTUM_BLOCK_BYTES] = {1};
    const struct adiantum *adiantum = self->parameters;
    struct adiantum_context *keyed = context;
    struct chacha20_stream running;
    uint8_t derived[32];
    size_t i;
    (void)key_bytes;
    ciphermark_chacha20_set_key(&keyed->stream, key);
    running = keyed->stream;
    start_stream(adiantum->chacha12, &running, one, 0);
    derive(adiantum->chacha12, &running, derived, sizeof derived);
    if (self->operation == ENCRYPT)
        adiantum->cipher->set_encrypt_key(schedule_of(context), derived, sizeof derived);
    else
        adiantum->cipher->set_decrypt_key(schedule_of(context), derived, sizeof derived);
    derive(adiantum->chacha12, &running, derived, sizeof derived);
    set_hash_key(adiantum->poly1305, keyed->of_tweak, derived);
    set_hash_key(adiantum->poly1305, keyed->of_text, derived + POLY1305_BLOCK_BYTES);
    for (i = 0; i < NH_KEY_WORDS; i++) {
        derive(adiantum->chacha12, &running, derived, sizeof(uint32_t));
        keyed->nh_key[i] = load_le32(derived);
    }
    return CIPHERMARK_DONE;
}

/* Adds a unit of NH to the sums of its passes. */
static void add_unit(uint64_t sums[NH_PASSES], const uint32_t *key, const uint8_t *unit)
{
    uint32_t word[NH_UNIT_WORDS];
    unsigned i;
    for (i = 0; i < NH_UNIT_WORDS; i++)
        word[i] = load_le32(unit + 4 * i);
    for (i = 0; i < NH_PASSES; i++, key += NH_UNIT_WORDS) {
        sums[i] += (uint64_t)(uint32_t)(word[0] + key[0]) * (uint32_t)(word[2] + key[2]);
        sums[i] += (uint64_t)(uint32_t)(word[1] + key[1]) * (uint32_t)(word[3] + key[3]);
    }
}

/* Absorbs the NH of a chunk, whose last unit is filled up with zeros. */
static void absorb_chunk(const struct poly1305 *poly1305, struct adiantum_context *keyed,
                         const uint8_t *text, size_t bytes)
{
    const uint32_t *key = keyed->nh_key;
    uint64_t sums[NH_PASSES] = {0};
    uint8_t hash[8 * NH_PASSES], last[4 * NH_UNIT_WORDS] = {0};
    unsigned i;
    for (; bytes >= sizeof last; bytes -= sizeof last, text += sizeof last, key += NH_UNIT_WORDS)
        add_unit(sums, key, text);
    if (bytes > 0) {
        memcpy(last, text, bytes);
        add_unit(sums, key, last);
    }
    for (i = 0; i < NH_PASSES; i++)
        store_le64(hash + 8 * i, sums[i]);
    poly1305->absorb(keyed->of_text, hash, sizeof hash / POLY1305_BLOCK_BYTES, 1);
}

/* Adds a number of 128 bits to a block, or takes it off. */
static void add_to_block(uint8_t *block, const uint8_t *number, int takes_off)
{
    const uint32_t flip = 0 - (uint32_t)takes_off;
    uint64_t over = (uint64_t)takes_off;
    unsigned i;
    for (i = 0; i < 4; i++) {
        over += (uint64_t)load_le32(block + 4 * i) + (load_le32(number + 4 * i) ^ flip);
        store_le32(block + 4 * i, (uint32_t)over);
        over >>= 32;
    }
}

/* Adds the hash of tweak and text to a block, or takes it off. */
static void add_hash(const struct adiantum *adiantum, struct adiantum_context *keyed, uint8_t *block,
                     const uint8_t *tweak, const uint8_t *text, size_t bytes, int takes_off)
{
    uint8_t header[POLY1305_BLOCK_BYTES] = {0}, hash[POLY1305_TAG_BYTES];
    size_t at, now;
    store_le64(header, 8 * (uint64_t)bytes);
    adiantum->poly1305->absorb(keyed->of_tweak, header, 1, 1);
    adiantum->poly1305->absorb(keyed->of_tweak, tweak, ADIANTUM_TWEAK_BYTES / POLY1305_BLOCK_BYTES, 1);
    adiantum->poly1305->finish(keyed->of_tweak, hash);
    add_to_block(block, hash, takes_off);
    for (at = 0; at < bytes; at += now) {
        now = bytes - at < NH_CHUNK_BYTES ? bytes - at : NH_CHUNK_BYTES;
        absorb_chunk(adiantum->poly1305, keyed, text + at, now);
    }
    adiantum->poly1305->finish(keyed->of_text, hash);
    add_to_block(block, hash, takes_off);
}

int ciphermark_adiantum(const row *self, void *context, const message *m)
{
    const struct adiantum *adiantum = self->parameters;
    struct adiantum_context *keyed = context;
    struct chacha20_stream running = keyed->stream;
    uint8_t block[ADIANTUM_BLOCK_BYTES], nonce[ADIANTUM_BLOCK_BYTES];
    const size_t bytes = m->input_bytes - ADIANTUM_BLOCK_BYTES;
    if (m->input_bytes < ADIANTUM_BLOCK_BYTES)
        return CIPHERMARK_BAD_INPUT;
    memcpy(block, m->input + bytes, sizeof block);
    add_hash(adiantum, keyed, block, m->nonce, m->input, bytes, 0);
    /* The nonce of the stream is the block of ciphertext, whatever the direction. */
    memcpy(nonce, block, sizeof nonce);
    if (self->operation == ENCRYPT)
        adiantum->cipher->encrypt(schedule_of(context), nonce, nonce, 1);
    start_stream(adiantum->chacha12, &running, nonce, 1);
    if (self->operation == ENCRYPT)
        memcpy(block, nonce, sizeof block);
    else
        adiantum->cipher->decrypt(schedule_of(context), block, block, 1);
    ciphermark_chacha20_xor(adiantum->chacha12, &running, m->output, m->input, bytes);
    add_hash(adiantum, keyed, block, m->nonce, m->output, bytes, 1);
    memcpy(m->output + bytes, block, sizeof block);
    return CIPHERMARK_DONE;
}
