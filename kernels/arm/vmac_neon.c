/* VMAC (draft-krovetz-vmac-01) by NEON, its pads by the instructions of ARMv8 for AES. */
#include "rows.h"

#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN)

#include "cpu.h"
#include "neon.h"
#include "vhash_vectors.h"

#include "aes_armv8.h"
#include "vmac_aes.h"
#include "vmac_process.h"

static const row rows[] = {VMAC_AES_ROWS(ciphermark_aes_armv8, "neon")};

KERNELS_WHERE(ciphermark_vmac_neon_rows, rows, ciphermark_has_aes);

#endif
