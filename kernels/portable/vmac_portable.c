/* VMAC (draft-krovetz-vmac-01) by products of 64-bit words. */
#include "vhash_terms.h"

#define VHASH_BATCH_BLOCKS 4

INLINED void nh_batch(struct terms *terms, const uint64_t *key, const uint8_t *input,
                      unsigned iterations)
{
    unsigned i;
    for (i = 0; i < VHASH_BATCH_BLOCKS; i++)
        nh_block(terms, i, key, input + (size_t)VHASH_BLOCK_BYTES * i, iterations);
}

#include "vmac_table.h"
#include "vmac_process.h"

static const row rows[] = {VMAC_TABLE_ROWS("portable")};

KERNELS(ciphermark_vmac_portable_rows, rows);
