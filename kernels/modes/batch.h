/* How much modes hand to a cipher at once where blocks do not wait for each other. */
#ifndef CIPHERMARK_BATCH_H
#define CIPHERMARK_BATCH_H

#include <stdint.h>

/*
 * Whole blocks of any cipher, on the stack: enough for kernels that interleave blocks, and little
 * where memory is little.
 */
#define BATCH_BYTES (SIZE_MAX > 0xffff ? 512 : 64)

#endif
