/*
 * What the shims in C share: names for the structures of kernel.h, and failures.
 */
#ifndef CIPHERMARK_SHIM_H
#define CIPHERMARK_SHIM_H

#include "kernel.h"

typedef struct ciphermark_function row;
typedef struct ciphermark_message message;

#define ENCRYPT CIPHERMARK_ENCRYPT
#define DECRYPT CIPHERMARK_DECRYPT
#define SEAL CIPHERMARK_SEAL
#define OPEN CIPHERMARK_OPEN

/* A row that takes one message a call, with what it has besides. Contexts are aligned as malloc does. */
#define ROW(name, what, type, ...) \
    { \
        .algorithm = name, .operation = what, .lanes = 1, .context_bytes = sizeof(type), \
        .context_alignment = 16, __VA_ARGS__ \
    }
#define IN_PIECES(run) .process = run, .process_chunks = run##_chunks

/* The library of the table `functions`, with what it has besides the numbers. */
#define LIBRARY(...) \
    { \
        .abi = CIPHERMARK_ABI, .function_bytes = sizeof(struct ciphermark_function), \
        .function_count = sizeof functions / sizeof functions[0], .functions = functions, \
        __VA_ARGS__ \
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

#endif
