/*
 * XTS (IEEE 1619, 5.3; NIST SP 800-38E) of a block cipher with blocks of 16 bytes: a message is a
 * sector, at most 2^20 blocks, and the nonce its tweak, a number with the lowest byte first. The last
 * part of a block steals ciphertext.
 */
#ifndef CIPHERMARK_XTS_H
#define CIPHERMARK_XTS_H

#include "block_cipher.h"

#define XTS_BLOCK_BYTES 16

#if SIZE_MAX > 0xffff
#define XTS_MOST_BYTES ((size_t)1 << 24)
#else
#define XTS_MOST_BYTES SIZE_MAX
#endif

/*
 * Functions of rows whose parameters are a `struct block_cipher`; the context is the schedule of the
 * key's first half, then that of its second half. Equal halves are refused (FIPS 140-3 IG, C.I).
 */
int ciphermark_xts_set_key(const row *self, void *context, const uint8_t *key, size_t key_bytes);
int ciphermark_xts(const row *self, void *context, const message *m);

#define XTS_ROW(name, does, key, cipher, schedule, timing_, backend_) \
    {.algorithm = name, .operation = does, .timing = timing_, .key_bytes = {key, key}, \
     .nonce_bytes = {XTS_BLOCK_BYTES, XTS_BLOCK_BYTES}, .lanes = 1, \
     .context_bytes = ALIGNED(schedule) + (schedule), .context_alignment = CONTEXT_ALIGNMENT, \
     .parameters = &(cipher), .set_key = ciphermark_xts_set_key, .process = ciphermark_xts, \
     .backend = backend_, .input_bytes = {XTS_BLOCK_BYTES, XTS_MOST_BYTES}, .block_bytes = 1}

/* Both rows of a cipher with `key` bytes of two keys and schedules of `schedule` bytes. */
#define XTS_ROWS(name, key, cipher, schedule, timing_, backend_) \
    XTS_ROW(name, ENCRYPT, key, cipher, schedule, timing_, backend_), \
    XTS_ROW(name, DECRYPT, key, cipher, schedule, timing_, backend_)

#endif
