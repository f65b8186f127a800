/* hash127 by AVX-512. */
#include "rows.h"

#if defined(__x86_64__)

#include "avx512.h"
#include "hash127_ifma.h"

static const row rows[] = {HASH127_IFMA_ROWS("avx512")};

KERNELS_WHERE(ciphermark_hash127_avx512_rows, rows, RUN_HERE);

#include "instructions_end.h"

#endif
