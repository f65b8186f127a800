/*
 * A function of many packets, by a reference, by a kernel that is right, and by others with faults
 * that the tests have to find. They stand in for the list of all kernels.
 */
#include "schedule.h"
#include "threegpp.h"

#define KEY_BYTES 16

/* What a kernel does wrong to a batch, once that was answered or refused. */
struct fault {
    void (*act)(void *const *contexts, const message *messages, size_t count, int *status);
};

static int set_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    (void)self;
    memcpy(context, key, key_bytes);
    return CIPHERMARK_DONE;
}

/* Adds key and nonce to the text, over and over. */
static int encrypt(const row *self, void *context, const message *m)
{
    const uint8_t *key = context;
    uint8_t block[8];
    size_t i;
    (void)self;
    if (bearer_block(m, block) != CIPHERMARK_DONE)
        return CIPHERMARK_BAD_NONCE;
    for (i = 0; i < m->input_bytes; i++)
        m->output[i] = m->input[i] ^ key[i % KEY_BYTES] ^ block[i % sizeof block];
    clear_unused_bits(m);
    return CIPHERMARK_DONE;
}

static int encrypt_all(const row *self, void *const *contexts, const message *messages,
                       size_t count)
{
    uint8_t block[8];
    size_t i;
    for (i = 0; i < count; i++) {
        if (bearer_block(&messages[i], block) != CIPHERMARK_DONE)
            return CIPHERMARK_BAD_NONCE;
    }
    for (i = 0; i < count; i++)
        (void)encrypt(self, contexts[i], &messages[i]);
    return CIPHERMARK_DONE;
}

static int encrypt_lanes(const row *self, void *const *contexts, const message *messages,
                         size_t count)
{
    const struct fault *fault = self->parameters;
    int status = encrypt_all(self, contexts, messages, count);
    fault->act(contexts, messages, count, &status);
    return status;
}

static int encrypt_one(const row *self, void *context, const message *m)
{
    return encrypt_lanes(self, &context, m, 1);
}

/* ---- Faults ---------------------------------------------------------------------------------- */

static void do_nothing(void *const *contexts, const message *messages, size_t count, int *status)
{
    (void)contexts, (void)messages, (void)count, (void)status;
}

/* Where a vector's lanes are full and one packet is left, that is encrypted by another's key. */
static void mix_keys(void *const *contexts, const message *messages, size_t count, int *status)
{
    const uint8_t *wrong = contexts[0], *right = contexts[count - 1];
    uint8_t *output = messages[count - 1].output;
    if (count % 64 == 1 && *status == CIPHERMARK_DONE)
        output[0] = (uint8_t)(output[0] ^ wrong[0] ^ right[0]);
}

static void keep_unused_bits(void *const *contexts, const message *messages, size_t count,
                             int *status)
{
    const message *m = &messages[count - 1];
    uint8_t *last = m->output + m->output_bytes - 1;
    (void)contexts;
    if (*status == CIPHERMARK_DONE)
        *last = (uint8_t)(*last | ((1u << m->unused_bits) - 1));
}

static void write_behind(void *const *contexts, const message *messages, size_t count, int *status)
{
    const message *m = &messages[count - 1];
    (void)contexts, (void)status;
    m->output[m->output_bytes] = 0;
}

static void read_behind(void *const *contexts, const message *messages, size_t count, int *status)
{
    const message *m = &messages[count - 1];
    const volatile uint8_t *input = m->input;
    (void)contexts, (void)status;
    (void)input[m->input_bytes];
}

static void change_input(void *const *contexts, const message *messages, size_t count, int *status)
{
    uint8_t *input = (uint8_t *)(uintptr_t)messages[0].input;
    (void)contexts, (void)count, (void)status;
    if (input != messages[0].output)
        input[0] ^= 1;
}

static void write_before_refusal(void *const *contexts, const message *messages, size_t count,
                                 int *status)
{
    (void)contexts, (void)count;
    if (*status != CIPHERMARK_DONE)
        messages[0].output[0] ^= 1;
}

static void take_all(void *const *contexts, const message *messages, size_t count, int *status)
{
    (void)contexts, (void)messages, (void)count;
    *status = CIPHERMARK_DONE;
}

static void branch(void *const *contexts, const message *messages, size_t count, int *status)
{
    const uint8_t *key = contexts[count - 1];
    volatile uint8_t *output = messages[0].output;
    (void)status;
    if (count > 1 && key[0] == 0x5a)
        output[0] = output[0];
}

/* ---- Rows ------------------------------------------------------------------------------------ */

#define ROW(fault, backend) \
    LANES_ROW("sums", ENCRYPT, BEARER_NONCE_BYTES, 0, &(fault), KEY_BYTES, set_key, encrypt_one, \
              encrypt_lanes, SIZE_MAX, backend)

static const struct fault none = {do_nothing}, mixes_keys = {mix_keys},
                          keeps_unused_bits = {keep_unused_bits}, writes_behind = {write_behind},
                          reads_behind = {read_behind}, changes_input = {change_input},
                          writes_before_refusal = {write_before_refusal}, takes_all = {take_all},
                          branches = {branch};

static const row rows[] = {
    BEARER_CIPHER_ROW("sums", ENCRYPT, none, KEY_BYTES, set_key, encrypt, SIZE_MAX,
                      CIPHERMARK_CONSTANT_TIME, "reference"),
    ROW(none, "right"),
    ROW(mixes_keys, "mixes-keys"),
    ROW(keeps_unused_bits, "keeps-unused-bits"),
    ROW(writes_behind, "writes-behind"),
    ROW(reads_behind, "reads-behind"),
    ROW(changes_input, "changes-input"),
    ROW(writes_before_refusal, "writes-before-refusal"),
    ROW(takes_all, "takes-all"),
    ROW(branches, "branches"),
};

static KERNELS(planted, rows);

const struct ciphermark_kernels *const ciphermark_kernels[] = {&planted};
const size_t ciphermark_kernels_count = 1;
