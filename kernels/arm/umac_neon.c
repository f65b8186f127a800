/* UMAC and UHASH by NEON, with the AES of ARMv8 and with RC6. */
#include "rows.h"

#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN)

#include "aes_armv8.h"
#include "ciphers.h"
#include "cpu.h"
#include "fast_ciphers.h"
#include "neon.h"
#include "uhash_vectors.h"
#include "umac_lanes.h"

UMAC_KERNEL_ROWS(UMAC_AES, ciphermark_aes_armv8, AES_INSTRUCTIONS_SCHEDULE_BYTES,
                 CIPHERMARK_CONSTANT_TIME, "neon")

KERNELS_WHERE(ciphermark_umac_neon_rows, rfc4418, ciphermark_has_aes);
KERNELS_WHERE(ciphermark_umac2000_neon_rows, october2000, ciphermark_has_aes);
KERNELS(ciphermark_umac2000_rc6_neon_rows, october2000_rc6);

#endif
