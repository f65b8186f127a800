/*
 * Put before the kernels' sources when their time is tested: whether a tag is right is no secret,
 * since the caller is told.
 */
#include <valgrind/memcheck.h>

#include "words.h"

static inline int declassified(int verdict)
{
    (void)VALGRIND_MAKE_MEM_DEFINED(&verdict, sizeof verdict);
    return verdict;
}

#define equal_bytes(one, other, bytes) declassified(equal_bytes(one, other, bytes))
