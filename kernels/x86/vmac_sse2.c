/* VMAC (draft-krovetz-vmac-01) by SSE2. */
#include "rows.h"

#if defined(__x86_64__)

#include "sse2.h"
#include "vhash_vectors.h"

#include "vmac_table.h"
#include "vmac_process.h"

static const row rows[] = {VMAC_TABLE_ROWS("sse2")};

KERNELS_WHERE(ciphermark_vmac_sse2_rows, rows, RUN_HERE);

#endif
