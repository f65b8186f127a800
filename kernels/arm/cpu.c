#include "cpu.h"

#if defined(__aarch64__) && defined(__linux__)

#include <sys/auxv.h>

/* Bits of AT_HWCAP. */
#define AES (1ul << 3)
#define PMULL (1ul << 4)

int ciphermark_has_pmull(void)
{
    return (getauxval(AT_HWCAP) & PMULL) != 0;
}

int ciphermark_has_aes(void)
{
    return (getauxval(AT_HWCAP) & AES) != 0;
}

#elif defined(__aarch64__)

/* Where programs are compiled for it, as on all of Apple's processors. */
int ciphermark_has_pmull(void)
{
#if defined(__ARM_FEATURE_AES) || defined(__ARM_FEATURE_CRYPTO)
    return 1;
#else
    return 0;
#endif
}

/* The extension has both. */
int ciphermark_has_aes(void)
{
    return ciphermark_has_pmull();
}

#endif
