/* What this processor has beyond what every processor with 64-bit ARM has. Each is 1 or 0. */
#ifndef CIPHERMARK_ARM_CPU_H
#define CIPHERMARK_ARM_CPU_H

/* Carry-less multiplication of words of 64 bits. */
int ciphermark_has_pmull(void);

/* The rounds of AES. */
int ciphermark_has_aes(void);

#endif
