/*
 * Runs the kernels that state constant time, under valgrind, with secrets that count as undefined:
 * it reports each branch and each address that depends on one. Nonces are no secrets.
 *
 *     valgrind --error-exitcode=9 constant_time [ALGORITHM or BACKEND]
 *
 * Prints each row that leaks, or answers nothing, and how many were run; ends with 1 where there is
 * one.
 */
#define _POSIX_C_SOURCE 200112L /* posix_memalign */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/memcheck.h>

#include "kernels.h"

typedef struct ciphermark_function kernel;
typedef struct ciphermark_message message;

#define MOST_BYTES 1024
#define MOST_KEY_BYTES 200
#define AAD_BYTES 37

/* Parts of blocks, whole ones, and what interleaved kernels take at once, with rests. */
static const size_t LENGTHS[] = {0, 1, 4, 8, 15, 16, 17, 33, 64, 96, 129, 200, 256, 512, 777, 1024};
static const size_t KEY_LENGTHS[] = {0, 8, 16, 20, 24, 32, 64, 100, 200};
#define COUNT(array) (sizeof (array) / sizeof (array)[0])

/* Of a batch: one packet, a part of a vector, and more than all that kernels step together. */
static const size_t PACKETS[] = {1, 21, 263};
#define MOST_PACKETS 263

/* Bytes of one message; those of a nonce are 1, which BEARER and DIRECTION can be. */
struct bytes {
    uint8_t key[MOST_KEY_BYTES];
    uint8_t nonce[MOST_KEY_BYTES];
    uint8_t aad[AAD_BYTES];
    uint8_t input[MOST_BYTES + 64];
    uint8_t output[MOST_BYTES + 64];
};

static struct bytes packets[MOST_PACKETS];

static int is_in(struct ciphermark_range range, size_t bytes)
{
    return bytes >= range.least && bytes <= range.most;
}

static const kernel *sealing(const struct ciphermark_kernels *kernels, const kernel *open)
{
    size_t i;
    for (i = 0; i < kernels->count; i++) {
        if (kernels->rows[i].operation == CIPHERMARK_SEAL &&
            strcmp(kernels->rows[i].algorithm, open->algorithm) == 0)
            return &kernels->rows[i];
    }
    return NULL;
}

static message message_of(const kernel *row, struct bytes *bytes, size_t text_bytes)
{
    const int is_aead = row->operation == CIPHERMARK_SEAL || row->operation == CIPHERMARK_OPEN;
    const size_t tag_bytes = row->operation == CIPHERMARK_OPEN ? row->tag_bytes : 0;
    message m = {
        .nonce = bytes->nonce,
        .nonce_bytes = row->nonce_bytes.most < 16 ? row->nonce_bytes.most : row->nonce_bytes.least,
        .aad = bytes->aad,
        .aad_bytes = is_aead ? AAD_BYTES : 0,
        .input = bytes->input,
        .input_bytes = row->operation == CIPHERMARK_KEYSTREAM ? 0 : text_bytes + tag_bytes,
        .output = bytes->output,
        .output_bytes = text_bytes,
    };
    if (row->operation == CIPHERMARK_MAC || row->operation == CIPHERMARK_DIGEST)
        m.output_bytes = row->tag_bytes;
    if (row->operation == CIPHERMARK_SEAL)
        m.output_bytes = text_bytes + row->tag_bytes;
    return m;
}

static void *new_context(const kernel *row)
{
    void *context;
    if (posix_memalign(&context, row->context_alignment, row->context_bytes) != 0)
        abort();
    memset(context, 0, row->context_bytes);
    return context;
}

static void make_secret(struct bytes *bytes)
{
    (void)VALGRIND_MAKE_MEM_UNDEFINED(bytes->key, sizeof bytes->key);
    (void)VALGRIND_MAKE_MEM_UNDEFINED(bytes->aad, sizeof bytes->aad);
    (void)VALGRIND_MAKE_MEM_UNDEFINED(bytes->input, sizeof bytes->input);
}

/* Runs a row on what lies in `bytes`, each secret of which counts as undefined when it has to. */
static int run(const kernel *row, struct bytes *bytes, size_t key_bytes, size_t text_bytes,
               int is_secret)
{
    const message m = message_of(row, bytes, text_bytes);
    void *context = new_context(row);
    int status;
    if (is_secret)
        make_secret(bytes);
    status = ciphermark_set_key(row, context, bytes->key, key_bytes);
    if (status == CIPHERMARK_DONE)
        status = ciphermark_process(row, context, &m);
    (void)VALGRIND_MAKE_MEM_DEFINED(bytes, sizeof *bytes);
    free(context);
    return status;
}

