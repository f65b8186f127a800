/* UMAC of RFC 4418, and UMAC and UHASH of October 2000 (draft-krovetz-umac-01). */
#include "ciphers.h"
#include "uhash.h"

static const row rfc4418[] = {
    UMAC_RFC4418_ROWS(UHASH_REFERENCE, ciphermark_aes_reference, AES_SCHEDULE_BYTES,
                      CIPHERMARK_VARIABLE_TIME, "reference")};
KERNELS(ciphermark_umac_reference_rows, rfc4418);

static const row october2000[] = {
    UMAC2000_ROWS(UHASH_REFERENCE, ciphermark_aes_reference, AES_SCHEDULE_BYTES,
                  CIPHERMARK_VARIABLE_TIME, "reference")};
KERNELS(ciphermark_umac2000_reference_rows, october2000);

static const row october2000_rc6[] = {
    UMAC2000_RC6_ROWS(UHASH_REFERENCE, ciphermark_rc6_reference, RC6_SCHEDULE_BYTES,
                      CIPHERMARK_VARIABLE_TIME, "reference")};
KERNELS(ciphermark_umac2000_rc6_reference_rows, october2000_rc6);
