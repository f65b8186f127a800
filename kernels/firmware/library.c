/*
 * One group of kernels as a shared object of the form of kernel.h, for who wants to look at what a
 * compiler has made of it.
 */
#include "groups.h"

static void inside(void)
{
}

const struct ciphermark_library *ciphermark_library(void)
{
    static struct ciphermark_library library = {
        CIPHERMARK_ABI, sizeof(struct ciphermark_function), "", "", NULL, inside, NULL, 0, NULL};
    const struct ciphermark_kernels *kernels = firmware_groups[0];
    library.function_count = runs_here(kernels) ? kernels->count : 0;
    library.functions = kernels->rows;
    return &library;
}
