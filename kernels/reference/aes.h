/* What the kernels of AES share. */
#ifndef CIPHERMARK_AES_H
#define CIPHERMARK_AES_H

#include <stddef.h>
#include <stdint.h>

/*
 * Key expansion (FIPS 197, section 5.2): 16 bytes for each of key_bytes / 4 + 7 round keys. The
 * kernel gives its SubWord; the time of the rest does not depend on the key.
 */
void ciphermark_aes_expand_key(uint8_t *keys, const uint8_t *key, size_t key_bytes,
                               void (*substitute_word)(uint8_t word[4]));

#endif
