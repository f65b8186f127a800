/*
 * MACs over universal hashes: each faster kernel has to give the tags that the reference gives, to
 * messages that come whole, in chunks, in pieces, and many in one call where it takes that.
 *
 *     hashes SUITE COUNT SEED [NAME]...
 *
 *     lengths COUNT   every COUNT-th length up to several blocks of every kernel
 *     places COUNT    messages at every place in a line of memory, so many lengths of them
 *     crafted COUNT   batches of messages by which numbers come to their ends
 *     long COUNT      batches around where a polynomial over more bits begins
 *     batches COUNT   batches of 1 to 200 messages
 *
 * NAMEs are algorithms or backends, to which it keeps. A batch is the same for all kernels of a
 * function. Prints each row that was run, or what is wrong; then it ends with 1.
 */
#define _POSIX_C_SOURCE 200112L /* posix_memalign */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffers.h"
#include "chosen.h"
#include "crafted_hash127.h"
#include "crafted_uhash.h"
#include "crafted_vhash.h"

#define MOST_TEXTS 200
#define MOST_BYTES 4200

/* Texts under one key, of the suite that has all lengths. */
#define LENGTHS_OF_A_KEY 16

/* Of a batch, and of what a kernel is given of it: neither depends on what was run before. */
enum stream { OF_BATCH, OF_CALLS };

struct batch {
    const row *reference;
    size_t index, count, key_count;
    struct key keys[MOST_TEXTS];
    struct text texts[MOST_TEXTS];
};

struct suite {
    const char *name;
    void (*make)(struct batch *batch, size_t count);
    size_t (*batches)(size_t count);
};

static int is_tested(const row *kernel)
{
    return (is_uhash(kernel) || is_vhash(kernel) || is_hash127(kernel)) &&
           kernel->variant == NULL && strcmp(kernel->backend, "reference") != 0;
}

static void fail(const row *kernel, const struct batch *batch, const struct text *text,
                 const char *why)
{
    printf("%s, %s: seed %llu, batch %lu, text %lu of %lu bytes, key of %lu, nonce of %lu: %s\n",
           kernel->algorithm, kernel->backend, (unsigned long long)seed,
           (unsigned long)batch->index, (unsigned long)(text - batch->texts),
           (unsigned long)text->size, (unsigned long)batch->keys[text->key].size,
           (unsigned long)text->nonce_bytes, why);
    exit(1);
}

/* ---- Keys, nonces and texts ------------------------------------------------------------------ */

/* Words of four bytes at both ends of signed and unsigned numbers. */
static void fill_alike(uint8_t *bytes, size_t count)
{
    static const uint32_t WORDS[] = {0, 0xffffffff, 0x80000000, 0x7fffffff, 1};
    uint8_t word[4];
    size_t i;
    store_le32(word, WORDS[random_below(5)]);
    for (i = 0; i < count; i++)
        bytes[i] = word[i % 4];
}

static void fill(uint8_t *bytes, size_t count)
{
    if (random_below(6) == 0)
        fill_alike(bytes, count);
    else
        fill_random(bytes, count);
}

/* Keys are not all that their least and most are. */
static void choose_key(const row *reference, struct key *key)
{
    const struct ciphermark_range sizes = reference->key_bytes;
    void *context = new_context(reference);
    do {
        key->size = random_in(sizes.least, least(sizes.most, MOST_KEY_BYTES));
        fill(key->bytes, key->size);
    } while (ciphermark_set_key(reference, context, key->bytes, key->size) != CIPHERMARK_DONE);
    free(context);
}

/* Often that of the text before, but for the last bits: they choose a part of the same pad. */
static void choose_nonce(const row *reference, struct text *text, const struct text *before)
{
    const struct ciphermark_range sizes = reference->nonce_bytes;
    if (before != NULL && before->nonce_bytes > 0 && random_below(3) == 0) {
        text->nonce_bytes = before->nonce_bytes;
        memcpy(text->nonce, before->nonce, sizeof text->nonce);
        text->nonce[text->nonce_bytes - 1] ^= (uint8_t)random_below(4);
        return;
    }
    do {
        text->nonce_bytes = random_in(sizes.least, sizes.most);
        fill(text->nonce, text->nonce_bytes);
    } while (reference->check_nonce != NULL &&
             reference->check_nonce(reference, text->nonce, text->nonce_bytes) != CIPHERMARK_DONE);
}

