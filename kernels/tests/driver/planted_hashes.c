/*
 * A MAC by a reference, by a kernel that is right, and by others with faults that the tests have to
 * find. They stand in for the list of all kernels.
 */
#include "incremental.h"

#include "words.h"

#define SUM_BYTES 16

enum fault { NONE, ONE_LENGTH, READS_BEHIND, WRITES_BEHIND, FORGETS, BRANCHES };

struct planted {
    struct incremental calls;
    enum fault fault;
};

struct state {
    uint8_t key[SUM_BYTES];
    uint8_t sum[SUM_BYTES];
    size_t bytes;
};

static enum fault fault_of(const row *self)
{
    const struct planted *planted = self->parameters;
    return planted->fault;
}

static int set_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    struct state *state = context;
    (void)self;
    memcpy(state->key, key, key_bytes);
    return CIPHERMARK_DONE;
}

static int start(const row *self, void *context, const uint8_t *nonce, size_t nonce_bytes)
{
    struct state *state = context;
    (void)self;
    memcpy(state->sum, nonce, nonce_bytes);
    state->bytes = 0;
    return CIPHERMARK_DONE;
}

/* Not just a sum of 16 bytes, so that their places count. */
static void update(const row *self, void *context, const uint8_t *input, size_t input_bytes)
{
    struct state *state = context;
    size_t i;
    for (i = 0; i < input_bytes; i++, state->bytes++) {
        uint8_t *at = &state->sum[state->bytes % SUM_BYTES];
        *at = (uint8_t)(*at * 3u + input[i] + state->key[state->bytes % SUM_BYTES]);
    }
    if (fault_of(self) == READS_BEHIND) {
        const volatile uint8_t *behind = input + input_bytes;
        (void)*behind;
    }
    if (fault_of(self) == FORGETS && input_bytes % 16 == 5)
        state->bytes++;
}

static void finish(const row *self, void *context, uint8_t *tag)
{
    struct state *state = context;
    memcpy(tag, state->sum, SUM_BYTES);
    if (fault_of(self) == ONE_LENGTH && state->bytes == 1777)
        tag[15] ^= 1;
    if (fault_of(self) == WRITES_BEHIND)
        tag[SUM_BYTES] = 0;
    if (fault_of(self) == BRANCHES && state->key[0] == 0x5a)
        state->bytes = 0;
}

#define ROW(fault, timing_, backend_) \
    {.algorithm = "hash127-planted", .operation = MAC, .timing = timing_, \
     .key_bytes = {16, 16}, .nonce_bytes = {SUM_BYTES, SUM_BYTES}, .tag_bytes = SUM_BYTES, \
     .lanes = 1, .context_bytes = sizeof(struct state), .context_alignment = CONTEXT_ALIGNMENT, \
     .parameters = &(const struct planted){{start, update, finish}, fault}, .set_key = set_key, \
     .process = ciphermark_incremental, .backend = backend_, \
     .process_chunks = ciphermark_incremental_chunks, .input_bytes = {0, SIZE_MAX}, \
     .block_bytes = 1}

#define CONSTANT CIPHERMARK_CONSTANT_TIME
#define VARIABLE CIPHERMARK_VARIABLE_TIME

static const row rows[] = {
    ROW(NONE, CONSTANT, "right"),
    ROW(ONE_LENGTH, VARIABLE, "wrong-at-one-length"),
    ROW(READS_BEHIND, VARIABLE, "reads-behind"),
    ROW(WRITES_BEHIND, VARIABLE, "writes-behind"),
    ROW(FORGETS, VARIABLE, "forgets-a-piece"),
    ROW(BRANCHES, CONSTANT, "branches"),
    ROW(NONE, VARIABLE, "reference"),
};

static KERNELS(planted, rows);

const struct ciphermark_kernels *const ciphermark_kernels[] = {&planted};
const size_t ciphermark_kernels_count = 1;
