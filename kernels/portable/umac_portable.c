/* UMAC of RFC 4418, and UMAC and UHASH of October 2000, over the UHASH of this folder. */
#include "ciphers.h"
#include "fast_ciphers.h"
#include "portable_uhash.h"

static const row rfc4418[] = {
    UMAC_RFC4418_ROWS(ciphermark_uhash_portable, sizeof(struct uhash_portable_state),
                      ciphermark_aes_table, AES_TABLE_SCHEDULE_BYTES, "portable")};
KERNELS(ciphermark_umac_portable_rows, rfc4418);

static const row october2000[] = {
    UMAC2000_ROWS(ciphermark_uhash_portable, sizeof(struct uhash_portable_state),
                  ciphermark_aes_table, AES_TABLE_SCHEDULE_BYTES, "portable")};
KERNELS(ciphermark_umac2000_portable_rows, october2000);

static const row october2000_rc6[] = {
    UMAC2000_RC6_ROWS(ciphermark_uhash_portable, sizeof(struct uhash_portable_state),
                      ciphermark_rc6_portable, RC6_SCHEDULE_BYTES, "portable")};
KERNELS(ciphermark_umac2000_rc6_portable_rows, october2000_rc6);
