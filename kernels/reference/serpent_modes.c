/* The modes of Serpent. */
#include "catalogue.h"
#include "ciphers.h"

#define SERPENT \
    ciphermark_serpent_reference, SERPENT_SCHEDULE_BYTES, CIPHERMARK_VARIABLE_TIME, "reference"

static const row cbc[] = {SERPENT_CBC_ROWS(SERPENT)};
KERNELS(ciphermark_serpent_reference_cbc_rows, cbc);

static const row ctr[] = {SERPENT_CTR_ROWS(SERPENT)};
KERNELS(ciphermark_serpent_reference_ctr_rows, ctr);

static const row cmac[] = {SERPENT_CMAC_ROWS(SERPENT)};
KERNELS(ciphermark_serpent_reference_cmac_rows, cmac);

static const row cbc_mac[] = {SERPENT_CBC_MAC_ROWS(SERPENT)};
KERNELS(ciphermark_serpent_reference_cbc_mac_rows, cbc_mac);
