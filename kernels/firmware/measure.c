/*
 * Makes the calls that the image asks for, each between two marks which a runner looks for, and
 * writes what came of each:
 *
 *     done 7 2864434397
 *     refused 8 -4
 *     left_out 9
 *
 * the number of the call and a digest of what it wrote, by which two targets are compared; or what
 * the kernel said instead; or that it does not fit the target's memory. A runner sees two intervals
 * for each call, also for those that are left out: the same call of a kernel that does nothing, and
 * the call.
 */
#include "groups.h"
#include "hal.h"
#include "marks.h"
#include "print.h"
#include "words.h"

/* The ways of calling a kernel. */
enum way {
    SET_KEY,
    PROCESS,
    VERIFY, /* PROCESS, and a comparison of tags */
    WAYS
};

/*
 * A call, as python/ciphermark/run/targets/firmware.py lays it out. For an operation that undoes
 * another, `maker` is the row of that other, whose answer is its input; else the row itself.
 */
struct request {
    uint32_t group; /* of the image */
    uint32_t row;   /* of the group */
    uint32_t maker; /* of the group */
    uint32_t way;
    uint32_t key_bytes;
    uint32_t nonce_bytes;
    uint32_t message_bytes;
    uint32_t seed; /* of key, nonce and message; not 0 */
};

/* What a way of calling needs. */
struct call {
    const struct ciphermark_function *row;
    void *context;
    const uint8_t *key;
    size_t key_bytes;
    struct ciphermark_message message;
    const uint8_t *tag; /* the right one */
};

typedef int way_function(const struct call *call);

static int set_key(const struct call *call)
{
    return call->row->set_key(call->row, call->context, call->key, call->key_bytes);
}

static int process(const struct call *call)
{
    return call->row->process(call->row, call->context, &call->message);
}

static int verify(const struct call *call)
{
    const int status = call->row->process(call->row, call->context, &call->message);
    if (status != CIPHERMARK_DONE)
        return status;
    return equal_bytes(call->message.output, call->tag, call->message.output_bytes)
               ? CIPHERMARK_DONE
               : CIPHERMARK_REFUSED;
}

static way_function *const ways[WAYS] = {set_key, process, verify};

static int no_key(const struct ciphermark_function *self, void *context, const uint8_t *key,
                  size_t key_bytes)
{
    (void)self;
    (void)context;
    (void)key;
    (void)key_bytes;
    return CIPHERMARK_DONE;
}

static int no_process(const struct ciphermark_function *self, void *context,
                      const struct ciphermark_message *message)
{
    (void)self;
    (void)context;
    (void)message;
    return CIPHERMARK_DONE;
}

/* Takes the place of a kernel. */
static const struct ciphermark_function nothing = {.set_key = no_key, .process = no_process};

#ifndef HAL_HAS_MARKS /* else what stands beneath looks at calls itself */
KEPT_APART void mark_begin(void)
{
    __asm__ volatile("");
}

KEPT_APART void mark_end(void)
{
    __asm__ volatile("");
}
#endif

/* One place for all calls, so that what stands around the kernel is the same instructions. */
KEPT_APART static int between_marks(way_function *way,
                                                            const struct call *call)
{
    volatile uint8_t bottom;
    int status;
    mark_begin();
    bottom = 0; /* a write to the stack, from which a runner that sees writes can count its depth */
    (void)bottom;
    status = way(call);
    mark_end();
    return status;
}

/* Both calls, from the same depth of the stack. */
static int measure(way_function *way, const struct call *call)
{
    struct call without = *call;
    without.row = &nothing;
    without.message.output_bytes = 0; /* the comparison of VERIFY is part of what is measured */
    (void)between_marks(way, &without);
    return between_marks(way, call);
}

