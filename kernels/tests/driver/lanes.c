/*
 * Random batches for kernels that take many packets at once: each packet's answer has to be the one
 * that the reference gives to it alone.
 *
 *     lanes BATCHES SEED [NAME]...
 *
 * Gives each function BATCHES batches, 30 of which have every mixture of numbers and lengths once.
 * NAMEs are algorithms or backends, to which it keeps. The batch of a number is the same for all
 * kernels of a function.
 *
 * Prints each row that was run, or what is wrong; then it ends with 1.
 */
#define _POSIX_C_SOURCE 200112L /* posix_memalign */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffers.h"
#include "chosen.h"
#include "random.h"
#include "threegpp.h"

#define MOST_KEY_BYTES 32

static int is_tested(const row *kernel)
{
    return kernel->process_lanes != NULL;
}

/* Of a batch, and of what a kernel is given of it: neither depends on what was run before. */
enum stream { OF_BATCH, OF_CALLS };

/* ---- Batches --------------------------------------------------------------------------------- */

/* Numbers of packets and lengths, which take turns; having no common factor, all pairs come up. */
enum { ONE, FEW, BY_WIDTH, SOME, MANY, COUNTS };
enum { EQUAL, OF_40_BYTES, SHORT, RAGGED, LONGEST_FIRST, WITH_GIANTS, LENGTHS };

/* Multiples of the lanes of vectors, and of what kernels step together. */
static const size_t WIDTHS[] = {4, 8, 16, 32, 64, 128, 192, 256, 384, 512};
#define WIDTH_COUNT (sizeof WIDTHS / sizeof WIDTHS[0])

#define STANDARD_BITS 20000
#define SHORT_BITS 320
/* Where the function takes them: lengths on both sides of 16 bits. */
#define GIANT_BYTES 70000

struct packet {
    size_t bits;
    size_t key; /* index of its key */
    uint8_t nonce[FRESH_NONCE_BYTES];
    struct buffer text, answer;
};

struct batch {
    size_t number, count, key_count;
    struct packet packets[CIPHERMARK_MOST_LANES];
    uint8_t keys[CIPHERMARK_MOST_LANES][MOST_KEY_BYTES];
};

static size_t bytes_of(size_t bits)
{
    return (bits + 7) / 8;
}

static void fail(const row *kernel, const struct batch *batch, size_t packet, const char *why)
{
    printf("%s %s, %s: seed %llu, batch %lu of %lu packets, packet %lu of %lu bits: %s\n",
           kernel->algorithm, operation_name(kernel), kernel->backend, (unsigned long long)seed,
           (unsigned long)batch->number, (unsigned long)batch->count, (unsigned long)packet,
           (unsigned long)batch->packets[packet].bits, why);
    exit(1);
}

static size_t random_count(const row *kernel, size_t number)
{
    switch (number % COUNTS) {
    case ONE:
        return 1;
    case FEW:
        return random_in(2, 9);
    case BY_WIDTH:
        return WIDTHS[random_below(WIDTH_COUNT)] - 1 + random_below(3);
    case SOME:
        return random_in(10, 200);
    default:
        return number % LENGTHS == OF_40_BYTES ? kernel->lanes : random_in(200, 1000);
    }
}

/* Short ones are more frequent. */
static size_t ragged_bits(size_t most)
{
    return random_in(1, random_in(1, most));
}

static int longest_first(const void *one, const void *other)
{
    const struct packet *a = one, *b = other;
    return (a->bits < b->bits) - (a->bits > b->bits);
}

