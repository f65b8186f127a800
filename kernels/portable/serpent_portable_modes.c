/* The modes of Serpent by words. */
#include "catalogue.h"
#include "ciphers.h"
#include "fast_ciphers.h"

#define SERPENT \
    ciphermark_serpent_portable, SERPENT_SCHEDULE_BYTES, CIPHERMARK_CONSTANT_TIME, "portable"

static const row cbc[] = {CBC_ROWS_BY_BITS("serpent", SERPENT)};
KERNELS(ciphermark_serpent_portable_cbc_rows, cbc);

static const row ctr[] = {CTR_ROWS_BY_BITS("serpent", SERPENT)};
KERNELS(ciphermark_serpent_portable_ctr_rows, ctr);

static const row cmac[] = {CMAC_ROWS_BY_BITS("serpent", SERPENT)};
KERNELS(ciphermark_serpent_portable_cmac_rows, cmac);

static const row cbc_mac[] = {CBC_MAC_ROW_OF_128_BITS("serpent", SERPENT)};
KERNELS(ciphermark_serpent_portable_cbc_mac_rows, cbc_mac);
