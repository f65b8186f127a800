/* UMAC and UHASH by NEON, with the AES of tables, for processors without that of ARMv8. */
#include "rows.h"

#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN)

#include "fast_ciphers.h"
#include "neon.h"
#include "uhash_vectors.h"
#include "umac_process.h"

ENCRYPT_PART(encrypt_aes_part, ciphermark_aes_table)

UMAC_PROCESSES(UMAC, encrypt_aes_part)

static const row rfc4418[] = {
    UMAC_RFC4418_ROWS(UHASH_TEMPLATE, ciphermark_aes_table, AES_TABLE_SCHEDULE_BYTES,
                      CIPHERMARK_VARIABLE_TIME, "neon-table")};
KERNELS(ciphermark_umac_neon_table_rows, rfc4418);

static const row october2000[] = {
    UMAC2000_ROWS(UHASH_TEMPLATE, ciphermark_aes_table, AES_TABLE_SCHEDULE_BYTES,
                  CIPHERMARK_VARIABLE_TIME, "neon-table")};
KERNELS(ciphermark_umac2000_neon_table_rows, october2000);

#endif
