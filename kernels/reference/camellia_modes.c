/* The modes of Camellia. */
#include "catalogue.h"
#include "ciphers.h"

#define CAMELLIA \
    ciphermark_camellia_reference, CAMELLIA_SCHEDULE_BYTES, CIPHERMARK_VARIABLE_TIME, "reference"

static const row cbc[] = {CAMELLIA_CBC_ROWS(CAMELLIA)};
KERNELS(ciphermark_camellia_reference_cbc_rows, cbc);

static const row ctr[] = {CAMELLIA_CTR_ROWS(CAMELLIA)};
KERNELS(ciphermark_camellia_reference_ctr_rows, ctr);

static const row cmac[] = {CAMELLIA_CMAC_ROWS(CAMELLIA)};
KERNELS(ciphermark_camellia_reference_cmac_rows, cmac);

static const row cbc_mac[] = {CAMELLIA_CBC_MAC_ROWS(CAMELLIA)};
KERNELS(ciphermark_camellia_reference_cbc_mac_rows, cbc_mac);
