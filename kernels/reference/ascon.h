/* The permutation Ascon-p (NIST SP 800-232, section 3). */
#ifndef CIPHERMARK_ASCON_H
#define CIPHERMARK_ASCON_H

#include "rows.h"

#define ASCON_WORDS 5

/* Ascon-p of so many rounds, at most 12. */
void ciphermark_ascon_permute(uint64_t s[ASCON_WORDS], unsigned rounds);

#endif
