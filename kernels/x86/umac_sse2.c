/* UMAC and UHASH by SSE2, with the AES of tables. */
#include "rows.h"

#if defined(__x86_64__)

#include "ciphers.h"
#include "fast_ciphers.h"
#include "sse2.h"
#include "uhash_vectors.h"
#include "umac_process.h"

ENCRYPT_PART(encrypt_aes_part, ciphermark_aes_table)

UMAC_KERNEL_ROWS(UHASH_TEMPLATE, ciphermark_aes_table, AES_TABLE_SCHEDULE_BYTES,
                 CIPHERMARK_VARIABLE_TIME, "sse2")

KERNELS(ciphermark_umac_sse2_rows, rfc4418);
KERNELS(ciphermark_umac2000_sse2_rows, october2000);
KERNELS(ciphermark_umac2000_rc6_sse2_rows, october2000_rc6);

#endif
