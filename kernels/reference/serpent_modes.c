/* The modes of Serpent. */
#include "catalogue.h"
#include "ciphers.h"

#define SERPENT \
    ciphermark_serpent_reference, SERPENT_SCHEDULE_BYTES, CIPHERMARK_VARIABLE_TIME, "reference"

static const row cbc[] = {CBC_ROWS_BY_BITS("serpent", SERPENT)};
KERNELS(ciphermark_serpent_reference_cbc_rows, cbc);

static const row ctr[] = {CTR_ROWS_BY_BITS("serpent", SERPENT)};
KERNELS(ciphermark_serpent_reference_ctr_rows, ctr);

static const row cmac[] = {CMAC_ROWS_BY_BITS("serpent", SERPENT)};
KERNELS(ciphermark_serpent_reference_cmac_rows, cmac);

static const row cbc_mac[] = {CBC_MAC_ROW_OF_128_BITS("serpent", SERPENT)};
KERNELS(ciphermark_serpent_reference_cbc_mac_rows, cbc_mac);
