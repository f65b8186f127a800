/* What the kernels of Camellia share: the schedule, whichever way it goes. */
#ifndef CIPHERMARK_CAMELLIA_H
#define CIPHERMARK_CAMELLIA_H

#include <stddef.h>
#include <stdint.h>

/*
 * Subkeys in the order of use: two of whitening; for each group of six rounds theirs and, before
 * the next group, two of FL and FLINV; two of whitening.
 */
struct camellia_schedule {
    uint64_t keys[34];
    uint64_t groups; /* 3, or 4 where the key has 192 or 256 bits; as wide as the rest */
};

void ciphermark_camellia_set_encrypt_key(void *schedule, const uint8_t *key, size_t key_bytes);
void ciphermark_camellia_set_decrypt_key(void *schedule, const uint8_t *key, size_t key_bytes);

#endif
