/* VMAC (draft-krovetz-vmac-01) by NEON, for processors without instructions for AES. */
#include "rows.h"

#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN)

#include "neon.h"
#include "vhash_vectors.h"

#include "vmac_table.h"
#include "vmac_process.h"

static const row rows[] = {VMAC_TABLE_ROWS("neon-table")};

KERNELS(ciphermark_vmac_neon_table_rows, rows);

#endif
