/*
 * Groups of kernels as a shared object of the form of kernel.h, for who wants to look at what a
 * compiler has made of them, or to measure it.
 */
#include "groups.h"

#include <stdlib.h>
#include <string.h>

static void inside(void)
{
}

/* The rows of all groups that this processor can run, one after the other. */
static size_t collect(struct ciphermark_function *rows)
{
    size_t count = 0, i;
    for (i = 0; i < firmware_group_count; i++) {
        const struct ciphermark_kernels *const kernels = firmware_groups[i];
        if (!runs_here(kernels))
            continue;
        if (rows != NULL)
            memcpy(rows + count, kernels->rows, kernels->count * sizeof *rows);
        count += kernels->count;
    }
    return count;
}

const struct ciphermark_library *ciphermark_library(void)
{
    static struct ciphermark_library library = {
        CIPHERMARK_ABI, sizeof(struct ciphermark_function), "", "", NULL, inside, NULL, NULL, 0, NULL};
    if (library.functions == NULL) {
        struct ciphermark_function *const rows =
            calloc(collect(NULL) + 1, sizeof(struct ciphermark_function));
        library.function_count = rows == NULL ? 0 : collect(rows);
        library.functions = rows;
    }
    return &library;
}
