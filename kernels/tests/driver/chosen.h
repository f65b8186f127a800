/* The rows that a program tests: those that it is made for, run here and are chosen by name. */
#ifndef CIPHERMARK_CHOSEN_H
#define CIPHERMARK_CHOSEN_H

#include <stdlib.h>
#include <string.h>

#include "rows.h"

#define MOST_ROWS 1000

/* Algorithms or backends; all where there are none. */
static size_t name_count;
static char **names;

/* Whether the program is made for such a row; of the program. */
static int is_tested(const row *kernel);

static inline const char *operation_name(const row *kernel)
{
    static const char *const NAMES[] = {"",        "seal", "open",   "encrypt",
                                        "decrypt", "mac",  "digest", "keystream"};
    return NAMES[kernel->operation];
}

static inline int is_chosen(const row *kernel)
{
    size_t i;
    for (i = 0; i < name_count; i++) {
        if (strcmp(names[i], kernel->algorithm) == 0 || strcmp(names[i], kernel->backend) == 0)
            return 1;
    }
    return name_count == 0;
}

/* These rows, and null after the last. They are found once: to ask a processor takes long. */
static inline const row *const *chosen_rows(void)
{
    static const row *chosen[MOST_ROWS + 1];
    size_t group, i, count = 0;
    if (chosen[0] != NULL)
        return chosen;
    for (group = 0; group < ciphermark_kernels_count; group++) {
        const struct ciphermark_kernels *kernels = ciphermark_kernels[group];
        if (kernels->run_here != NULL && !kernels->run_here())
            continue;
        for (i = 0; i < kernels->count; i++) {
            const row *kernel = &kernels->rows[i];
            if (!is_tested(kernel) || !is_chosen(kernel))
                continue;
            if (count == MOST_ROWS)
                abort();
            chosen[count++] = kernel;
        }
    }
    return chosen;
}

static inline int is_same_function(const row *one, const row *other)
{
    return strcmp(one->algorithm, other->algorithm) == 0 && one->operation == other->operation;
}

/* Whether none of the rows before is of the same function. */
static inline int is_first_of_function(const row *const *kernel)
{
    const row *const *other = chosen_rows();
    while (!is_same_function(*kernel, *other))
        other++;
    return other == kernel;
}

/* A context of zeros, just as large and as aligned as the row wants it. */
static inline void *new_context(const row *kernel)
{
    void *context;
    if (posix_memalign(&context, kernel->context_alignment, kernel->context_bytes) != 0)
        abort();
    memset(context, 0, kernel->context_bytes);
    return context;
}

#endif
