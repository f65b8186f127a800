/* The modes of AES. */
#include "catalogue.h"
#include "ciphers.h"

#define AES \
    ciphermark_aes_reference, AES_SCHEDULE_BYTES, CIPHERMARK_VARIABLE_TIME, "reference"

static const row cbc[] = {CBC_ROWS_BY_BITS("aes", AES)};
KERNELS(ciphermark_aes_reference_cbc_rows, cbc);

static const row ctr[] = {CTR_ROWS_BY_BITS("aes", AES)};
KERNELS(ciphermark_aes_reference_ctr_rows, ctr);

static const row cmac[] = {AES_CMAC_ROWS(AES)};
KERNELS(ciphermark_aes_reference_cmac_rows, cmac);

static const row cbc_mac[] = {AES_CBC_MAC_ROWS(AES)};
KERNELS(ciphermark_aes_reference_cbc_mac_rows, cbc_mac);

static const row xts[] = {AES_XTS_ROWS(AES)};
KERNELS(ciphermark_aes_reference_xts_rows, xts);

static const row eea2_eia2[] = {EEA2_EIA2_ROWS(AES)};
KERNELS(ciphermark_aes_reference_eea2_eia2_rows, eea2_eia2);
