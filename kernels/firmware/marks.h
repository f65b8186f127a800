/*
 * Two functions that do nothing. Runners (kernels/runners/) count from the first instruction of
 * mark_begin to the one before the first of mark_end.
 */
#ifndef CIPHERMARK_MARKS_H
#define CIPHERMARK_MARKS_H

void mark_begin(void);
void mark_end(void);

#endif
