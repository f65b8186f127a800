/* The groups of kernels that an image works on; each image has a list of its own. */
#ifndef CIPHERMARK_GROUPS_H
#define CIPHERMARK_GROUPS_H

#include "kernels.h"

extern const struct ciphermark_kernels *const firmware_groups[];
extern const size_t firmware_group_count;

#endif
