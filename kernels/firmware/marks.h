/*
 * Two functions that do nothing. Runners (kernels/runners/) count from the first instruction of
 * mark_begin to the one before the first of mark_end.
 */
#ifndef CIPHERMARK_MARKS_H
#define CIPHERMARK_MARKS_H

/* A function that stays one, where it is: clang has no copies of functions to forbid. */
#ifdef __clang__
#define KEPT_APART __attribute__((noinline, used))
#else
#define KEPT_APART __attribute__((noinline, noclone, used))
#endif

void mark_begin(void);
void mark_end(void);

#endif
