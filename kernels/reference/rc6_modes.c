/* The modes of RC6-32/20. */
#include "catalogue.h"
#include "ciphers.h"

#define RC6 \
    ciphermark_rc6_reference, RC6_SCHEDULE_BYTES, CIPHERMARK_VARIABLE_TIME, "reference"

static const row cbc[] = {RC6_CBC_ROWS(RC6)};
KERNELS(ciphermark_rc6_reference_cbc_rows, cbc);

static const row ctr[] = {RC6_CTR_ROWS(RC6)};
KERNELS(ciphermark_rc6_reference_ctr_rows, ctr);

static const row cmac[] = {RC6_CMAC_ROWS(RC6)};
KERNELS(ciphermark_rc6_reference_cmac_rows, cmac);

static const row cbc_mac[] = {RC6_CBC_MAC_ROWS(RC6)};
KERNELS(ciphermark_rc6_reference_cbc_mac_rows, cbc_mac);