static void begin_batch(struct batch *batch, size_t count, size_t key_count)
{
    size_t i;
    batch->count = count;
    batch->key_count = key_count;
    for (i = 0; i < key_count; i++)
        choose_key(batch->reference, &batch->keys[i]);
}

/* The next text, of the nearest size that is of whole blocks. */
static void make_text(struct batch *batch, size_t i, size_t size)
{
    struct text *text = &batch->texts[i];
    text->key = random_below(batch->key_count);
    text->size = size / batch->reference->block_bytes * batch->reference->block_bytes;
    text->place = random_below(LINE_BYTES);
    choose_nonce(batch->reference, text, i > 0 ? text - 1 : NULL);
    text->bytes = malloc(text->size + 1);
    if (text->bytes == NULL)
        abort();
    fill(text->bytes, text->size);
}

/* ---- Answers --------------------------------------------------------------------------------- */

static void *keyed_context(const row *kernel, const struct key *key)
{
    void *context = new_context(kernel);
    if (ciphermark_set_key(kernel, context, key->bytes, key->size) != CIPHERMARK_DONE)
        abort();
    return context;
}

static message message_of(const row *kernel, const struct text *text, uint8_t *tag)
{
    const message m = {
        .nonce = text->nonce,
        .nonce_bytes = text->nonce_bytes,
        .aad = text->nonce,
        .input = text->bytes,
        .input_bytes = text->size,
        .output = tag,
        .output_bytes = kernel->tag_bytes,
    };
    return m;
}

static void answer(const row *reference, void *context, struct text *text)
{
    const message m = message_of(reference, text, text->tag);
    if (ciphermark_process(reference, context, &m) != CIPHERMARK_DONE)
        abort();
}

static void answer_batch(struct batch *batch)
{
    size_t key, i;
    for (key = 0; key < batch->key_count; key++) {
        void *context = keyed_context(batch->reference, &batch->keys[key]);
        for (i = 0; i < batch->count; i++) {
            if (batch->texts[i].key == key)
                answer(batch->reference, context, &batch->texts[i]);
        }
        free(context);
    }
}

static void end_batch(struct batch *batch)
{
    size_t i;
    for (i = 0; i < batch->count; i++)
        free(batch->texts[i].bytes);
}

/* ---- Suites ---------------------------------------------------------------------------------- */

static void make_lengths(struct batch *batch, size_t step)
{
    size_t i;
    begin_batch(batch, LENGTHS_OF_A_KEY, 1);
    for (i = 0; i < batch->count; i++)
        make_text(batch, i, (LENGTHS_OF_A_KEY * batch->index + i) * step);
}

static size_t batches_of_lengths(size_t step)
{
    return MOST_BYTES / (LENGTHS_OF_A_KEY * step) + 1;
}

static size_t as_many(size_t count)
{
    return count;
}

/* Short ones are more frequent. */
static size_t random_size(size_t most)
{
    return random_in(0, random_in(0, most));
}

static void make_places(struct batch *batch, size_t count)
{
    const size_t size = random_size(MOST_BYTES);
    size_t i;
    (void)count;
    begin_batch(batch, LINE_BYTES, 1);
    for (i = 0; i < batch->count; i++) {
        make_text(batch, i, size);
        batch->texts[i].place = i;
    }
}

static void make_random(struct batch *batch, size_t count)
{
    const size_t texts = random_in(1, MOST_TEXTS), keys[] = {1, random_in(1, texts), texts};
    size_t i;
    (void)count;
    begin_batch(batch, texts, keys[random_below(3)]);
    for (i = 0; i < batch->count; i++)
        make_text(batch, i, random_size(random_below(2) == 0 ? 100 : MOST_BYTES));
}

static void craft_stream(const row *reference, void *context, struct text *text)
{
    const struct umac *umac = reference->parameters;
    const unsigned stream = (unsigned)random_below(umac->form.streams);
    const uint64_t y = craft_uhash(reference, context, stream, text);
    answer(reference, context, text);
    check_crafted_uhash(context, stream, y, text);
}

