/*
 * What shims share: names for the structures of kernel.h, failures, and messages in chunks.
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

/* Makes `call` for each chunk of `bytes`, the chunk of n bytes from `at` on. */
#define EACH_CHUNK(bytes, chunk_bytes, call) \
    do { \
        size_t at, n; \
        for (at = 0; at < (bytes); at += n) { \
            n = (bytes) - at < (chunk_bytes) ? (bytes) - at : (chunk_bytes); \
            TRY(call); \
        } \
    } while (0)

/* Defines `run` for whole messages by the function for chunks: a whole message is one chunk. */
#define WHOLE(run) \
    static int run(const row *self, void *context, const message *m) \
    { \
        return run##_chunks(self, context, m, SIZE_MAX); \
    }

/* Makes the library's refusal of a tag the engine's. */
static inline int opened(int status, int refusal)
{
    return status == refusal ? CIPHERMARK_REFUSED : status;
}

#endif
