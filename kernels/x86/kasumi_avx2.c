/* KASUMI over 32 packets a group, by AVX2. */
#include "rows.h"

#if defined(__x86_64__)

#include "avx2.h"

#define MOST_GROUPS 2
#define EACH_COUNT(X) X(1) X(2)

#include "kasumi_step.h"

static inline vector lookup16(const uint8_t table[16], vector index)
{
    const __m128i entries = _mm_loadu_si128((const void *)table);
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(entries), index);
}

/*
 * A lookup finds 0 where the index is negative. So of eight of them, by the byte less 0, 16, 32, …,
 * each replaces what the one before has found: the table has the differences.
 */
#define SEVEN(prefix) prefix##_SEVEN_DIFFERENCES
static inline vector lookup128(const uint8_t table[128], vector index)
{
    vector sum = lookup16(table, index);
    unsigned i;
    for (i = 16; i < 128; i += 16)
        sum = xor2(sum, lookup16(table + i, _mm256_sub_epi8(index, all8((uint8_t)i))));
    return sum;
}

#include "kasumi_shuffles.h"

#include "byte_blocks.h"
#include "f8f9_lanes.h"
#include "kasumi_avx2.h"

void ciphermark_f8_bytesliced_avx2(const struct lane_batch *batch, const uint16_t *order,
                                   size_t count)
{
    encrypt_in_order(batch, order, count);
}

void ciphermark_f9_bytesliced_avx2(const struct lane_batch *batch, const uint16_t *order,
                                   size_t count)
{
    f9_in_order(batch, order, count);
}

static const row rows[] = {F8F9_LANES_ROWS("bytesliced-avx2")};

KERNELS_WHERE(ciphermark_kasumi_bytesliced_avx2_rows, rows, RUN_HERE);

#include "instructions_end.h"

#endif