static void craft(const row *reference, const struct key *key, struct text *text)
{
    void *context = keyed_context(reference, key);
    if (is_uhash(reference))
        craft_stream(reference, context, text);
    if (is_vhash(reference))
        craft_vhash(reference, key, text);
    if (reference->nonce_bytes.least == HASH127_BYTES) {
        memset(text->nonce, 0, sizeof text->nonce);
        answer(reference, context, text);
        craft_hash127(text);
    }
    free(context);
}

static void make_crafted(struct batch *batch, size_t count)
{
    size_t i;
    (void)count;
    begin_batch(batch, LENGTHS_OF_A_KEY, 1);
    for (i = 0; i < batch->count; i++) {
        make_text(batch, i, random_size(MOST_BYTES));
        craft(batch->reference, batch->keys, &batch->texts[i]);
    }
}

/* After how many bytes polynomials over twice as many bits begin, or just many. */
static size_t switch_bytes(const row *reference)
{
    const struct umac *umac = reference->parameters;
    return is_uhash(reference) && umac->form.word_bytes == 4 ? (size_t)1 << 24 : (size_t)1 << 19;
}

/* Around there by some blocks, or a byte beside the ends of those. */
static void make_long(struct batch *batch, size_t count)
{
    const size_t bytes = switch_bytes(batch->reference) - 2 * UHASH_BLOCK_BYTES;
    void *context;
    (void)count;
    begin_batch(batch, 1, 1);
    make_text(batch, 0, bytes + random_below(8) * UHASH_BLOCK_BYTES + random_below(3) - 1);
    if (!is_uhash(batch->reference))
        return;
    context = keyed_context(batch->reference, batch->keys);
    craft_markers(batch->reference, context, batch->texts, 6);
    free(context);
}

static const struct suite SUITES[] = {
    {"lengths", make_lengths, batches_of_lengths}, {"places", make_places, as_many},
    {"crafted", make_crafted, as_many},            {"long", make_long, as_many},
    {"batches", make_random, as_many},
};

static const struct suite *suite_of(const char *name)
{
    size_t i;
    for (i = 0; i < sizeof SUITES / sizeof SUITES[0]; i++) {
        if (strcmp(SUITES[i].name, name) == 0)
            return &SUITES[i];
    }
    return NULL;
}

/* ---- Checks ---------------------------------------------------------------------------------- */

/* A text as a kernel is given it. */
struct call {
    struct buffer nonce, input, tag;
    message message;
};

static struct call begin_call(const row *kernel, const struct text *text)
{
    struct call it;
    it.nonce = copied(text->nonce, text->nonce_bytes);
    it.input = copied_to(text->place, text->bytes, text->size);
    it.tag = guarded(kernel->tag_bytes);
    it.message = message_of(kernel, text, it.tag.bytes);
    it.message.nonce = it.message.aad = it.nonce.bytes;
    it.message.input = it.input.bytes;
    return it;
}

static void end_call(const row *kernel, const struct batch *batch, const struct text *text,
                     struct call *it, const char *why)
{
    if (memcmp(it->tag.bytes, text->tag, kernel->tag_bytes) != 0)
        fail(kernel, batch, text, why);
    if (!is_guard_whole(&it->tag))
        fail(kernel, batch, text, "it writes beside the tag");
    if (memcmp(it->input.bytes, text->bytes, text->size) != 0)
        fail(kernel, batch, text, "it changes the message");
    free(it->nonce.room);
    free(it->input.room);
    free(it->tag.room);
}

static void check_whole(const row *kernel, void *context, const struct batch *batch,
                        const struct text *text)
{
    struct call it = begin_call(kernel, text);
    if (ciphermark_process(kernel, context, &it.message) != CIPHERMARK_DONE)
        fail(kernel, batch, text, "it refuses the message");
    end_call(kernel, batch, text, &it, "it does not answer as the reference does");
}

/* A part of a message: few bytes, some blocks, and no less than a share of a long one. */
static size_t random_part(size_t size)
{
    static const size_t MOST[] = {3, 40, 300, 3000};
    return size / 64 + 1 + random_below(MOST[random_below(4)]);
}

static void check_chunks(const row *kernel, void *context, const struct batch *batch,
                         const struct text *text)
{
    struct call it = begin_call(kernel, text);
    const size_t chunk_bytes = random_part(text->size) * kernel->block_bytes;
    if (ciphermark_process_chunks(kernel, context, &it.message, chunk_bytes) != CIPHERMARK_DONE)
        fail(kernel, batch, text, "it refuses the message in chunks");
    end_call(kernel, batch, text, &it, "in chunks it does not answer as the reference does");
}

