/* UMAC and UHASH by AVX2, with AES-NI. */
#include "rows.h"

#if defined(__x86_64__)

#include "avx2.h"
#include "aes_aesni.h"
#include "ciphers.h"
#include "fast_ciphers.h"
#include "uhash_vectors.h"
#include "umac_lanes.h"

UMAC_KERNEL_ROWS(UMAC_AES, ciphermark_aes_aesni, AES_INSTRUCTIONS_SCHEDULE_BYTES,
                 CIPHERMARK_CONSTANT_TIME, "avx2")

KERNELS_WHERE(ciphermark_umac_avx2_rows, rfc4418, RUN_HERE);
KERNELS_WHERE(ciphermark_umac2000_avx2_rows, october2000, RUN_HERE);
KERNELS_WHERE(ciphermark_umac2000_rc6_avx2_rows, october2000_rc6, RUN_HERE);

#include "instructions_end.h"

#endif