/* Marsaglia's generator with the shifts 13, 17 and 5 (Xorshift RNGs, 2003, section 4). */
static void fill(uint8_t *bytes, size_t count, uint32_t *state)
{
    for (; count > 0; count--) {
        *state ^= *state << 13;
        *state ^= *state >> 17;
        *state ^= *state << 5;
        *bytes++ = (uint8_t)(*state >> 24);
    }
}

/* FNV-1a (RFC 9923, section 2) with 32 bits. */
static uint32_t digest(const uint8_t *bytes, size_t count)
{
    uint32_t hash = 0x811c9dc5;
    for (; count > 0; count--)
        hash = (hash ^ *bytes++) * 0x01000193;
    return hash;
}

static int is_tag_alone(uint32_t operation)
{
    return operation == CIPHERMARK_MAC || operation == CIPHERMARK_DIGEST;
}

static size_t output_bytes_of(const struct ciphermark_function *row, size_t message_bytes)
{
    if (is_tag_alone(row->operation))
        return row->tag_bytes;
    return message_bytes + (row->operation == CIPHERMARK_SEAL ? row->tag_bytes : 0);
}

static void use_row(struct call *call, const struct ciphermark_function *row, size_t message_bytes)
{
    struct ciphermark_message *const m = &call->message;
    call->row = row;
    m->input_bytes = row->operation == CIPHERMARK_KEYSTREAM ? 0 : message_bytes;
    if (row->operation == CIPHERMARK_OPEN)
        m->input_bytes += row->tag_bytes;
    m->output_bytes = output_bytes_of(row, message_bytes);
}

/* A context with the key of the call; zero bytes before. */
static int prepare(const struct call *call)
{
    memset(call->context, 0, call->row->context_bytes);
    return call->row->set_key == NULL ? CIPHERMARK_DONE : set_key(call);
}

/* Some nonces hold numbers of which not all are possible; zeros always are. */
static void choose_nonce(const struct ciphermark_function *row, uint8_t *nonce, size_t bytes,
                         uint32_t *state)
{
    fill(nonce, bytes, state);
    if (row->check_nonce != NULL && row->check_nonce(row, nonce, bytes) != CIPHERMARK_DONE)
        memset(nonce, 0, bytes);
}

/* Where the bytes of a call lie, behind the context: each is aligned as a caller's would be. */
struct places {
    uint8_t *key;
    uint8_t *nonce;
    uint8_t *input;
    uint8_t *output;
    uint8_t *tag;
    size_t bytes; /* of all, with the context */
};

