/* What the kernels of Serpent share. */
#ifndef CIPHERMARK_SERPENT_H
#define CIPHERMARK_SERPENT_H

#include <stddef.h>
#include <stdint.h>

#define SERPENT_ROUNDS 32

/* The subkeys K_0 to K_32, four words each. */
struct serpent_schedule {
    uint32_t keys[SERPENT_ROUNDS + 1][4];
};

/* Writes the prekeys w_0 to w_131, which S-boxes make subkeys, in a time that depends on no key. */
void ciphermark_serpent_prekeys(struct serpent_schedule *schedule, const uint8_t *key,
                                size_t key_bytes);

#endif
