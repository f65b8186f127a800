/* The groups of kernels that an image works on; each image has a list of its own. */
#ifndef CIPHERMARK_GROUPS_H
#define CIPHERMARK_GROUPS_H

#include "kernels.h"

extern const struct ciphermark_kernels *const firmware_groups[];
extern const size_t firmware_group_count;

/* Whether this processor has the instructions that a group uses. */
static inline int runs_here(const struct ciphermark_kernels *kernels)
{
    return kernels->run_here == NULL || kernels->run_here();
}

#endif
