/* The key expansion that RC5-32 and RC6-32 share. */
#ifndef CIPHERMARK_RC_KEY_H
#define CIPHERMARK_RC_KEY_H

#include <stddef.h>
#include <stdint.h>

/* Expands a key of 1 to RC_MOST_KEY_BYTES bytes into the table S of t words. */
#define RC_MOST_KEY_BYTES 32
void ciphermark_rc_expand_key(uint32_t *S, unsigned t, const uint8_t *key, size_t key_bytes);

#endif
