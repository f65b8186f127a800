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
