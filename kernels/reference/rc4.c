/* RC4, whose keystream RFC 6229 gives test vectors of; section 2 names where it was published. */
#include "rows.h"
#include "words.h"

struct rc4 {
    uint8_t s[256];
    uint8_t i, j;
};

/* Returns the sum of both. */
static uint8_t swap(uint8_t s[256], uint8_t i, uint8_t j)
{
    const uint8_t s_i = s[i], s_j = s[j];
    s[i] = s_j;
    s[j] = s_i;
    return (uint8_t)(s_i + s_j);
}

/* Keys of 1 to 256 bytes. */
static int set_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    struct rc4 *rc4 = context;
    uint8_t j = 0;
    const uint8_t *next = key; /* byte i mod key_bytes, without the division */
    unsigned i;
    (void)self;
    for (i = 0; i < 256; i++)
        rc4->s[i] = (uint8_t)i;
    for (i = 0; i < 256; i++) {
        j = (uint8_t)(j + rc4->s[i] + *next);
        (void)swap(rc4->s, (uint8_t)i, j);
        if (++next == key + key_bytes)
            next = key;
    }
    rc4->i = 0;
    rc4->j = 0;
    return CIPHERMARK_DONE;
}

static void generate(struct rc4 *rc4, uint8_t *output, size_t bytes)
{
    uint8_t *s = rc4->s, i = rc4->i, j = rc4->j;
    for (; bytes > 0; bytes--) {
        i++;
        j = (uint8_t)(j + s[i]);
        *output++ = s[swap(s, i, j)];
    }
    rc4->i = i;
    rc4->j = j;
}

/* Every message has the keystream from its first byte on, so a copy of the keyed state runs. */
static int keystream_chunks(const row *self, void *context, const message *m, size_t chunk_bytes)
{
    struct rc4 running = *(const struct rc4 *)context;
    size_t at, bytes;
    (void)self;
    for (at = 0; at < m->output_bytes; at += bytes) {
        bytes = m->output_bytes - at < chunk_bytes ? m->output_bytes - at : chunk_bytes;
        generate(&running, m->output + at, bytes);
    }
    return CIPHERMARK_DONE;
}

static int keystream(const row *self, void *context, const message *m)
{
    return keystream_chunks(self, context, m, SIZE_MAX);
}

#define RC4_ROW(name, key) \
    {.algorithm = name, .operation = KEYSTREAM, .timing = CIPHERMARK_VARIABLE_TIME, \
     .key_bytes = {key, key}, .lanes = 1, .context_bytes = sizeof(struct rc4), \
     .context_alignment = CONTEXT_ALIGNMENT, .set_key = set_key, .process = keystream, \
     .backend = "reference", .process_chunks = keystream_chunks, .input_bytes = {1, SIZE_MAX}, \
     .block_bytes = 1}

/* The lengths of keys in RFC 6229. */
static const row rows[] = {
    RC4_ROW("rc4-40", 5),   RC4_ROW("rc4-56", 7),   RC4_ROW("rc4-64", 8),   RC4_ROW("rc4-80", 10),
    RC4_ROW("rc4-128", 16), RC4_ROW("rc4-192", 24), RC4_ROW("rc4-256", 32),
};

KERNELS(ciphermark_rc4_reference_rows, rows);
