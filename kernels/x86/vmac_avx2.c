/* VMAC (draft-krovetz-vmac-01) by AVX2, its pads by AES-NI. */
#include "rows.h"

#if defined(__x86_64__)

#include "avx2.h"
#include "vhash_vectors.h"

#include "aes_aesni.h"
#include "vmac_aes.h"
#include "vmac_process.h"

static const row rows[] = {VMAC_AES_ROWS(ciphermark_aes_aesni, "avx2")};

KERNELS_WHERE(ciphermark_vmac_avx2_rows, rows, RUN_HERE);

#include "instructions_end.h"

#endif
