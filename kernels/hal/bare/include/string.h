/* What kernels and firmwares need of the C library, on targets that have none. */
#ifndef CIPHERMARK_BARE_STRING_H
#define CIPHERMARK_BARE_STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int byte, size_t bytes);

#endif
