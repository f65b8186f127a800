/*
 * Fuzz target for libFuzzer: the kernels of one family on keys and messages of any bytes, in places
 * that end where the bytes do, so that a sanitizer sees each byte beyond them.
 *
 *     -DFAMILY=HASHES, CIPHERS, AEADS, MACS or STREAMS
 *
 * The first two bytes of an input choose the kernel, the next ones lengths and places; then come
 * key, nonce and associated data, and the rest is the message.
 */
#define _POSIX_C_SOURCE 200112L /* posix_memalign, which pads nothing */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chosen.h"

typedef struct ciphermark_function kernel;

enum family { HASHES, CIPHERS, AEADS, MACS, STREAMS };

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Rows that open and decrypt are run after those that seal and encrypt. */
static int is_of_family(const kernel *row)
{
    switch (row->operation) {
    case CIPHERMARK_DIGEST:
        return FAMILY == HASHES;
    case CIPHERMARK_SEAL:
        return FAMILY == AEADS;
    case CIPHERMARK_MAC:
        return FAMILY == MACS;
    case CIPHERMARK_KEYSTREAM:
        return FAMILY == STREAMS;
    case CIPHERMARK_ENCRYPT:
        return FAMILY == (row->block_bytes > 1 ? CIPHERS : STREAMS);
    default:
        return 0;
    }
}

static int is_tested(const kernel *row)
{
    (void)row;
    return 1;
}

static const kernel *chosen_row(size_t choice)
{
    const kernel *const *row;
    size_t count = 0;
    for (row = chosen_rows(); *row != NULL; row++)
        count += (size_t)is_of_family(*row);
    if (count == 0)
        return NULL;
    choice %= count;
    for (row = chosen_rows(); *row != NULL; row++) {
        if (is_of_family(*row) && choice-- == 0)
            break;
    }
    return *row;
}

static int is_same(const char *one, const char *other)
{
    return one == NULL || other == NULL ? one == other : strcmp(one, other) == 0;
}

/* Whether they are of one algorithm, by any operation. */
static int is_related(const kernel *one, const kernel *other)
{
    return is_same(one->algorithm, other->algorithm) && is_same(one->variant, other->variant);
}

static void fail(const kernel *row, const char *why)
{
    fprintf(stderr, "%s, operation %u, %s, %s: %s\n", row->algorithm, (unsigned)row->operation,
            row->backend, row->variant == NULL ? "as usual" : row->variant, why);
    abort();
}

/* ---- Texts ----------------------------------------------------------------------------------- */

struct buffer {
    uint8_t *room;
    uint8_t *bytes; /* some bytes behind, for other alignments, and to the end of the room */
    size_t size;
};

static struct buffer allocated(size_t size, size_t offset)
{
    struct buffer buffer;
    buffer.room = malloc(offset + size);
    if (buffer.room == NULL)
        abort();
    buffer.bytes = buffer.room + offset;
    buffer.size = size;
    memset(buffer.bytes, 0xa5, size);
    return buffer;
}

static int is_filled(const struct buffer *buffer, uint8_t value)
{
    size_t i;
    for (i = 0; i < buffer->size; i++) {
        if (buffer->bytes[i] != value)
            return 0;
    }
    return 1;
}

static int is_equal(const struct buffer *one, const struct buffer *other)
{
    return one->size == other->size && memcmp(one->bytes, other->bytes, one->size) == 0;
}

struct source {
    const uint8_t *next;
    size_t left;
};

/* Zeros where there is no more. */
static uint8_t taken(struct source *source)
{
    if (source->left == 0)
        return 0;
    source->left--;
    return *source->next++;
}

static struct buffer taken_buffer(struct source *source, size_t size, size_t offset)
{
    struct buffer buffer = allocated(size, offset);
    size_t i;
    for (i = 0; i < size; i++)
        buffer.bytes[i] = taken(source);
    return buffer;
}

