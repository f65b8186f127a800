/* Text of firmwares. */
#ifndef CIPHERMARK_PRINT_H
#define CIPHERMARK_PRINT_H

#include <stdint.h>

/* Writes words with a decimal number between them. */
void print(const char *before, uint64_t number, const char *after);

#endif
