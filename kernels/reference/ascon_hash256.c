/* Ascon-Hash256 (NIST SP 800-232, section 5.1). */
#include "ascon.h"
#include "incremental.h"
#include "words.h"

#define RATE_BYTES 8
#define DIGEST_BYTES 32

/* A message as far as it has come. */
struct hashing {
    uint64_t s[ASCON_WORDS];
    uint8_t absorbed; /* bytes of the block that is not whole yet */
};

static int start(const row *self, void *context, const uint8_t *nonce, size_t nonce_bytes)
{
    struct hashing *hashing = context;
    (void)self;
    (void)nonce;
    (void)nonce_bytes;
    memset(hashing, 0, sizeof *hashing);
    hashing->s[0] = 0x0000080100cc0002;
    ciphermark_ascon_permute(hashing->s, 12);
    return CIPHERMARK_DONE;
}

static void absorb_byte(struct hashing *hashing, uint8_t byte)
{
    hashing->s[0] ^= (uint64_t)byte << 8 * hashing->absorbed;
    hashing->absorbed++;
}

static void update(const row *self, void *context, const uint8_t *input, size_t bytes)
{
    struct hashing *hashing = context;
    (void)self;
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
static void finish(const row *self, void *context, uint8_t *digest)
{
    struct hashing *hashing = context;
    unsigned i;
    (void)self;
    absorb_byte(hashing, 1);
    for (i = 0; i < DIGEST_BYTES; i += RATE_BYTES) {
        ciphermark_ascon_permute(hashing->s, 12);
        store_le64(digest + i, hashing->s[0]);
    }
}

static const struct incremental calls = {start, update, finish};

static const row rows[] = {
    {.algorithm = "ascon-hash256", .operation = DIGEST, .timing = CIPHERMARK_CONSTANT_TIME,
     .tag_bytes = DIGEST_BYTES, .lanes = 1, .context_bytes = sizeof(struct hashing),
     .context_alignment = CONTEXT_ALIGNMENT, .parameters = &calls,
     .process = ciphermark_incremental, .backend = "reference",
     .process_chunks = ciphermark_incremental_chunks, .input_bytes = {0, SIZE_MAX},
     .block_bytes = 1, .takes_repeats = 1},
};

KERNELS(ciphermark_ascon_hash256_reference_rows, rows);
