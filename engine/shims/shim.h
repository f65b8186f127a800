/*
 * What the shims in C share: names for the structures of kernel.h, the heads of functions, the form of
 * a row, and failures.
 */
#ifndef CIPHERMARK_SHIM_H
#define CIPHERMARK_SHIM_H

#include <string.h>

#include "kernel.h"

typedef struct ciphermark_function row;
typedef struct ciphermark_message message;

#define ENCRYPT CIPHERMARK_ENCRYPT
#define DECRYPT CIPHERMARK_DECRYPT
#define SEAL CIPHERMARK_SEAL
#define OPEN CIPHERMARK_OPEN

/* ---- Functions of rows ------------------------------------------------------------------------ */

/* Of a parameter that a function need not use. */
#define UNUSED __attribute__((unused))

/*
 * The heads of functions, with the parameters that kernel.h gives them: `self`, `context`, and `key`,
 * `key_bytes` or the message `m`. A body follows.
 */
#define INIT(name) static int name(const row *self UNUSED, void *context UNUSED)
#define SET_KEY(name) \
    static int name(const row *self UNUSED, void *context UNUSED, const uint8_t *key UNUSED, \
                    size_t key_bytes UNUSED)
#define PROCESS(name) \
    static int name(const row *self UNUSED, void *context UNUSED, const message *m UNUSED)
#define RELEASE(name) static void name(const row *self UNUSED, void *context UNUSED)

/*
 * Functions of one call, after their head: such as answer with the library's number, as in
 *
 *     ANSWERS(SET_KEY(set_key), library_set_key(context, key, key_bytes))
 *
 * such as are done after a call that cannot fail, and such as have no answer.
 */
#define ANSWERS(head, ...) \
    head \
    { \
        return __VA_ARGS__; \
    }
#define DOES(head, ...) \
    head \
    { \
        __VA_ARGS__; \
        return CIPHERMARK_DONE; \
    }
#define RUNS(head, ...) \
    head \
    { \
        __VA_ARGS__; \
    }

/* A key that needs no setup, or is given again for each message. */
struct copied_key {
    uint8_t bytes[32];
};

DOES(UNUSED SET_KEY(copy_key), memcpy(context, key, key_bytes))

/* Whether the row is a receiver's. */
static inline int receives(const row *self)
{
    return self->operation == OPEN || self->operation == DECRYPT;
}

/* Gives a failure, which is not 0, to the caller. */
#define TRY(call) \
    do { \
        int error_ = (call); \
        if (error_ != 0) \
            return error_; \
    } while (0)

/* Makes the library's refusal of a tag the engine's. */
static inline int opened(int status, int refusal)
{
    return status == refusal ? CIPHERMARK_REFUSED : status;
}

/* What follows from whether a tag is right. */
static inline int opened_if(int right)
{
    return right ? CIPHERMARK_DONE : CIPHERMARK_REFUSED;
}

/* Defines by an expression of `one`, `other` and `bytes` the library's comparison of tags, and whether a
 * tag that was computed stands behind the ciphertext of a sealed message. */
#define TAGS_EQUAL(expression) \
    static int tags_equal(const void *one, const void *other, size_t bytes) \
    { \
        return expression; \
    } \
    static UNUSED int check_tag(const message *m, const uint8_t *computed, size_t tag_bytes) \
    { \
        return opened_if(tags_equal(computed, m->input + m->output_bytes, tag_bytes)); \
    }

/* ---- Rows -------------------------------------------------------------------------------------- */

/* As malloc gives. A shim whose library asks for more defines it before it includes this file. */
#ifndef ALIGNMENT
#define ALIGNMENT 16
#endif

/*
 * A row that takes one message a call, with what it has besides; `type` is that of its contexts:
 *
 *     ROW("sha256", CIPHERMARK_DIGEST, struct hash, .tag_bytes = 32, .init = init, IN_PIECES(digest))
 */
#define ROW(name, what, type, ...) \
    ROW_OF(name, what, sizeof(type), ALIGNMENT, .lanes = 1, __VA_ARGS__)
#define ROW_OF(name, what, bytes, alignment, ...) \
    { \
        .algorithm = name, .operation = what, .context_bytes = bytes, \
        .context_alignment = alignment, __VA_ARGS__ \
    }
#define KEY(bytes) .key_bytes = {bytes, bytes}
#define ANY_KEY .key_bytes = {0, SIZE_MAX}
#define NONCE(bytes) .nonce_bytes = {bytes, bytes}
#define NONCES(least, most) .nonce_bytes = {least, most}
/* By the function `run`, a message as a whole; and besides by `run`_chunks, in pieces (pieces.h). */
#define AT_ONCE(run) .process = run
#define IN_PIECES(run) .process = run, .process_chunks = run##_chunks

/* The library of the table `functions`, with what it has besides the numbers. */
#define LIBRARY(...) \
    { \
        .abi = CIPHERMARK_ABI, .function_bytes = sizeof(struct ciphermark_function), \
        .function_count = COUNT_OF(functions), .functions = functions, __VA_ARGS__ \
    }
#define COUNT_OF(list) (sizeof list / sizeof list[0])

/* Whether a list of names with commas, or null, has this one. */
static inline int lists(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (; list != NULL; list = strchr(list, ',')) {
        list += *list == ',';
        if (strncmp(list, name, length) == 0 && (list[length] == ',' || list[length] == '\0'))
            return 1;
    }
    return 0;
}

#endif
