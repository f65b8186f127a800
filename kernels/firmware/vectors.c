/*
 * Asks kernels the questions that the image carries, and writes the number of each that was
 * answered wrong or left out, and how many there were of each kind:
 *
 *     failed 17
 *     left_out 18
 *     passed 120 failed 1 left_out 1
 *
 * Those are left out that do not fit the target's memory.
 */
#include "groups.h"
#include "hal.h"
#include "print.h"
#include "words.h"

/*
 * A question, as python/ciphermark/run/targets/firmware.py lays it out: these numbers, then
 * key, nonce, aad, input and the expected bytes.
 */
struct question {
    uint32_t group;          /* of the image */
    uint32_t row;            /* of the group */
    uint32_t is_refused;     /* 1 where the tag is wrong */
    uint32_t unused_bits;    /* see struct ciphermark_message */
    uint32_t iterations;     /* each on the answer before */
    uint32_t key_bytes;
    uint32_t nonce_bytes;
    uint32_t aad_bytes;
    uint32_t input_bytes;
    uint32_t output_bytes;
    uint32_t expected_at;    /* where in the output the expected bytes stand */
    uint32_t expected_bytes;
    uint32_t last_mask;      /* the bits of the last of them that count */
};

enum outcome { PASSED, FAILED, LEFT_OUT };

static uint32_t read_number(uint32_t *at)
{
    uint8_t bytes[4];
    hal_read(*at, bytes, sizeof bytes);
    *at += sizeof bytes;
    return load_be32(bytes);
}

static void read_question(struct question *q, uint32_t *at)
{
    q->group = read_number(at);
    q->row = read_number(at);
    q->is_refused = read_number(at);
    q->unused_bits = read_number(at);
    q->iterations = read_number(at);
    q->key_bytes = read_number(at);
    q->nonce_bytes = read_number(at);
    q->aad_bytes = read_number(at);
    q->input_bytes = read_number(at);
    q->output_bytes = read_number(at);
    q->expected_at = read_number(at);
    q->expected_bytes = read_number(at);
    q->last_mask = read_number(at);
}

static uint32_t given_bytes(const struct question *q)
{
    return q->key_bytes + q->nonce_bytes + q->aad_bytes + q->input_bytes;
}

/* Whether the output has the bytes that are expected there, which the image has at `at`. */
static int is_right(const struct question *q, uint32_t at, const uint8_t *output)
{
    uint32_t i;
    for (i = 0; i < q->expected_bytes; i++) {
        const uint8_t mask = i + 1 < q->expected_bytes ? 0xff : (uint8_t)q->last_mask;
        uint8_t expected;
        hal_read(at + i, &expected, 1);
        if ((output[q->expected_at + i] ^ expected) & mask)
            return 0;
    }
    return 1;
}

static int process(const struct ciphermark_function *row, void *context, const struct question *q,
                   uint8_t *given)
{
    uint8_t *const nonce = given + q->key_bytes;
    uint8_t *const aad = nonce + q->nonce_bytes;
    uint8_t *const input = aad + q->aad_bytes;
    uint8_t *const output = input + q->input_bytes;
    const struct ciphermark_message m = {
        nonce, (size_t)q->nonce_bytes, aad, (size_t)q->aad_bytes, input, (size_t)q->input_bytes,
        output, (size_t)q->output_bytes, (unsigned)q->unused_bits, 0};
    int status = ciphermark_set_key(row, context, given, (size_t)q->key_bytes);
    uint32_t turn;
    for (turn = 0; turn < q->iterations && status == CIPHERMARK_DONE; turn++) {
        if (turn > 0)
            memcpy(input, output, m.input_bytes);
        memset(output, 0xa5, m.output_bytes);
        status = ciphermark_process(row, context, &m);
    }
    return status;
}

static enum outcome ask(const struct question *q, uint32_t at)
{
    const struct ciphermark_function *row = &firmware_groups[q->group]->rows[q->row];
    size_t memory_bytes;
    uint8_t *const context = hal_memory(&memory_bytes);
    /* No message is aligned to anything: kernels must not need it. */
    uint8_t *const given = context + row->context_bytes + 1;
    int status;
    if (row->context_bytes + 1 + given_bytes(q) + q->output_bytes > memory_bytes)
        return LEFT_OUT;
    memset(context, 0, row->context_bytes);
    hal_read(at, given, (size_t)given_bytes(q));
    status = process(row, context, q, given);
    if (status != (q->is_refused ? CIPHERMARK_REFUSED : CIPHERMARK_DONE))
        return FAILED;
    return is_right(q, at + given_bytes(q), given + given_bytes(q)) ? PASSED : FAILED;
}

int firmware(void)
{
    uint32_t outcomes[3] = {0, 0, 0}, at = 0, i;
    const uint32_t count = read_number(&at);
    for (i = 0; i < count; i++) {
        struct question question;
        enum outcome outcome;
        read_question(&question, &at);
        outcome = ask(&question, at);
        outcomes[outcome]++;
        if (outcome != PASSED)
            print(outcome == FAILED ? "failed " : "left_out ", i, "\n");
        at += given_bytes(&question) + question.expected_bytes;
    }
    print("passed ", outcomes[PASSED], "");
    print(" failed ", outcomes[FAILED], "");
    print(" left_out ", outcomes[LEFT_OUT], "\n");
    return outcomes[FAILED] > 0;
}