/* A message that the row accepts: for one that opens, what `seal` gives. */
static void prepare(const kernel *seal, struct bytes *bytes, size_t key_bytes, size_t text_bytes)
{
    size_t i;
    memset(bytes, 0x5a, sizeof *bytes);
    for (i = 0; i < sizeof bytes->key; i++) /* XTS refuses equal halves */
        bytes->key[i] = (uint8_t)i;
    memset(bytes->nonce, 1, sizeof bytes->nonce);
    if (seal == NULL)
        return;
    if (run(seal, bytes, key_bytes, text_bytes, 0) != CIPHERMARK_DONE)
        abort();
    memcpy(bytes->input, bytes->output, sizeof bytes->input);
}

/* Runs a row with every length that it takes; how many messages it answered. */
static unsigned run_all(const struct ciphermark_kernels *kernels, const kernel *row)
{
    const kernel *seal = row->operation == CIPHERMARK_OPEN ? sealing(kernels, row) : NULL;
    static struct bytes bytes;
    unsigned answered = 0;
    size_t key, length;
    for (key = 0; key < COUNT(KEY_LENGTHS); key++) {
        for (length = 0; length < COUNT(LENGTHS); length++) {
            const size_t key_bytes = KEY_LENGTHS[key];
            const size_t text_bytes = LENGTHS[length] / row->block_bytes * row->block_bytes;
            if (!is_in(row->key_bytes, key_bytes) || !is_in(row->input_bytes, text_bytes))
                continue;
            prepare(seal, &bytes, key_bytes, text_bytes);
            answered += run(row, &bytes, key_bytes, text_bytes, 1) == CIPHERMARK_DONE;
        }
    }
    return answered;
}

/* A length that the row takes, and that other packets of a batch have not. */
static size_t packet_bytes(const kernel *row, size_t packet)
{
    const size_t bytes = LENGTHS[packet % COUNT(LENGTHS)] / row->block_bytes * row->block_bytes;
    return is_in(row->input_bytes, bytes) ? bytes : row->input_bytes.least;
}

/* Runs a row on `count` packets in one call, under so many secret keys in turn. */
static int run_lanes(const kernel *row, size_t count, size_t keys)
{
    void *contexts[MOST_PACKETS];
    message messages[MOST_PACKETS];
    int status = CIPHERMARK_DONE;
    size_t i;
    for (i = 0; i < count; i++) {
        prepare(NULL, &packets[i], 0, 0);
        contexts[i] = i < keys ? new_context(row) : contexts[i - keys];
        messages[i] = message_of(row, &packets[i], packet_bytes(row, i));
        make_secret(&packets[i]);
        if (i < keys)
            status |= ciphermark_set_key(row, contexts[i], packets[i].key, row->key_bytes.least);
    }
    if (status == CIPHERMARK_DONE)
        status = row->process_lanes(row, contexts, messages, count);
    (void)VALGRIND_MAKE_MEM_DEFINED(packets, sizeof packets);
    for (i = 0; i < keys; i++)
        free(contexts[i]);
    return status;
}

/* Runs a row with all batches; how many it did not answer. */
static unsigned run_all_lanes(const kernel *row)
{
    unsigned refused = 0;
    size_t i;
    for (i = 0; row->process_lanes != NULL && i < COUNT(PACKETS); i++) {
        refused += run_lanes(row, PACKETS[i], 1) != CIPHERMARK_DONE;
        refused += run_lanes(row, PACKETS[i], PACKETS[i]) != CIPHERMARK_DONE;
    }
    return refused;
}

static int leaks(const struct ciphermark_kernels *kernels, const kernel *row)
{
    const unsigned before = VALGRIND_COUNT_ERRORS;
    const unsigned answered = run_all(kernels, row);
    const unsigned refused = run_all_lanes(row);
    const unsigned errors = VALGRIND_COUNT_ERRORS - before;
    if (errors == 0 && answered > 0 && refused == 0)
        return 0;
    printf("%s, operation %u, %s: %u times a branch or an address depends on secrets, "
           "%u messages are answered, %u batches are not\n",
           row->algorithm, (unsigned)row->operation, row->backend, errors, answered, refused);
    return 1;
}

static int is_chosen(const kernel *row, const char *name)
{
    return row->timing == CIPHERMARK_CONSTANT_TIME &&
           (name == NULL || strcmp(row->algorithm, name) == 0 || strcmp(row->backend, name) == 0);
}

int main(int count, char **words)
{
    unsigned run_rows = 0, leaking = 0;
    size_t group, i;
    if (!RUNNING_ON_VALGRIND)
        return 2;
    for (group = 0; group < ciphermark_kernels_count; group++) {
        const struct ciphermark_kernels *kernels = ciphermark_kernels[group];
        if (kernels->run_here != NULL && !kernels->run_here())
            continue;
        for (i = 0; i < kernels->count; i++) {
            const kernel *row = &kernels->rows[i];
            if (!is_chosen(row, count > 1 ? words[1] : NULL))
                continue;
            run_rows++;
            leaking += (unsigned)leaks(kernels, row);
        }
    }
    printf("%u rows state constant time, %u of them leak\n", run_rows, leaking);
    return leaking > 0;
}
