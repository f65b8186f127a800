/* The hashes of this folder, for what is built of them. */
#ifndef CIPHERMARK_HASHES_H
#define CIPHERMARK_HASHES_H

#include "hash.h"

extern const struct hash ciphermark_md5_reference;
extern const struct hash ciphermark_sha1_reference;
extern const struct hash ciphermark_sha224_reference;
extern const struct hash ciphermark_sha256_reference;
extern const struct hash ciphermark_sha384_reference;
extern const struct hash ciphermark_sha512_reference;

extern const struct hash ciphermark_md5_portable;
extern const struct hash ciphermark_sha1_portable;
extern const struct hash ciphermark_sha224_portable;
extern const struct hash ciphermark_sha256_portable;
extern const struct hash ciphermark_sha384_portable;
extern const struct hash ciphermark_sha512_portable;

#endif
