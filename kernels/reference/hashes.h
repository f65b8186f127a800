/* The hashes of this folder, for what is built of them. */
#ifndef CIPHERMARK_HASHES_H
#define CIPHERMARK_HASHES_H

#include "hash.h"

extern const struct hash ciphermark_md5_reference;

#endif
