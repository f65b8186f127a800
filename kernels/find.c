/* Looks for a kernel in the list of all, see include/kernels.h. */
#include "kernels.h"

static int is_same(const char *one, const char *other)
{
    for (; *one == *other; one++, other++) {
        if (*one == '\0')
            return 1;
    }
    return 0;
}

const struct ciphermark_function *ciphermark_find(const char *algorithm,
                                                  enum ciphermark_operation operation,
                                                  const char *backend)
{
    size_t group, i;
    for (group = 0; group < ciphermark_kernels_count; group++) {
        const struct ciphermark_kernels *kernels = ciphermark_kernels[group];
        if (kernels->run_here != NULL && !kernels->run_here())
            continue;
        for (i = 0; i < kernels->count; i++) {
            const struct ciphermark_function *row = &kernels->rows[i];
            if (row->operation == (uint32_t)operation && row->variant == NULL &&
                is_same(row->algorithm, algorithm) &&
                (backend == NULL || is_same(row->backend, backend)))
                return row;
        }
    }
    return NULL;
}
