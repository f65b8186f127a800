/* What the kernels of Twofish share: all of the key but tables. */
#ifndef CIPHERMARK_TWOFISH_H
#define CIPHERMARK_TWOFISH_H

#include <stddef.h>
#include <stdint.h>

#define TWOFISH_ROUNDS 16

struct twofish_schedule {
    uint32_t keys[TWOFISH_ROUNDS * 2 + 8]; /* K_0 to K_39 */
    uint8_t s[4][4];                       /* the list S, which keys the S-boxes, of k words */
    uint32_t k;                            /* 2, 3 or 4: words of 64 bits in the key */
};

void ciphermark_twofish_set_key(void *schedule, const uint8_t *key, size_t key_bytes);

#endif
