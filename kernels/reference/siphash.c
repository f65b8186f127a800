/*
 * SipHash-2-4 (Aumasson and Bernstein, SipHash: a fast short-input PRF, INDOCRYPT 2012, section 2).
 * The paper has tags of 64 bits. Those of 128 bits are as in the authors' own code: another
 * constant at the start and at the end, and four more rounds for the second word.
 *
 * Compilers keep the four words in registers where there are some, so that a file of its own in
 * portable/ is no faster on a host.
 */
#include "incremental.h"
#include "words.h"

#define WORD_BYTES 8
#define KEY_BYTES 16
#define COMPRESSION_ROUNDS 2
#define FINALIZATION_ROUNDS 4

/* Section 2.1: “somepseudorandomlygeneratedbytes”. */
#define CONSTANT0 0x736f6d6570736575
#define CONSTANT1 0x646f72616e646f6d
#define CONSTANT2 0x6c7967656e657261
#define CONSTANT3 0x7465646279746573

#define END 0xff
#define LONG_START 0xee
#define LONG_END 0xee
#define LONG_SECOND 0xdd

/* The words v0 to v3 of section 2. */
struct state {
    uint64_t v0, v1, v2, v3;
};

/* A message as far as it has come. */
struct siphash {
    uint64_t k0, k1;
    struct state state;
    uint8_t rest[WORD_BYTES]; /* its bytes after the last whole word */
    uint8_t bytes;            /* of the message so far, modulo 256 */
};

static int has_long_tag(const row *self)
{
    return self->tag_bytes > WORD_BYTES;
}

/* SipRound of section 2.4, so many times. */
static void mix(struct state *s, unsigned rounds)
{
    for (; rounds > 0; rounds--) {
        s->v0 += s->v1;
        s->v2 += s->v3;
        s->v1 = rotate_left64(s->v1, 13) ^ s->v0;
        s->v3 = rotate_left64(s->v3, 16) ^ s->v2;
        s->v0 = rotate_left64(s->v0, 32);
        s->v2 += s->v1;
        s->v0 += s->v3;
        s->v1 = rotate_left64(s->v1, 17) ^ s->v2;
        s->v3 = rotate_left64(s->v3, 21) ^ s->v0;
        s->v2 = rotate_left64(s->v2, 32);
    }
}

/* Section 2.2: so many words of the message. */
static void compress(struct state *s, const uint8_t *words, size_t count)
{
    for (; count > 0; count--, words += WORD_BYTES) {
        const uint64_t word = load_le64(words);
        s->v3 ^= word;
        mix(s, COMPRESSION_ROUNDS);
        s->v0 ^= word;
    }
}

/* Section 2.3: a word of the tag. */
static void finalize(struct state *s, uint8_t *word)
{
    mix(s, FINALIZATION_ROUNDS);
    store_le64(word, s->v0 ^ s->v1 ^ s->v2 ^ s->v3);
}

static int set_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    struct siphash *siphash = context;
    (void)self;
    (void)key_bytes;
    siphash->k0 = load_le64(key);
    siphash->k1 = load_le64(key + WORD_BYTES);
    return CIPHERMARK_DONE;
}

static int start(const row *self, void *context, const uint8_t *nonce, size_t nonce_bytes)
{
    struct siphash *siphash = context;
    struct state *s = &siphash->state;
    (void)nonce;
    (void)nonce_bytes;
    s->v0 = siphash->k0 ^ CONSTANT0;
    s->v1 = siphash->k1 ^ CONSTANT1;
    s->v2 = siphash->k0 ^ CONSTANT2;
    s->v3 = siphash->k1 ^ CONSTANT3;
    if (has_long_tag(self))
        s->v1 ^= LONG_START;
    siphash->bytes = 0;
    return CIPHERMARK_DONE;
}

static void update(const row *self, void *context, const uint8_t *input, size_t bytes)
{
    struct siphash *siphash = context;
    const size_t held = siphash->bytes % WORD_BYTES, room = WORD_BYTES - held;
    size_t first = 0, whole;
    (void)self;
    siphash->bytes = (uint8_t)(siphash->bytes + bytes);
    if (held > 0) {
        first = bytes < room ? bytes : room;
        memcpy(siphash->rest + held, input, first);
        if (first < room)
            return;
        compress(&siphash->state, siphash->rest, 1);
    }
    whole = (bytes - first) / WORD_BYTES;
    compress(&siphash->state, input + first, whole);
    first += whole * WORD_BYTES;
    memcpy(siphash->rest, input + first, bytes - first);
}

/* The last word has what is left, zeros, and the length modulo 256 (section 2.2). */
static void finish(const row *self, void *context, uint8_t *tag)
{
    struct siphash *siphash = context;
    struct state *s = &siphash->state;
    const size_t held = siphash->bytes % WORD_BYTES;
    memset(siphash->rest + held, 0, WORD_BYTES - held);
    siphash->rest[WORD_BYTES - 1] = siphash->bytes;
    compress(s, siphash->rest, 1);
    s->v2 ^= has_long_tag(self) ? LONG_END : END;
    finalize(s, tag);
    if (has_long_tag(self)) {
        s->v1 ^= LONG_SECOND;
        finalize(s, tag + WORD_BYTES);
    }
}

static const struct incremental calls = {start, update, finish};

#define SIPHASH_ROW(name, tag_bytes_) \
    {.algorithm = name, .operation = MAC, .timing = CIPHERMARK_CONSTANT_TIME, \
     .key_bytes = {KEY_BYTES, KEY_BYTES}, .tag_bytes = tag_bytes_, .lanes = 1, \
     .context_bytes = sizeof(struct siphash), .context_alignment = CONTEXT_ALIGNMENT, \
     .parameters = &calls, .set_key = set_key, .process = ciphermark_incremental, \
     .backend = "reference", .process_chunks = ciphermark_incremental_chunks, \
     .input_bytes = {0, SIZE_MAX}, .block_bytes = 1, .takes_repeats = 1}

static const row rows[] = {
    SIPHASH_ROW("siphash-2-4-64", 8),
    SIPHASH_ROW("siphash-2-4-128", 16),
};

KERNELS(ciphermark_siphash_reference_rows, rows);
