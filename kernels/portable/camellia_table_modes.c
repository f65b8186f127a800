/* The modes of Camellia by tables. */
#include "catalogue.h"
#include "ciphers.h"
#include "fast_ciphers.h"

#define CAMELLIA \
    ciphermark_camellia_table, CAMELLIA_SCHEDULE_BYTES, CIPHERMARK_VARIABLE_TIME, "table"

static const row cbc[] = {CBC_ROWS_BY_BITS("camellia", CAMELLIA)};
KERNELS(ciphermark_camellia_table_cbc_rows, cbc);

static const row ctr[] = {CTR_ROWS_BY_BITS("camellia", CAMELLIA)};
KERNELS(ciphermark_camellia_table_ctr_rows, ctr);

static const row cmac[] = {CMAC_ROWS_BY_BITS("camellia", CAMELLIA)};
KERNELS(ciphermark_camellia_table_cmac_rows, cmac);

static const row cbc_mac[] = {CBC_MAC_ROW_OF_128_BITS("camellia", CAMELLIA)};
KERNELS(ciphermark_camellia_table_cbc_mac_rows, cbc_mac);
