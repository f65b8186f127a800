/* Ascon-Hash256 (NIST SP 800-232, section 5.1). */
#include "ascon.h"
#include "words.h"

#define RATE_BYTES 8
#define DIGEST_BYTES 32

/* A message as far as it has come. */
struct hashing {
    uint64_t s[ASCON_WORDS];
    uint8_t absorbed; /* bytes of the block that is not whole yet */
};

static void start(struct hashing *hashing)
{
    memset(hashing, 0, sizeof *hashing);
    hashing->s[0] = 0x0000080100cc0002;
    ciphermark_ascon_permute(hashing->s, 12);
}

static void absorb_byte(struct hashing *hashing, uint8_t byte)
{
    hashing->s[0] ^= (uint64_t)byte << 8 * hashing->absorbed;
    hashing->absorbed++;
}

static void update(struct hashing *hashing, const uint8_t *input, size_t bytes)
{
    while (bytes > 0) {
        if (hashing->absorbed == 0 && bytes >= RATE_BYTES) {
            hashing->s[0] ^= load_le64(input);
            hashing->absorbed = RATE_BYTES;
            input += RATE_BYTES;
            bytes -= RATE_BYTES;
        } else {
            absorb_byte(hashing, *input++);
            bytes--;
        }
        if (hashing->absorbed == RATE_BYTES) {
            ciphermark_ascon_permute(hashing->s, 12);
            hashing->absorbed = 0;
        }
    }
}

/* A one after the message, and then the digest, a word of each of four permutations. */
static void finish(struct hashing *hashing, uint8_t *digest)
{
    unsigned i;
    absorb_byte(hashing, 1);
    for (i = 0; i < DIGEST_BYTES; i += RATE_BYTES) {
        ciphermark_ascon_permute(hashing->s, 12);
        store_le64(digest + i, hashing->s[0]);
    }
}

static int digest_chunks(const row *self, void *context, const message *m, size_t chunk_bytes)
{
    size_t at, bytes;
    (void)self;
    start(context);
    for (at = 0; at < m->input_bytes; at += bytes) {
        bytes = m->input_bytes - at < chunk_bytes ? m->input_bytes - at : chunk_bytes;
        update(context, m->input + at, bytes);
    }
    finish(context, m->output);
    return CIPHERMARK_DONE;
}

static int digest(const row *self, void *context, const message *m)
{
    return digest_chunks(self, context, m, SIZE_MAX);
}

static const row rows[] = {
    {.algorithm = "ascon-hash256", .operation = DIGEST, .timing = CIPHERMARK_CONSTANT_TIME,
     .tag_bytes = DIGEST_BYTES, .lanes = 1, .context_bytes = sizeof(struct hashing),
     .context_alignment = CONTEXT_ALIGNMENT, .process = digest, .backend = "reference",
     .process_chunks = digest_chunks, .input_bytes = {0, SIZE_MAX}, .block_bytes = 1},
};

KERNELS(ciphermark_ascon_hash256_reference_rows, rows);
