/*
 * VMAC (draft-krovetz-vmac-01) by SSE2. Long messages take it up to half as long again as products of
 * words of 64 bits, so it comes after them: two lanes do not make up for products of 32 bits.
 */
#include "rows.h"

#if defined(__x86_64__)

#include "sse2.h"
#include "vhash_vectors.h"

#include "vmac_table.h"
#include "vmac_process.h"

static const row rows[] = {VMAC_TABLE_ROWS("sse2")};

KERNELS_WHERE(ciphermark_vmac_sse2_rows, rows, RUN_HERE);

#endif