struct text {
    struct buffer key, nonce, aad, input;
    unsigned unused_bits;
    size_t offset; /* of the output */
    size_t chunk_blocks;
    size_t forged_bit;
};

static size_t length_in(struct ciphermark_range range, uint8_t choice)
{
    const size_t span = range.most - range.least;
    return range.least + (span < UINT8_MAX ? choice % (span + 1) : choice);
}

static struct text taken_text(const kernel *row, struct source *source)
{
    struct text text;
    const size_t key_bytes = length_in(row->key_bytes, taken(source));
    const size_t nonce_bytes = length_in(row->nonce_bytes, taken(source));
    const size_t aad_bytes = row->operation == CIPHERMARK_SEAL ? taken(source) : 0;
    const uint8_t offsets = taken(source);
    size_t input_bytes;
    text.unused_bits = row->counts_bits ? taken(source) % 8 : 0;
    text.chunk_blocks = 1u + taken(source);
    text.forged_bit = taken(source);
    text.offset = offsets / 16;
    text.key = taken_buffer(source, key_bytes, offsets % 16);
    text.nonce = taken_buffer(source, nonce_bytes, offsets % 16);
    text.aad = taken_buffer(source, aad_bytes, offsets % 16);
    input_bytes = source->left / row->block_bytes * row->block_bytes;
    text.input = taken_buffer(source, input_bytes, offsets % 16);
    return text;
}

