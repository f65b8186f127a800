/* What this processor has, and the system lets programs use. Each is 1 or 0. */
#ifndef CIPHERMARK_CPU_H
#define CIPHERMARK_CPU_H

/* Everything that avx2.h switches on, without GFNI and with it. */
int ciphermark_has_avx2(void);
int ciphermark_has_gfni_avx2(void);

/* Everything that avx512.h switches on. */
int ciphermark_has_avx512(void);

#endif
