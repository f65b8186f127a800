/*
 * UMAC of RFC 4418, and UMAC and UHASH of October 2000, for compilers that make vectors of loops: a
 * stream at a time goes over a block, which stays in the first cache.
 */
#include "ciphers.h"
#include "fast_ciphers.h"
#include "uhash_loops.h"
#include "umac_process.h"

ENCRYPT_PART(encrypt_aes_part, ciphermark_aes_table)

UMAC_KERNEL_ROWS(UHASH_TEMPLATE, ciphermark_aes_table, AES_TABLE_SCHEDULE_BYTES,
                 CIPHERMARK_VARIABLE_TIME, "portable")

KERNELS(ciphermark_umac_portable_rows, rfc4418);
KERNELS(ciphermark_umac2000_portable_rows, october2000);
KERNELS(ciphermark_umac2000_rc6_portable_rows, october2000_rc6);