static void choose_lengths(struct batch *batch, size_t most_bytes)
{
    const size_t most_bits = least(STANDARD_BITS, most_bytes * 8);
    const size_t equal = ragged_bits(most_bits), giant = 8 * least(GIANT_BYTES, most_bytes);
    const size_t kind = batch->number % LENGTHS;
    size_t i;
    for (i = 0; i < batch->count; i++) {
        size_t *bits = &batch->packets[i].bits;
        if (kind == EQUAL || kind == OF_40_BYTES)
            *bits = kind == EQUAL ? equal : 40 * 8;
        else
            *bits = ragged_bits(kind == SHORT || kind == WITH_GIANTS ? SHORT_BITS : most_bits);
    }
    if (kind == LONGEST_FIRST)
        qsort(batch->packets, batch->count, sizeof batch->packets[0], longest_first);
    for (i = 0; kind == WITH_GIANTS && i < 3; i++)
        batch->packets[random_below(batch->count)].bits = giant - random_below(giant / 8);
}

/* BEARER and DIRECTION are numbers of few values. */
static void choose_nonce(const row *kernel, uint8_t nonce[FRESH_NONCE_BYTES])
{
    fill_random(nonce, FRESH_NONCE_BYTES);
    if (kernel->nonce_bytes.most == BEARER_NONCE_BYTES)
        nonce[4] &= 31;
    nonce[kernel->nonce_bytes.most - 1] &= 1;
}

static size_t choose_key_count(size_t count)
{
    const size_t counts[] = {1, random_in(1, count), count};
    return counts[random_below(3)];
}

/* Everything but the answers. */
static void make_batch(struct batch *batch, const row *kernel, size_t number)
{
    size_t i;
    begin_random(number, OF_BATCH);
    batch->number = number;
    batch->count = random_count(kernel, number);
    batch->key_count = choose_key_count(batch->count);
    fill_random(batch->keys[0], batch->key_count * MOST_KEY_BYTES);
    choose_lengths(batch, kernel->input_bytes.most);
    for (i = 0; i < batch->count; i++) {
        struct packet *packet = &batch->packets[i];
        packet->key = batch->key_count == batch->count ? i : random_below(batch->key_count);
        choose_nonce(kernel, packet->nonce);
        packet->text = allocated(0, bytes_of(packet->bits), 0);
        fill_random(packet->text.bytes, packet->text.size);
    }
}

