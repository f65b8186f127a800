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
#include "kasumi_avx2.h"

#define PROCESS_IN_ORDER encrypt_many_or_few
#define F9_IN_ORDER f9_many_or_few

static void encrypt_many_or_few(const struct lane_kernel *kernel, const struct lane_batch *batch,
                                const uint16_t *order, size_t count);
static void f9_many_or_few(const struct lane_batch *batch, const uint16_t *order, size_t count);

#include "f8f9_lanes.h"

/*
 * Packets that fill a vector of 8: up to so many are faster there than in one of 32, by 1.3 times on
 * a Zen 3 core. Its groups would run one after another, and two of them take longer than one of 32.
 */
#define FEW 8

static void encrypt_many_or_few(const struct lane_kernel *kernel, const struct lane_batch *batch,
                                const uint16_t *order, size_t count)
{
    if (count <= FEW)
        ciphermark_f8_paired_avx2(batch, order, count);
    else
        process_in_order(kernel, batch, order, count);
}

static void f9_many_or_few(const struct lane_batch *batch, const uint16_t *order, size_t count)
{
    if (count <= FEW)
        ciphermark_f9_paired_avx2(batch, order, count);
    else
        f9_in_order(batch, order, count);
}

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