static size_t aligned(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

static struct places place(uint8_t *memory, const struct request *request,
                           const struct ciphermark_function *row,
                           const struct ciphermark_function *maker)
{
    struct places places;
    const size_t context_bytes =
        row->context_bytes > maker->context_bytes ? row->context_bytes : maker->context_bytes;
    const size_t tag_bytes = row->tag_bytes;
    places.key = memory + aligned(context_bytes);
    places.nonce = places.key + aligned((size_t)request->key_bytes);
    places.input = places.nonce + aligned((size_t)request->nonce_bytes);
    places.output = places.input + aligned((size_t)request->message_bytes + tag_bytes);
    places.tag = places.output + aligned((size_t)request->message_bytes + tag_bytes);
    places.bytes = (size_t)(places.tag - memory) + tag_bytes;
    return places;
}

/* The input of an operation that undoes another: the other's answer to the message. */
static int make_input(struct call *call, const struct ciphermark_function *row,
                      const struct ciphermark_function *maker, const struct places *places,
                      size_t message_bytes)
{
    int status;
    use_row(call, maker, message_bytes);
    status = prepare(call);
    if (status == CIPHERMARK_DONE)
        status = process(call);
    use_row(call, row, message_bytes);
    memcpy(places->input, places->output, call->message.input_bytes);
    return status;
}

/* The tag that VERIFY compares with. */
static int make_tag(const struct call *call, const struct places *places)
{
    const int status = process(call);
    memcpy(places->tag, places->output, call->message.output_bytes);
    return status;
}

/* All that comes before the call itself. */
static int make_ready(const struct request *request, struct call *call,
                      const struct places *places, const struct ciphermark_function *maker)
{
    const struct ciphermark_function *const row = call->row;
    int status = CIPHERMARK_DONE;
    use_row(call, row, (size_t)request->message_bytes);
    if (maker != row)
        status = make_input(call, row, maker, places, (size_t)request->message_bytes);
    if (status == CIPHERMARK_DONE && request->way != SET_KEY)
        status = prepare(call);
    if (status == CIPHERMARK_DONE && request->way == VERIFY)
        status = make_tag(call, places);
    memset(request->way == SET_KEY ? call->context : places->output, 0,
           request->way == SET_KEY ? row->context_bytes : call->message.output_bytes);
    return status;
}

/* Key, nonce and message are made of the seed alone, in this order. */
static struct call new_call(const struct request *request, const struct places *places,
                            const struct ciphermark_function *row, uint8_t *context)
{
    uint32_t state = request->seed;
    struct call call;
    memset(&call, 0, sizeof call);
    fill(places->key, (size_t)request->key_bytes, &state);
    choose_nonce(row, places->nonce, (size_t)request->nonce_bytes, &state);
    fill(places->input, (size_t)request->message_bytes, &state);
    call.row = row;
    call.context = context;
    call.key = places->key;
    call.key_bytes = (size_t)request->key_bytes;
    call.message.nonce = places->nonce;
    call.message.nonce_bytes = (size_t)request->nonce_bytes;
    call.message.aad = places->nonce;
    call.message.input = places->input;
    call.message.output = places->output;
    call.tag = places->tag;
    return call;
}

static void write_outcome(int status, uint32_t number, const struct call *call)
{
    if (status == CIPHERMARK_DONE) {
        print("done ", number, " ");
        print("", digest(call->message.output, call->message.output_bytes), "\n");
    } else {
        print("refused ", number, " -");
        print("", (uint32_t)-(int32_t)status, "\n");
    }
}

/* There are intervals for what cannot be called too, so that a runner's are in order. */
static void skip(const struct request *request)
{
    struct call call;
    memset(&call, 0, sizeof call);
    call.row = &nothing;
    (void)measure(ways[request->way], &call);
}

static void answer(const struct request *request, uint32_t number)
{
    const struct ciphermark_kernels *const group = firmware_groups[request->group];
    const struct ciphermark_function *const row = &group->rows[request->row];
    const struct ciphermark_function *const maker = &group->rows[request->maker];
    size_t memory_bytes;
    uint8_t *const memory = hal_memory(&memory_bytes);
    const struct places places = place(memory, request, row, maker);
    struct call call;
    int status;
    if (places.bytes > memory_bytes) {
        skip(request);
        print("left_out ", number, "\n");
        return;
    }
    call = new_call(request, &places, row, memory);
    status = make_ready(request, &call, &places, maker);
    if (status != CIPHERMARK_DONE) {
        skip(request);
    } else {
        status = measure(ways[request->way], &call);
        /* What a key has become is seen by what it does. */
        if (status == CIPHERMARK_DONE && request->way == SET_KEY)
            status = process(&call);
    }
    write_outcome(status, number, &call);
}

static uint32_t read_number(uint32_t *at)
{
    uint8_t bytes[4];
    hal_read(*at, bytes, sizeof bytes);
    *at += sizeof bytes;
    return load_be32(bytes);
}

int firmware(void)
{
    uint32_t at = 0, i;
    const uint32_t count = read_number(&at);
    for (i = 0; i < count; i++) {
        struct request request;
        request.group = read_number(&at);
        request.row = read_number(&at);
        request.maker = read_number(&at);
        request.way = read_number(&at);
        request.key_bytes = read_number(&at);
        request.nonce_bytes = read_number(&at);
        request.message_bytes = read_number(&at);
        request.seed = read_number(&at);
        answer(&request, i);
    }
    return 0;
}
