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

ENCRYPT_PART(encrypt_rc6_part, ciphermark_rc6_portable)

UMAC_PROCESSES(UMAC, encrypt_aes_part)
UMAC_PROCESSES(UMAC_RC6, encrypt_rc6_part)

static const row rfc4418[] = {
    UMAC_RFC4418_ROWS(UMAC_AES, ciphermark_aes_armv8, AES_INSTRUCTIONS_SCHEDULE_BYTES,
                      CIPHERMARK_CONSTANT_TIME, "neon")};
KERNELS_WHERE(ciphermark_umac_neon_rows, rfc4418, ciphermark_has_aes);

static const row october2000[] = {
    UMAC2000_ROWS(UMAC_AES, ciphermark_aes_armv8, AES_INSTRUCTIONS_SCHEDULE_BYTES,
                  CIPHERMARK_CONSTANT_TIME, "neon")};
KERNELS_WHERE(ciphermark_umac2000_neon_rows, october2000, ciphermark_has_aes);

static const row october2000_rc6[] = {
    UMAC2000_RC6_ROWS(UHASH_TEMPLATE, ciphermark_rc6_portable, RC6_SCHEDULE_BYTES,
                      CIPHERMARK_VARIABLE_TIME, "neon")};
KERNELS(ciphermark_umac2000_rc6_neon_rows, october2000_rc6);

#endif
