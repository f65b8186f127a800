/* What every kernel of SHA-1 (FIPS 180-4) has. */
#ifndef CIPHERMARK_SHA1_H
#define CIPHERMARK_SHA1_H

#include "hashes.h"

/* Section 5.3.1, and the digest of a chaining value. */
void ciphermark_sha1_start(void *chain);
void ciphermark_sha1_finish(const void *chain, uint8_t *digest);

#endif