static void release(struct text *text)
{
    free(text->key.room);
    free(text->nonce.room);
    free(text->aad.room);
    free(text->input.room);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static size_t answer_bytes(const kernel *row, size_t input_bytes)
{
    switch (row->operation) {
    case CIPHERMARK_SEAL:
        return input_bytes + row->tag_bytes;
    case CIPHERMARK_OPEN:
        return input_bytes - row->tag_bytes;
    case CIPHERMARK_MAC:
    case CIPHERMARK_DIGEST:
        return row->tag_bytes;
    default:
        return input_bytes;
    }
}

/* Runs a row under a new key, by chunks where chunk_bytes is not 0. */
static int run(const kernel *row, const struct text *text, const struct buffer *input,
               struct buffer *output, size_t chunk_bytes)
{
    const message m = {
        .nonce = text->nonce.bytes,
        .nonce_bytes = text->nonce.size,
        .aad = text->aad.bytes,
        .aad_bytes = text->aad.size,
        .input = input->bytes,
        .input_bytes = row->operation == CIPHERMARK_KEYSTREAM ? 0 : input->size,
        .output = output->bytes,
        .output_bytes = output->size,
        .unused_bits = input->size == 0 ? 0 : text->unused_bits,
    };
    void *context;
    int status;
    if (posix_memalign(&context, row->context_alignment, row->context_bytes) != 0)
        abort();
    memset(context, 0, row->context_bytes);
    status = ciphermark_set_key(row, context, text->key.bytes, text->key.size);
    if (status == CIPHERMARK_DONE)
        status = chunk_bytes == 0 ? ciphermark_process(row, context, &m)
                                  : ciphermark_process_chunks(row, context, &m, chunk_bytes);
    free(context);
    return status;
}

/* Runs a row that has to give this answer to this input. */
static void expect(const kernel *row, const struct text *text, const struct buffer *input,
                   const struct buffer *answer, size_t chunk_bytes, const char *otherwise)
{
    struct buffer output = allocated(answer->size, text->offset);
    if (run(row, text, input, &output, chunk_bytes) != CIPHERMARK_DONE ||
        !is_equal(&output, answer))
        fail(row, otherwise);
    free(output.room);
}

static void expect_in_place(const kernel *row, const struct text *text, const struct buffer *input,
                            const struct buffer *answer)
{
    struct buffer both = allocated(input->size, text->offset);
    memcpy(both.bytes, input->bytes, both.size);
    if (run(row, text, &both, &both, 0) != CIPHERMARK_DONE || !is_equal(&both, answer))
        fail(row, "in place it answers otherwise");
    free(both.room);
}

static void expect_refusal(const kernel *row, const struct text *text, const struct buffer *sealed)
{
    struct buffer forged = allocated(sealed->size, text->offset);
    struct buffer output = allocated(sealed->size - row->tag_bytes, text->offset);
    const size_t bit = text->forged_bit * 251 % (8 * forged.size);
    memcpy(forged.bytes, sealed->bytes, forged.size);
    forged.bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    if (run(row, text, &forged, &output, 0) != CIPHERMARK_REFUSED || !is_filled(&output, 0))
        fail(row, "it opens a forgery, or gives something of it away");
    free(forged.room);
    free(output.room);
}

/* ---- Properties ------------------------------------------------------------------------------ */

/* What was sealed or encrypted, received by every backend. */
static void check_receiver(const kernel *row, const struct text *text, const struct buffer *sent)
{
    struct buffer plain = allocated(text->input.size, 0);
    memcpy(plain.bytes, text->input.bytes, plain.size);
    if (plain.size > 0)
        plain.bytes[plain.size - 1] &= (uint8_t)(0xffu << text->unused_bits);
    expect(row, text, sent, &plain, 0, "what was sent is not received");
    if (row->operation == CIPHERMARK_OPEN)
        expect_refusal(row, text, sent);
    else
        expect_in_place(row, text, sent, &plain);
    free(plain.room);
}

static void check(const kernel *row, const struct text *text, const struct buffer *answer)
{
    const kernel *const *other;
    for (other = chosen_rows(); *other != NULL; other++) {
        if (!is_related(row, *other))
            continue;
        if ((*other)->operation == row->operation)
            expect(*other, text, &text->input, answer, 0, "backends answer differently");
        else if ((*other)->operation == CIPHERMARK_OPEN ||
                 (*other)->operation == CIPHERMARK_DECRYPT)
            check_receiver(*other, text, answer);
    }
    if (row->process_chunks != NULL)
        expect(row, text, &text->input, answer, text->chunk_blocks * row->block_bytes,
               "chunks change the answer");
    if (row->operation == CIPHERMARK_ENCRYPT)
        expect_in_place(row, text, &text->input, answer);
}

/*
 * Most bytes are no BEARER and no DIRECTION, which are the last of the 3GPP functions' nonces; and
 * the first bit of VMAC's is 0.
 */
static void make_numbers_small(struct buffer *nonce)
{
    size_t i;
    if (nonce->size > 0)
        nonce->bytes[0] &= 0x7f;
    for (i = nonce->size < 2 ? 0 : nonce->size - 2; i < nonce->size; i++)
        nonce->bytes[i] &= 1;
}

/* Of UMAC's range of keys some lengths are none. */
static void shorten_key(const kernel *row, struct buffer *key)
{
    const struct buffer least = allocated(row->key_bytes.least, 0);
    memcpy(least.bytes, key->bytes, least.size);
    free(key->room);
    *key = least;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct source source = {data, size};
    const size_t low = taken(&source), high = taken(&source);
    const kernel *row = chosen_row(high << 8 | low);
    struct text text;
    struct buffer answer;
    int status;
    if (row == NULL)
        return 0;
    text = taken_text(row, &source);
    answer = allocated(answer_bytes(row, text.input.size), text.offset);
    status = run(row, &text, &text.input, &answer, 0);
    if (status == CIPHERMARK_BAD_KEY) {
        shorten_key(row, &text.key);
        status = run(row, &text, &text.input, &answer, 0);
    }
    if (status == CIPHERMARK_BAD_NONCE) {
        make_numbers_small(&text.nonce);
        status = run(row, &text, &text.input, &answer, 0);
    }
    if (status == CIPHERMARK_DONE)
        check(row, &text, &answer);
    else if (!is_filled(&answer, 0xa5))
        fail(row, "it refuses a message and writes an answer");
    release(&text);
    free(answer.room);
    return 0;
}
