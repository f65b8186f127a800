/*
 * Our portable kernels of HMAC, SHA-2, ChaCha20 and ChaCha20-Poly1305 as a library of its own, each
 * message of which goes through `answer` of whoever includes this: lying.c, remembering.c. What it
 * gets is the row and the context of the kernel itself, whose `process` gives the right answer.
 *
 * Behind the kernel's own context stands the key, where the includer may look at it.
 */
#include <string.h>

#include "kernels.h"

typedef struct ciphermark_function row;
typedef struct ciphermark_message message;

/* A key of any of these algorithms that is longer is not kept, and `bytes` says so. */
struct key {
    size_t bytes;
    uint8_t key[64];
};

static int answer(const row *truth, size_t number, void *context, const struct key *key,
                  const message *m);

extern const struct ciphermark_kernels ciphermark_hmac_portable_rows,
    ciphermark_sha256_portable_rows, ciphermark_sha512_portable_rows,
    ciphermark_chacha20_portable_rows, ciphermark_chacha20_poly1305_portable_rows;

static const struct ciphermark_kernels *const wrapped[] = {
    &ciphermark_hmac_portable_rows,
    &ciphermark_sha256_portable_rows,
    &ciphermark_sha512_portable_rows,
    &ciphermark_chacha20_portable_rows,
    &ciphermark_chacha20_poly1305_portable_rows,
};

#define MOST_ROWS 32

static row rows[MOST_ROWS];

/* A row's parameters. The row that a function is given is a copy, whose address says nothing. */
struct wrapping {
    const row *truth;
    size_t number; /* of the row among `rows` */
};

static struct wrapping wrappings[MOST_ROWS];

static const struct wrapping *wrapping_of(const row *self)
{
    return self->parameters;
}

static const row *truth_of(const row *self)
{
    return wrapping_of(self)->truth;
}

static struct key *key_behind(const row *truth, void *context)
{
    return (struct key *)((uint8_t *)context + (truth->context_bytes + 15) / 16 * 16);
}

static int wrapped_set_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    const row *truth = truth_of(self);
    struct key *kept = key_behind(truth, context);
    kept->bytes = key_bytes;
    memcpy(kept->key, key, key_bytes < sizeof kept->key ? key_bytes : sizeof kept->key);
    return truth->set_key(truth, context, key, key_bytes);
}

static int wrapped_init(const row *self, void *context)
{
    return truth_of(self)->init(truth_of(self), context);
}

static void wrapped_release(const row *self, void *context)
{
    truth_of(self)->release(truth_of(self), context);
}

static int wrapped_check_nonce(const row *self, const uint8_t *nonce, size_t nonce_bytes)
{
    return truth_of(self)->check_nonce(truth_of(self), nonce, nonce_bytes);
}

static int wrapped_process(const row *self, void *context, const message *m)
{
    const row *truth = truth_of(self);
    return answer(truth, wrapping_of(self)->number, context, key_behind(truth, context), m);
}

static size_t wrap_rows(void)
{
    size_t count = 0;
    for (size_t group = 0; group < sizeof wrapped / sizeof wrapped[0]; group++) {
        for (size_t i = 0; i < wrapped[group]->count && count < MOST_ROWS; i++) {
            const row *truth = &wrapped[group]->rows[i];
            row *mine = &rows[count];
            *mine = *truth;
            wrappings[count] = (struct wrapping){truth, count};
            mine->parameters = &wrappings[count++];
            mine->context_bytes = (truth->context_bytes + 15) / 16 * 16 + sizeof(struct key);
            mine->process = wrapped_process;
            mine->process_chunks = NULL;
            mine->takes_repeats = 0;
            mine->process_lanes = NULL;
            mine->lanes = 1;
            if (truth->init != NULL)
                mine->init = wrapped_init;
            if (truth->set_key != NULL)
                mine->set_key = wrapped_set_key;
            if (truth->release != NULL)
                mine->release = wrapped_release;
            if (truth->check_nonce != NULL)
                mine->check_nonce = wrapped_check_nonce;
        }
    }
    return count;
}

static const struct ciphermark_library *wrapped_library(void)
{
    static struct ciphermark_library library = {
        .abi = CIPHERMARK_ABI, .function_bytes = sizeof(row), .library_version = "1",
        .functions = rows};
    if (library.function_count == 0)
        library.function_count = wrap_rows();
    return &library;
}
