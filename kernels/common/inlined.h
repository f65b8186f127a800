/* What compilers are told where they would choose otherwise. */
#ifndef CIPHERMARK_INLINED_H
#define CIPHERMARK_INLINED_H

#include <stddef.h>

/* Functions whose parameters are constants where they are called: copies of them are made there. */
#define INLINED static inline __attribute__((always_inline))

/* A constant that is not taken for one, so that a loop of so many turns stays a loop. */
static inline size_t unknown(size_t number)
{
    __asm__("" : "+r"(number));
    return number;
}

#endif
