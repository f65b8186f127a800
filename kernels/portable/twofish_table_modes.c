/* The modes of Twofish by tables. */
#include "catalogue.h"
#include "fast_ciphers.h"

#define TWOFISH \
    ciphermark_twofish_table, TWOFISH_TABLE_SCHEDULE_BYTES, CIPHERMARK_VARIABLE_TIME, "table"

static const row cbc[] = {CBC_ROWS_BY_BITS("twofish", TWOFISH)};
KERNELS(ciphermark_twofish_table_cbc_rows, cbc);

static const row ctr[] = {CTR_ROWS_BY_BITS("twofish", TWOFISH)};
KERNELS(ciphermark_twofish_table_ctr_rows, ctr);

static const row cmac[] = {CMAC_ROWS_BY_BITS("twofish", TWOFISH)};
KERNELS(ciphermark_twofish_table_cmac_rows, cmac);

static const row cbc_mac[] = {CBC_MAC_ROW_OF_128_BITS("twofish", TWOFISH)};
KERNELS(ciphermark_twofish_table_cbc_mac_rows, cbc_mac);