/* Each piece ends where its memory does. */
static void check_pieces(const row *kernel, void *context, const struct batch *batch,
                         const struct text *text)
{
    struct call it = begin_call(kernel, text);
    size_t at, bytes;
    if (ciphermark_start(kernel, context, it.nonce.bytes, it.nonce.size) != CIPHERMARK_DONE)
        fail(kernel, batch, text, "it refuses the nonce");
    for (at = 0; at < text->size || random_below(4) == 0; at += bytes) {
        struct buffer piece;
        bytes = least(text->size - at, random_part(text->size) - 1);
        piece = copied(text->bytes + at, bytes);
        ciphermark_update(kernel, context, piece.bytes, bytes);
        free(piece.room);
    }
    ciphermark_finish(kernel, context, it.tag.bytes);
    end_call(kernel, batch, text, &it, "in pieces it does not answer as the reference does");
}

static void check_lanes(const row *kernel, void *const *contexts, const struct batch *batch)
{
    static struct call calls[MOST_TEXTS];
    static message messages[MOST_TEXTS];
    void *given[MOST_TEXTS];
    size_t i;
    for (i = 0; i < batch->count; i++) {
        calls[i] = begin_call(kernel, &batch->texts[i]);
        messages[i] = calls[i].message;
        given[i] = contexts[batch->texts[i].key];
    }
    if (ciphermark_process_lanes(kernel, given, messages, batch->count) != CIPHERMARK_DONE)
        fail(kernel, batch, batch->texts, "it refuses the batch");
    for (i = 0; i < batch->count; i++)
        end_call(kernel, batch, &batch->texts[i], &calls[i],
                 "among others it does not answer as the reference does");
}

static void check_batch(const row *kernel, const struct batch *batch)
{
    void *contexts[MOST_TEXTS];
    size_t i;
    for (i = 0; i < batch->key_count; i++)
        contexts[i] = keyed_context(kernel, &batch->keys[i]);
    for (i = 0; i < batch->count; i++) {
        const struct text *text = &batch->texts[i];
        check_whole(kernel, contexts[text->key], batch, text);
        if (kernel->process_chunks != NULL)
            check_chunks(kernel, contexts[text->key], batch, text);
        if (kernel->process_chunks != NULL && kernel->block_bytes == 1)
            check_pieces(kernel, contexts[text->key], batch, text);
    }
    if (kernel->process_lanes != NULL)
        check_lanes(kernel, contexts, batch);
    for (i = 0; i < batch->key_count; i++)
        free(contexts[i]);
}

static void check_function(const row *const *first, const struct suite *suite, size_t count)
{
    static struct batch batch;
    const row *const *kernel;
    batch.reference = ciphermark_find((*first)->algorithm, MAC, "reference");
    for (batch.index = 0; batch.index < suite->batches(count); batch.index++) {
        begin_random(batch.index, OF_BATCH);
        suite->make(&batch, count);
        answer_batch(&batch);
        for (kernel = first; *kernel != NULL; kernel++) {
            if (!is_same_function(*kernel, *first))
                continue;
            begin_random(batch.index, OF_CALLS);
            check_batch(*kernel, &batch);
        }
        end_batch(&batch);
    }
}

int main(int words_count, char **words)
{
    const struct suite *suite = words_count < 4 ? NULL : suite_of(words[1]);
    const row *const *kernel;
    size_t count;
    if (suite == NULL) {
        fprintf(stderr, "type: hashes SUITE COUNT SEED [ALGORITHM or BACKEND]...\n");
        return 2;
    }
    count = strtoul(words[2], NULL, 10);
    seed = strtoull(words[3], NULL, 10);
    name_count = (size_t)words_count - 4;
    names = words + 4;
    for (kernel = chosen_rows(); *kernel != NULL; kernel++) {
        if (is_first_of_function(kernel))
            check_function(kernel, suite, count);
        printf("%s %s %s\n", (*kernel)->algorithm, operation_name(*kernel), (*kernel)->backend);
        fflush(stdout);
    }
    printf("%s %lu of seed %llu\n", suite->name, (unsigned long)count, (unsigned long long)seed);
    return 0;
}