static void release_batch(struct batch *batch)
{
    size_t i;
    for (i = 0; i < batch->count; i++) {
        free(batch->packets[i].text.room);
        free(batch->packets[i].answer.room);
    }
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* A batch as a kernel is given it. */
struct call {
    void *contexts[CIPHERMARK_MOST_LANES]; /* by key */
    void *given_contexts[CIPHERMARK_MOST_LANES];
    message messages[CIPHERMARK_MOST_LANES];
    struct buffer nonces[CIPHERMARK_MOST_LANES];
    struct buffer inputs[CIPHERMARK_MOST_LANES];  /* of no bytes in place */
    struct buffer outputs[CIPHERMARK_MOST_LANES];
};

static void *keyed_context(const row *kernel, const uint8_t *key)
{
    void *context = new_context(kernel);
    if (ciphermark_set_key(kernel, context, key, kernel->key_bytes.least) != CIPHERMARK_DONE)
        abort();
    return context;
}

static message message_of(const row *kernel, const struct packet *packet)
{
    const message m = {
        .nonce_bytes = kernel->nonce_bytes.most,
        .input_bytes = packet->text.size,
        .output_bytes = kernel->operation == CIPHERMARK_MAC ? kernel->tag_bytes : packet->text.size,
        .unused_bits = (unsigned)(packet->text.size * 8 - packet->bits),
    };
    return m;
}

static void place_packet(struct call *call, size_t i, const row *kernel,
                         const struct packet *packet, int is_in_place)
{
    message *m = &call->messages[i];
    *m = message_of(kernel, packet);
    call->nonces[i] = copied(packet->nonce, m->nonce_bytes);
    call->inputs[i] = copied(packet->text.bytes, is_in_place ? 0 : m->input_bytes);
    call->outputs[i] = guarded(m->output_bytes);
    if (is_in_place)
        memcpy(call->outputs[i].bytes, packet->text.bytes, m->input_bytes);
    m->nonce = m->aad = call->nonces[i].bytes;
    m->input = is_in_place ? call->outputs[i].bytes : call->inputs[i].bytes;
    m->output = call->outputs[i].bytes;
}

static int is_in_place(const message *m)
{
    return m->input == m->output;
}

/* All packets in place, or none, or some. */
static void begin_call(struct call *call, const row *kernel, const struct batch *batch)
{
    const size_t in_place = kernel->operation == CIPHERMARK_MAC ? 0 : random_below(3);
    size_t i;
    for (i = 0; i < batch->key_count; i++)
        call->contexts[i] = keyed_context(kernel, batch->keys[i]);
    for (i = 0; i < batch->count; i++) {
        const struct packet *packet = &batch->packets[i];
        call->given_contexts[i] = call->contexts[packet->key];
        place_packet(call, i, kernel, packet, in_place + random_below(2) >= 2);
    }
}

/* As the engine calls it, or checked, which looks at the places of all packets. */
static int process(const row *kernel, const struct call *call, size_t count)
{
    if (count == 1 && random_below(2) == 0)
        return kernel->process(kernel, call->given_contexts[0], call->messages);
    if (random_below(2) == 0)
        return ciphermark_process_lanes(kernel, call->given_contexts, call->messages, count);
    return kernel->process_lanes(kernel, call->given_contexts, call->messages, count);
}

static void end_call(struct call *call, const struct batch *batch)
{
    size_t i;
    for (i = 0; i < batch->key_count; i++)
        free(call->contexts[i]);
    for (i = 0; i < batch->count; i++) {
        free(call->nonces[i].room);
        free(call->inputs[i].room);
        free(call->outputs[i].room);
    }
}

/* ---- Checks ---------------------------------------------------------------------------------- */

/* The answers of the reference, to one packet after the other. */
static void answer_batch(struct batch *batch, const row *reference)
{
    size_t i;
    for (i = 0; i < batch->count; i++) {
        struct packet *packet = &batch->packets[i];
        message m = message_of(reference, packet);
        void *context = keyed_context(reference, batch->keys[packet->key]);
        packet->answer = allocated(0, m.output_bytes, 0);
        m.nonce = m.aad = packet->nonce;
        m.input = packet->text.bytes;
        m.output = packet->answer.bytes;
        if (ciphermark_process(reference, context, &m) != CIPHERMARK_DONE)
            fail(reference, batch, i, "the reference does not answer");
        free(context);
    }
}

/* What a call must not write to, whatever its outcome. */
static const char *fault_around(const struct call *call, const struct packet *packet, size_t i)
{
    const message *m = &call->messages[i];
    if (!is_guard_whole(&call->outputs[i]))
        return "it writes beside the output";
    if (!is_in_place(m) && memcmp(m->input, packet->text.bytes, m->input_bytes) != 0)
        return "it changes the input";
    return NULL;
}

static const char *fault_of_answer(const struct call *call, const struct packet *packet, size_t i)
{
    const message *m = &call->messages[i];
    if (memcmp(m->output, packet->answer.bytes, m->output_bytes) != 0)
        return is_in_place(m) ? "in place it does not answer as the reference does"
                              : "it does not answer as the reference does";
    return fault_around(call, packet, i);
}

static const char *fault_of_refusal(const struct call *call, const struct packet *packet, size_t i)
{
    const message *m = &call->messages[i];
    const int is_as_before = is_in_place(m)
                                 ? memcmp(m->output, packet->text.bytes, m->output_bytes) == 0
                                 : is_canary(m->output, m->output_bytes);
    return is_as_before ? fault_around(call, packet, i) : "a batch is refused and this is written";
}

static void check_packets(const row *kernel, const struct batch *batch, const struct call *call,
                          const char *(*fault)(const struct call *, const struct packet *, size_t))
{
    size_t i;
    for (i = 0; i < batch->count; i++) {
        const char *why = fault(call, &batch->packets[i], i);
        if (why != NULL)
            fail(kernel, batch, i, why);
    }
}

static void check_answers(struct call *call, const row *kernel, const struct batch *batch)
{
    begin_call(call, kernel, batch);
    if (process(kernel, call, batch->count) != CIPHERMARK_DONE)
        fail(kernel, batch, 0, "it refuses the batch");
    check_packets(kernel, batch, call, fault_of_answer);
    end_call(call, batch);
}

/* One packet has a BEARER or a DIRECTION that does not exist. */
static void check_refusal(struct call *call, const row *kernel, const struct batch *batch)
{
    const size_t bad = random_below(batch->count), last = kernel->nonce_bytes.most - 1;
    const int has_bearer = kernel->nonce_bytes.most == BEARER_NONCE_BYTES;
    uint8_t *nonce;
    begin_call(call, kernel, batch);
    nonce = call->nonces[bad].bytes;
    if (has_bearer && random_below(2) == 0)
        nonce[last - 1] = (uint8_t)random_in(32, 255);
    else
        nonce[last] = (uint8_t)random_in(2, 255);
    if (process(kernel, call, batch->count) != CIPHERMARK_BAD_NONCE)
        fail(kernel, batch, bad, "it takes a BEARER or a DIRECTION that does not exist");
    check_packets(kernel, batch, call, fault_of_refusal);
    end_call(call, batch);
}

/* Nonces and messages that this program knows how to make. */
static int is_known(const row *kernel)
{
    return (kernel->operation == CIPHERMARK_ENCRYPT || kernel->operation == CIPHERMARK_DECRYPT ||
            kernel->operation == CIPHERMARK_MAC) &&
           (kernel->nonce_bytes.most == BEARER_NONCE_BYTES ||
            kernel->nonce_bytes.most == FRESH_NONCE_BYTES) &&
           kernel->counts_bits && kernel->key_bytes.least <= MOST_KEY_BYTES;
}

/* Gives the same batches to all rows of a function, of which `first` is the first. */
static void check_function(const row *const *first, size_t batches)
{
    static struct batch batch;
    static struct call call;
    const enum ciphermark_operation operation = (enum ciphermark_operation)(*first)->operation;
    const row *reference = ciphermark_find((*first)->algorithm, operation, "reference");
    const row *const *kernel;
    size_t number;
    if (reference == NULL || !is_known(*first)) {
        printf("%s %s, %s: it has lanes, and this program has nothing to compare it with\n",
               (*first)->algorithm, operation_name(*first), (*first)->backend);
        exit(1);
    }
    for (number = 0; number < batches; number++) {
        make_batch(&batch, *first, number);
        answer_batch(&batch, reference);
        for (kernel = first; *kernel != NULL; kernel++) {
            if (!is_same_function(*kernel, *first))
                continue;
            begin_random(number, OF_CALLS);
            check_answers(&call, *kernel, &batch);
            check_refusal(&call, *kernel, &batch);
        }
        release_batch(&batch);
    }
}

int main(int count, char **words)
{
    const row *const *kernel;
    size_t batches;
    if (count < 3) {
        fprintf(stderr, "type: lanes BATCHES SEED [ALGORITHM or BACKEND]...\n");
        return 2;
    }
    batches = strtoul(words[1], NULL, 10);
    seed = strtoull(words[2], NULL, 10);
    name_count = (size_t)count - 3;
    names = words + 3;
    for (kernel = chosen_rows(); *kernel != NULL; kernel++) {
        if (is_first_of_function(kernel))
            check_function(kernel, batches);
        printf("%s %s %s\n", (*kernel)->algorithm, operation_name(*kernel), (*kernel)->backend);
        fflush(stdout);
    }
    printf("%lu batches of seed %llu\n", (unsigned long)batches, (unsigned long long)seed);
    return 0;
}
