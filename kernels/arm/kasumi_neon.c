/* KASUMI over 16 packets a group, by NEON. */
#include "rows.h"

#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN)

#include "neon.h"

#define ROUNDS_WRITTEN_OUT 2
#define MOST_GROUPS 3
#define EACH_COUNT(X) X(1) X(2) X(3)

static inline vector lookup16(const uint8_t table[16], vector index)
{
    return vqtbl1q_u8(vld1q_u8(table), index);
}

/* Indices beyond a table of 64 find 0, or leave what is there. */
#define SEVEN(prefix) prefix##_SEVEN
static inline vector lookup128(const uint8_t table[128], vector index)
{
    const vector low = vqtbl4q_u8(vld1q_u8_x4(table), index);
    return vqtbx4q_u8(low, vld1q_u8_x4(table + 64), vsubq_u8(index, all8(64)));
}

#include "kasumi_indices.h"
#include "kasumi_shuffles.h"
#include "byte_blocks.h"
#include "f8f9_lanes.h"

static const row rows[] = {F8F9_LANES_ROWS("bytesliced-neon")};

KERNELS(ciphermark_kasumi_bytesliced_neon_rows, rows);

#endif
