/* The modes of Twofish. */
#include "catalogue.h"
#include "ciphers.h"

#define TWOFISH \
    ciphermark_twofish_reference, TWOFISH_SCHEDULE_BYTES, CIPHERMARK_VARIABLE_TIME, "reference"

static const row cbc[] = {TWOFISH_CBC_ROWS(TWOFISH)};
KERNELS(ciphermark_twofish_reference_cbc_rows, cbc);

static const row ctr[] = {TWOFISH_CTR_ROWS(TWOFISH)};
KERNELS(ciphermark_twofish_reference_ctr_rows, ctr);

static const row cmac[] = {TWOFISH_CMAC_ROWS(TWOFISH)};
KERNELS(ciphermark_twofish_reference_cmac_rows, cmac);

static const row cbc_mac[] = {TWOFISH_CBC_MAC_ROWS(TWOFISH)};
KERNELS(ciphermark_twofish_reference_cbc_mac_rows, cbc_mac);
