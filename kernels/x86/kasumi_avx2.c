/* KASUMI over 32 packets a group, by AVX2. */
#include "rows.h"

#if defined(__x86_64__)

#include "avx2.h"

#define ROUNDS_WRITTEN_OUT 1
#define MOST_GROUPS 2
#define EACH_COUNT(X) X(1) X(2)

#include "kasumi_avx2_lookups.h"
#include "kasumi_indices.h"
#include "kasumi_shuffles.h"
#include "byte_blocks.h"

#define F8_OF_FEW ciphermark_f8_paired_avx2
#define F9_OF_FEW ciphermark_f9_paired_avx2
#include "kasumi_few.h"

void ciphermark_f8_bytesliced_avx2(const struct lane_batch *batch, const uint16_t *order,
                                   size_t count)
{
    encrypt_many_or_few(&encryption, batch, order, count);
}

void ciphermark_f9_bytesliced_avx2(const struct lane_batch *batch, const uint16_t *order,
                                   size_t count)
{
    f9_many_or_few(batch, order, count);
}

static const row rows[] = {F8F9_LANES_ROWS("bytesliced-avx2")};

KERNELS_WHERE(ciphermark_kasumi_bytesliced_avx2_rows, rows, RUN_HERE);

#include "instructions_end.h"

#endif
