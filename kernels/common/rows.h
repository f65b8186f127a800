/* What the tables of all kernels share. */
#ifndef CIPHERMARK_ROWS_H
#define CIPHERMARK_ROWS_H

#include "kernels.h"

typedef struct ciphermark_function row;
typedef struct ciphermark_message message;

#define ENCRYPT CIPHERMARK_ENCRYPT
#define DECRYPT CIPHERMARK_DECRYPT
#define SEAL CIPHERMARK_SEAL
#define OPEN CIPHERMARK_OPEN
#define MAC CIPHERMARK_MAC
#define DIGEST CIPHERMARK_DIGEST
#define KEYSTREAM CIPHERMARK_KEYSTREAM

/* Alignment of every context: that of the widest vectors that compilers use by themselves. */
#define CONTEXT_ALIGNMENT 16

/* What a part of a context takes that another part comes after. */
#define ALIGNED(bytes) (((bytes) + CONTEXT_ALIGNMENT - 1) / CONTEXT_ALIGNMENT * CONTEXT_ALIGNMENT)

/* The chunk of a message that begins so far behind its start. */
static inline const uint8_t *chunk_at(const message *m, size_t at)
{
    return m->repeats ? m->input : m->input + at;
}

/* Defines `name`, the group of a file's rows, which run where `run_here_` says so. */
#define KERNELS_WHERE(name, rows_, run_here_) \
    const struct ciphermark_kernels name = {rows_, sizeof rows_ / sizeof rows_[0], run_here_}

/* The same for rows that run everywhere. */
#define KERNELS(name, rows_) KERNELS_WHERE(name, rows_, NULL)

#endif
