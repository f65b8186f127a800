/* Linear maps of a byte in SNOW 3G (3GPP TS 35.216), as constant expressions to make tables of. */
#ifndef CIPHERMARK_SNOW3G_ALPHA_H
#define CIPHERMARK_SNOW3G_ALPHA_H

#include <stdint.h>

/* Sections 3.4.2 and 3.4.3: both are linear, so the words of single bits add up to all others. */
#define SNOW3G_BIT(v, i, word) ((v) >> (i) & 1) * (uint32_t)(word)
#define SNOW3G_MUL_ALPHA(v) \
    (SNOW3G_BIT(v, 0, 0xe19fcf13) ^ SNOW3G_BIT(v, 1, 0x6b973726) ^ \
     SNOW3G_BIT(v, 2, 0xd6876e4c) ^ SNOW3G_BIT(v, 3, 0x05a7dc98) ^ \
     SNOW3G_BIT(v, 4, 0x0ae71199) ^ SNOW3G_BIT(v, 5, 0x1467229b) ^ \
     SNOW3G_BIT(v, 6, 0x28ce449f) ^ SNOW3G_BIT(v, 7, 0x50358897))
#define SNOW3G_DIV_ALPHA(v) \
    (SNOW3G_BIT(v, 0, 0x180f40cd) ^ SNOW3G_BIT(v, 1, 0x301e8033) ^ \
     SNOW3G_BIT(v, 2, 0x603ca966) ^ SNOW3G_BIT(v, 3, 0xc078fbcc) ^ \
     SNOW3G_BIT(v, 4, 0x29f05f31) ^ SNOW3G_BIT(v, 5, 0x5249be62) ^ \
     SNOW3G_BIT(v, 6, 0xa492d5c4) ^ SNOW3G_BIT(v, 7, 0xe18d0321))

/* Section 3.1.1: MULx by the constant of S2. */
#define SNOW3G_TIMES_X_69(v) (((v) << 1 ^ ((v) >> 7) * 0x69) & 0xff)

#endif
